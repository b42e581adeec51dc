"""Parse JSON in text columns, without ever raising: rows of older files may hold anything. Parts of rows."""

import json
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from signet.text import json_text

D = TypeVar("D", bound=Mapping[str, object])


def json_value(stored: str | None) -> Any:
    """Return the value, or None without valid JSON."""
    return json_text.value(stored) if stored else None


def json_object(stored: str | None) -> dict[str, Any]:
    """Return the object, by default an empty one."""
    found = json_value(stored)
    return found if isinstance(found, dict) else {}


def json_strings(stored: str | None) -> tuple[str, ...]:
    """Return the strings of an array, none for any other value."""
    found = json_value(stored)
    return tuple(one for one in found if isinstance(one, str)) if isinstance(found, list) else ()


def json_or_text(stored: str | None) -> Any:
    """Return the value, or the text itself if it is not JSON."""
    try:
        return None if stored is None else json.loads(stored)
    except (ValueError, RecursionError):
        return stored


def object_or_text(stored: str | None) -> dict[str, Any] | str | None:
    """Return the object, or the text itself for any other value."""
    found = json_value(stored)
    return found if isinstance(found, dict) else stored


def part(shape: type[D], row: Mapping[str, object]) -> D:
    """Return the fields of a row that a smaller typed dictionary declares."""
    return cast("D", {key: row[key] for key in shape.__annotations__})
