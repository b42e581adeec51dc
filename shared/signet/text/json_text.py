"""Parse foreign JSON leniently or strictly."""

import json
import math
from collections.abc import Mapping
from typing import Any


def value(raw: str | bytes | bytearray) -> Any:
    """Return a JSON value, None if invalid."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def an_object(raw: str | bytes | bytearray) -> dict[str, Any] | None:
    """Return a JSON object, None for anything else."""
    found = value(raw)
    return found if isinstance(found, dict) else None


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number is out of range")
    return number


#: Refuses NaN and infinity, which Python accepts but other readers do not.
STRICT = json.JSONDecoder(parse_float=_finite, parse_constant=_finite)


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
