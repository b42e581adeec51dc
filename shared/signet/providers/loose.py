"""Read parts of foreign JSON: each has the expected type, or is empty."""

from collections.abc import Mapping

Json = Mapping[str, object]


def as_object(value: object) -> Json:
    """Return a JSON object; empty for other types."""
    return value if isinstance(value, dict) else {}


def first_object(value: object) -> Json:
    """Return the first object of a list, else an empty one."""
    return as_object(value[0]) if isinstance(value, list) and value else {}


def as_text(value: object) -> str:
    """Return a text; empty for other types."""
    return value if isinstance(value, str) else ""


def text_of(parts: object) -> str:
    """Return the joined texts of a list of parts; other parts are skipped."""
    rows = [as_object(part) for part in parts] if isinstance(parts, list) else []
    return "".join(as_text(row.get("text")) for row in rows if row.get("type") == "text")
