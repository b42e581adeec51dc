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


def text_of(parts: object) -> str:
    """Return the texts of a list of parts, joined; parts of other types are left out."""
    rows = [as_object(part) for part in parts] if isinstance(parts, list) else []
    return "".join(as_text(row.get("text")) for row in rows if row.get("type") == "text")
