"""The OpenAPI description: request models from handlers, answers from the declared operations.

Answers are added when the description is first requested; their models would add 0.1 s to every start.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from types import NoneType, UnionType
from typing import Any, Literal, NotRequired, Required, Union, get_args, get_origin, get_type_hints

import typing_extensions
from fastapi import FastAPI
from pydantic import TypeAdapter

from signet.wire import operations
from signet.wire.errors import ErrorBody
from signet.wire.operation import JSON, Operation

_REF = "#/components/schemas/{model}"
#: The description of an answer without an error.
SUCCESS = "Success"
_ERRORS = {"4XX": "The request was refused", "5XX": "The request could not be served"}
#: The error answers of every route.
RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {
        "description": text,
        "content": {JSON: {"schema": {"$ref": _REF.format(model=ErrorBody.__name__)}}},
    }
    for status, text in _ERRORS.items()
}


class Described(FastAPI):
    """An application whose description includes the declared answers."""

    def openapi(self) -> dict[str, Any]:
        """Return the description, with the families of routes in the order of `sections.toml`."""
        found = super().openapi()
        if ErrorBody.__name__ not in found["components"]["schemas"]:
            _arrange(found)
            _describe(found, "fields.toml")
            _add_replies(found, operations.BY_ID.values())
            _describe(found, "answers.toml")
            _add_examples(found)
        return found


@cache
def sections() -> dict[str, Any]:
    """Return the pages with their families of routes, and what is true of all routes."""
    return _table("sections.toml")


def _arrange(description: dict[str, Any]) -> None:
    """Order the routes by family, those with examples first, and add the texts about all of them."""
    pages = sections()["pages"].values()
    titles = {name: title for page in pages for name, title in page["families"].items()}
    families, shown = list(titles), [one["route"].split(" ")[1] for one in _examples()]

    def place(item: tuple[str, dict[str, Any]]) -> tuple[int, int, str]:
        path, methods = item
        family = next(iter(methods.values()))["tags"][0]
        return families.index(family), (*shown, path).index(path), path

    description["paths"] = dict(sorted(description["paths"].items(), key=place))
    description["tags"] = [
        {"name": name, "description": title, "x-displayName": title}
        for name, title in titles.items()
    ]
    description["info"]["description"] = sections()["conventions"].strip()
    scheme = {"type": "http", "scheme": "bearer", "description": sections()["key"]}
    description["components"]["securitySchemes"] = {"key": scheme}
    description["security"] = [{}, {"key": []}]
    for methods in description["paths"].values():
        for one in methods.values():
            text = " ".join(one["description"].split())
            one["summary"] = re.split(r"(?<=\.)\s", text, maxsplit=1)[0].removesuffix(".")


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads(files("signet_api").joinpath(name).read_text("utf-8"))


def _examples() -> list[Any]:
    found: list[Any] = json.loads(files("signet_api").joinpath("examples.json").read_text("utf-8"))
    return found


def _describe(description: dict[str, Any], name: str) -> None:
    """Add the meanings of fields that a file has, to fields without one."""
    texts = _table(name)

    def meaning(name: str, section: str) -> str | None:
        own: Mapping[str, str] = texts.get(section, {})
        if name in own or section == "fields":
            return own.get(name)
        return meaning(name, own.get("like", "fields"))

    def add(name: str, field: dict[str, Any], section: str) -> None:
        if text := meaning(re.sub("(?<=[a-z])[A-Z]", r"_\g<0>", name).lower(), section):
            field.setdefault("description", text)

    for path, methods in description["paths"].items():
        for method, one in methods.items():
            section = f"{method.upper()} {path}"
            for field in one.get("parameters", ()):
                add(field["name"], field, section)
            for kind in one.get("requestBody", {}).get("content", {}).values():
                for name, field in kind["schema"].get("properties", {}).items():
                    add(name, field, section)
    for model, schema in description["components"]["schemas"].items():
        for name, field in schema.get("properties", {}).items():
            add(name, field, model)


def _add_replies(description: dict[str, Any], served: Iterable[Operation[Any]]) -> None:
    kinds = {ErrorBody, *(kind for one in served for kind in one.replies)}
    schemas, named = TypeAdapter.json_schemas(
        [(kind, "serialization", TypeAdapter(readable(kind))) for kind in kinds], ref_template=_REF
    )
    description["components"]["schemas"] |= named.get("$defs", {})
    for one in served:
        responses = description["paths"].get(one.path, {}).get(one.method.lower())
        if responses is not None:
            possible = [schemas[kind, "serialization"] for kind in one.replies]
            schema = possible[0] if len(possible) == 1 else {"anyOf": possible}
            content = {one.media_type: {"schema": schema}}
            for status in (one.status, *one.also):
                said = {"description": SUCCESS}
                responses["responses"].setdefault(str(status), said)["content"] = content


def _add_examples(description: dict[str, Any]) -> None:
    """Add the recorded requests and answers; the first of an operation counts."""
    for one in _examples():
        method, path = one["route"].split(" ")
        route = description["paths"][path][method.lower()]
        parts = route["responses"] | {"sent": route.get("requestBody", {})}
        for name, said in (("sent", one.get("body")), (str(one["status"]), one["answer"])):
            if said is not None and JSON in parts.get(name, {}).get("content", {}):
                parts[name]["content"][JSON].setdefault("example", said)


@cache
def readable(kind: Any) -> Any:
    """Return a type that pydantic can read: before Python 3.12 it refuses the standard library's TypedDict."""
    if typing_extensions.is_typeddict(kind):
        return _typed_dict(kind)
    origin, parts = get_origin(kind), get_args(kind)
    if not parts or origin is Literal:
        return kind
    if origin in (Required, NotRequired):
        return readable(parts[0])
    known = tuple(part if part is NoneType or part is ... else readable(part) for part in parts)
    return (Union if origin is UnionType else origin)[known]


def _typed_dict(kind: Any) -> Any:
    hints: Mapping[str, Any] = get_type_hints(kind, include_extras=True)
    fields = {
        name: readable(hint) if name in kind.__required_keys__ else NotRequired[readable(hint)]
        for name, hint in hints.items()
    }
    made: Any = typing_extensions.TypedDict(kind.__name__, fields)  # type: ignore[misc]  # not literal
    made.__doc__ = kind.__doc__
    return made
