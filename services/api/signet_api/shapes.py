"""Copy fields of the same name between requests, domain values and answers.

The type checker does not compare these fields; a missing one raises at the first use, in the test of its route.
"""

import dataclasses
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar, cast, get_args, get_type_hints

from pydantic import BaseModel

Shape = TypeVar("Shape")
Value = TypeVar("Value")

_UPPER = re.compile(r"[A-Z]")


def as_wire(kind: type[Shape], one: object, /, **others: object) -> Shape:
    """Return an answer from a row or value; the field `pinnedAt` reads `pinned_at` or `pinnedAt`.

    `others` override or add fields. Optional fields are omitted if missing or an empty tuple, and if None unless
    nullable. Raises AttributeError for a missing required field.
    """
    given = {**_named(one), **others}
    found: dict[str, Any] = {}
    for name, own, is_optional, is_nullable in _fields(cast("Any", kind)):
        place = name if name in given else own
        value = given[place] if place in given else None if is_optional else getattr(one, own)
        is_empty = value == () if isinstance(value, tuple) else value is None
        if not is_optional or (place in given and not (is_empty and not is_nullable)):
            found[name] = value
    return cast("Shape", found)


def filled(kind: Callable[..., Value], sent: BaseModel, /, **others: object) -> Value:
    """Return a value with the request's fields of the same names; `others` override or add."""
    given = {name: getattr(sent, name) for name in _shared(kind, type(sent))}
    return kind(**{**given, **others})


@cache
def _shared(kind: Any, model: type[BaseModel]) -> frozenset[str]:
    return frozenset(model.model_fields).intersection(f.name for f in dataclasses.fields(kind))


def _named(one: Any) -> Mapping[str, object]:
    if hasattr(one, "keys"):  # a mapping, or a row of either engine
        return dict(one)
    if isinstance(one, tuple):
        return cast("Mapping[str, object]", one._asdict())  # type: ignore[attr-defined]
    return {field.name: getattr(one, field.name) for field in dataclasses.fields(one)}


@cache
def _fields(kind: Any) -> tuple[tuple[str, str, bool, bool], ...]:
    """Return for each field of an answer: name, name in Python, whether it is optional, whether it is nullable."""
    hints = get_type_hints(kind)
    return tuple(
        (
            name,
            _UPPER.sub(lambda found: f"_{found[0].lower()}", name),
            name in kind.__optional_keys__,
            type(None) in get_args(hint),
        )
        for name, hint in hints.items()
    )
