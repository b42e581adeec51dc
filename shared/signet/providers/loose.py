"""Parts of JSON that somebody else wrote: each is what it should be, or empty."""

from collections.abc import Mapping

Json = Mapping[str, object]


def as_object(value: object) -> Json:
    """Return a JSON object, empty when it is none."""
    return value if isinstance(value, dict) else {}


def first_object(value: object) -> Json:
    """Return the first object of a list, empty when there is none."""
    return as_object(value[0]) if isinstance(value, list) and value else {}


def as_text(value: object) -> str:
    """Return a text, empty when it is none."""
    return value if isinstance(value, str) else ""
