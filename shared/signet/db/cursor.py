"""Cursors of pages: opaque text for clients, the sort values for us."""

import base64
import json
from collections.abc import Callable, Sequence
from typing import TypeVar

from signet.errors import Invalid

Value = str | int | float
Item = TypeVar("Item")


class BadCursor(Invalid):
    """The cursor does not come from a page."""


def write(values: Sequence[object]) -> str | None:
    """Encode values as a cursor; None if one is neither text nor number, as in a row of another program."""
    if not all(isinstance(value, Value) for value in values):
        return None
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def cut(
    found: Sequence[Item], limit: int, place: Callable[[Item], Sequence[object]]
) -> tuple[list[Item], str | None]:
    """Return the first `limit` of the found items, and the cursor after them if there are more."""
    some = list(found[:limit])
    return some, write(place(some[-1])) if len(found) > limit else None


def read(text: str, *kinds: type[Value] | None) -> list[Value]:
    """Decode a cursor; raises BadCursor unless each value is of its kind, None for any."""
    try:
        found = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (ValueError, RecursionError) as error:
        raise BadCursor from error
    if not isinstance(found, list) or len(found) != len(kinds):
        raise BadCursor
    for value, kind in zip(found, kinds, strict=True):
        is_value = isinstance(value, kind or Value)
        if not is_value or (isinstance(value, int) and abs(value) >= 2**63):
            raise BadCursor
    return [
        one.encode("utf-8", "ignore").decode() if isinstance(one, str) else one for one in found
    ]
