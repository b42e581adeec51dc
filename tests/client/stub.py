"""Write `client/calls.pyi` and `calls.json`, the signatures of the methods: `PYTHONPATH=tests python -m client.stub`.

Names, types and defaults come from the request models of the API, descriptions from its handlers.
"""

import functools
import json
import operator
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import UnionType
from typing import (
    Annotated,
    Any,
    NamedTuple,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import BaseModel, TypeAdapter
from pydantic.fields import FieldInfo

from signet.client import calls, signatures
from signet.client.call import PART
from signet.client.method import Request
from signet.wire.requests.browse import PageParams
from signet.wire.requests.changes import ForgetBody, PatchItem
from signet.wire.requests.model import BY_COMMAS
from signet_api.routes import ROUTER

STUB = Path(calls.__file__).with_name("calls.pyi")
PARAMETERS = STUB.with_suffix(".json")
_PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_HEAD = '''"""Signatures of `calls.py`. Written by `PYTHONPATH=tests python -m client.stub`; not to be edited."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from signet.client.call import Call
from signet.client.method import method
{imports}
{shapes}
class Calls:
    """All requests of both clients."""
'''


#: Fields for other clients: the actor of a change, older spellings, and the report of a hook.
_HIDDEN = tuple(
    "changed_by cwd memory_feedback needs_context pin_type repository session_id transcript_path trigger user_prompt"
    " weight_override".split()
)


#: Exported types of arguments, from the fields of request models except some.
_SHAPES: dict[str, tuple[type[BaseModel], str]] = {
    "Patch": (PatchItem, "agent_id session_key changed_by"),
    "Choice": (ForgetBody, "mode reason force wrong confirm_token session_key changed_by"),
    "MemoryFilter": (PageParams, "limit offset cursor before sort order stats total facets"),
}


class Field(NamedTuple):
    """One argument of a method: its type, and its default as Python text (empty: required)."""

    name: str
    type: str
    default: str = ""

    def __str__(self) -> str:
        return f"{self.name}: {self.type}{f' = {self.default}' if self.default else ''}"


def source() -> str:
    """Return the stub."""
    methods = {name: one for name, one in vars(calls.Calls).items() if isinstance(one, Request)}
    body = "".join(map(_method, methods.values()))
    shapes = "".join(_shape(name, model, hides) for name, (model, hides) in _SHAPES.items())
    kinds = {kind for one in methods.values() for kind in _answers(one) if is_typeddict(kind)}
    imports = [f"from {kind.__module__} import {kind.__name__}" for kind in kinds]
    head = _HEAD.format(imports="\n".join(imports), shapes=shapes)
    text = _ruff(head + body, "check", "--fix", "--select=I")
    return _ruff(text, "format")


def _ruff(text: str, *command: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(STUB), "-"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def _method(one: Request) -> str:
    route = next(
        route
        for route in ROUTER.routes
        if isinstance(route, APIRoute)
        and route.path == one.operation.path
        and one.operation.method in (route.methods or ())
    )
    positional, keywords = _arguments(one, route)
    given = ["self", *map(str, positional), *(["*"] if keywords else []), *map(str, keywords)]
    text = textwrap.indent((one.doc or route.description or "").strip(), " " * 8).strip()
    text += "\n        " if "\n" in text else ""
    return (
        f"\n    @method\n    def {one.name}(\n        {', '.join(given)}\n    ) -> Call[{_name(_answer(one))}]:\n"
        f'        """{text}"""\n'
    )


def _arguments(one: Request, route: APIRoute) -> tuple[list[Field], list[Field]]:
    """Return the positional and the keyword arguments of a method."""
    parts = PART.findall(one.operation.path)
    fields = dict(_fields(route.dependant))
    renamed = {field: argument for argument, field in one.names.items()}
    places = [name.rstrip("?") for name in one.positional]
    first = [*(part for part in parts if part not in places), *places]
    left_out = {*one.hides, *one.fixed, *one.names, *_HIDDEN} - renamed.keys()
    names: list[str] = [renamed.get(name, name) for name in fields if name not in left_out]
    wanted = [*names] if one.only is None else [*one.only, *one.needs]
    names = [name for name in names if name in wanted and name not in first]

    def argument(name: str) -> Field:
        kind, default = ("str", "") if name in parts else fields[one.names.get(name, name)]
        if name in (*first, *one.needs):
            is_optional = f"{name}?" in one.positional
            kind, default = (kind, "None") if is_optional else (kind.removesuffix(" | None"), "")
        if name in one.defaults:
            kind, default = kind.removesuffix(" | None"), repr(one.defaults[name])
        return Field(name, kind, default)

    extra = [Field(name, *text.split(" = ")) for name, text in one.extra.items()]
    return [argument(name) for name in first], [*map(argument, names), *extra]


def _fields(dependant: Dependant) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield name, type and default of each query parameter and body field of a route."""
    for field in (*dependant.body_params, *dependant.query_params):
        kind = field.field_info.annotation
        models = [
            one
            for one in (kind, *get_args(kind))
            if isinstance(one, type) and issubclass(one, BaseModel)
        ]
        yield from _model_fields(
            models[0].model_fields if models else {field.alias: field.field_info}
        )
    for below in dependant.dependencies:
        yield from _fields(below)


def _model_fields(infos: Mapping[str, FieldInfo]) -> Iterator[tuple[str, tuple[str, str]]]:
    for name, info in infos.items():
        whole = Annotated[info.annotation, *info.metadata] if info.metadata else info.annotation
        yield name, _typed(whole, info)


def _shape(name: str, model: type[BaseModel], hides: str) -> str:
    """Return a TypedDict with the fields of a request model, except the hidden ones."""
    fields = _model_fields(model.model_fields)
    rows = [f"    {field}: {kind}\n" for field, (kind, _) in fields if field not in hides.split()]
    return f"\nclass {name}(TypedDict, total=False):\n{''.join(rows)}"


def _typed(kind: Any, info: FieldInfo) -> tuple[str, str]:
    """Return the type of a field, and its default for a client, which is sent only where it differs."""
    schema = TypeAdapter(kind).json_schema(mode="validation")
    text = _type(schema, schema.get("$defs", {}))
    if BY_COMMAS in get_args(kind):
        text = "str | Sequence[str]"
    if info.is_required():
        return text, ""
    if info.default is False:
        return text, "False"
    usual = info.default if isinstance(info.default, bool | int | float | str) else None
    return (text if text.endswith("None") else f"{text} | None"), repr(usual or None)


def _type(schema: Mapping[str, Any], named: Mapping[str, Any]) -> str:
    """Return the type of a JSON schema, as Python text."""
    match schema:
        case {"$ref": name}:
            found = named[name.rpartition("/")[2]]
            return "str" if "enum" in found else "Mapping[str, Any]"
        case {"anyOf": several}:
            kinds = dict.fromkeys(_type(one, named) for one in several)
            return " | ".join(sorted(kinds, key="None".__eq__))
        case {"const": value}:
            return f"Literal[{value!r}]"
        case {"enum": values}:
            return f"Literal[{', '.join(map(repr, values))}]"
        case {"type": "array", "items": items}:
            return f"Sequence[{_type(items, named)}]"
        case {"type": "array"}:
            return "Sequence[Any]"
        case {"type": "object", "additionalProperties": {} as values} if values:
            return f"Mapping[str, {_type(values, named)}]"
        case {"type": "object"}:
            return "Mapping[str, Any]"
        case {"type": str() as plain}:
            return _PLAIN[plain]
        case _:
            return "Any"


def _answer(one: Request) -> Any:
    kinds = one.replies if one.pick is None else (get_type_hints(one.replies[0])[one.pick],)
    return functools.reduce(operator.or_, kinds)


def _answers(one: Request) -> Iterator[Any]:
    """Yield the types that a method's answer names."""
    waiting = [_answer(one)]
    while waiting:
        yield (kind := waiting.pop())
        waiting += get_args(kind)


def _name(kind: Any) -> str:
    """Return the name of an answer's type in the stub."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return " | ".join(map(_name, parts))
    if parts:
        return f"{origin.__name__}[{', '.join(map(_name, parts))}]"
    if kind is Any:
        return "Any"
    return str(kind.__name__)


def parameters() -> str:
    """Return the content of `calls.json`, which the methods read."""
    names = (name for name, one in vars(calls.Calls).items() if isinstance(one, Request))
    known = {name: signatures.parameters(name) for name in names}
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(one)}" for name, one in known.items())
    return f"{{\n{rows}\n}}\n"


if __name__ == "__main__":
    STUB.write_text(source(), "utf-8")
    PARAMETERS.write_text(parameters(), "utf-8")
