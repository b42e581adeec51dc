"""Parse foreign JSON leniently or strictly."""

import json
import math
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
