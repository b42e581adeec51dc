"""The tools for agents, from `tools.toml`: their descriptions for a model, and the HTTP request of a call. Pure."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from functools import partial
from typing import Any
from urllib.parse import quote, urlencode

from signet import resources
from signet.errors import Invalid
from signet.mcp import answers
from signet.mcp.answers import Shape
from signet.text import json_text

# Arguments of tools: their JSON Schema for the model, and their validation. Pure.


class ArgumentKind(StrEnum):
    """A type of JSON Schema."""

    TEXT = "string"
    NUMBER = "number"
    BOOL = "boolean"
    TEXTS = "array"
    MAP = "object"


_TYPES: Mapping[ArgumentKind, type | tuple[type, ...]] = {
    ArgumentKind.TEXT: str,
    ArgumentKind.NUMBER: (int, float),
    ArgumentKind.BOOL: bool,
    ArgumentKind.TEXTS: list,
    ArgumentKind.MAP: dict,
}


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a tool.

    `to` is its name in the route's request, if different. `values` is the value type of a map or an array; `least`
    and `most` bound a number. An argument that is not `listed` is accepted but not described, because a description
    takes space in every session and few calls need it.
    """

    kind: ArgumentKind
    name: str
    text: str
    _: KW_ONLY
    to: str = ""
    required: bool = False
    default: object = None
    least: float | None = None
    most: float | None = None
    among: tuple[str, ...] = ()
    values: ArgumentKind = ArgumentKind.TEXT
    listed: bool = True
    #: A text that may be sent as a list of texts, too.
    may_be_list: bool = False


def schema(arguments: Sequence[Argument]) -> dict[str, object]:
    listed = [argument for argument in arguments if argument.listed]
    required = [argument.name for argument in listed if argument.required]
    return {
        "type": "object",
        "properties": {argument.name: _described(argument) for argument in listed},
        **({"required": required} if required else {}),
    }


def checked(arguments: Sequence[Argument], given: object) -> dict[str, object]:
    """Return the arguments by the names of the route's request; raises Invalid with a text that a model can act on.

    Null counts as missing, because models write it for omitted arguments. So does an empty text, unless the argument
    is free text or a list.
    """
    given = {} if given is None else given
    if not isinstance(given, dict):
        raise Invalid("arguments must be an object")
    known = {argument.name: argument for argument in arguments}
    for name in given:
        if name not in known:
            raise Invalid(
                f"unknown argument '{name}'; known arguments: {', '.join(known) or 'none'}"
            )
    found = {}
    for name, argument in known.items():
        value = given.get(name)
        if argument.among or argument.kind not in (ArgumentKind.TEXT, ArgumentKind.TEXTS):
            value = None if isinstance(value, str) and not value.strip() else value
        if value is not None:
            found[argument.to or name] = _fitting(argument, value)
        elif argument.required:
            raise Invalid(f"{name} is required")
    return found


def _described(argument: Argument) -> dict[str, object]:
    more: dict[str, object] = {
        "enum": list(argument.among) or None,
        "default": argument.default,
    }
    if argument.kind is ArgumentKind.TEXTS:
        more["items"] = {"type": argument.values}
    elif argument.kind is ArgumentKind.MAP:
        more["additionalProperties"] = {"type": argument.values}
    described = {"type": argument.kind, "description": argument.text}
    return described | {key: value for key, value in more.items() if value is not None}


def _fitting(argument: Argument, value: object) -> object:
    name = argument.name
    is_list = argument.may_be_list and isinstance(value, list)
    value = _of(ArgumentKind.TEXTS if is_list else argument.kind, name, value)
    if argument.among and value not in argument.among:
        raise Invalid(f"{name} must be one of: {', '.join(argument.among)}")
    if isinstance(value, int | float) and not _within(argument, value):
        raise Invalid(f"{name} must be between {argument.least} and {argument.most}")
    held = partial(_of, argument.values, f"a value of {name}")
    if isinstance(value, dict):
        return {key: held(one) for key, one in value.items()}
    return [held(one) for one in value] if isinstance(value, list) else value


def _of(kind: ArgumentKind, name: str, value: object) -> object:
    found = _read(kind, value)
    if not _is(kind, found):
        raise Invalid(f"{name} must be of type {kind}, not {json.dumps(value):.40}")
    return found


def _read(kind: ArgumentKind, value: object) -> object:
    """Return the value in this kind where a client wrote another that means it: "5", 1 for true, 7 for "7"."""
    if kind is ArgumentKind.TEXT and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if kind is ArgumentKind.BOOL and value in (0, 1, "0", "1"):
        return value in (1, "1")
    if not isinstance(value, str) or kind is ArgumentKind.TEXT:
        return value
    text = value.strip().lower() if kind is ArgumentKind.BOOL else value
    found = json_text.value(f"0{text.strip()}" if text.strip().startswith(".") else text)
    if kind is ArgumentKind.TEXTS and not isinstance(found, list):
        return [one.strip() for one in value.split(",") if one.strip()]
    return value if found is None or not _is(kind, found) else found


def _is(kind: ArgumentKind, value: object) -> bool:
    return isinstance(value, _TYPES[kind]) and (
        kind is ArgumentKind.BOOL or not isinstance(value, bool)
    )


def _within(argument: Argument, value: float) -> bool:
    least, most = argument.least, argument.most
    return (least is None or least <= value) and (most is None or value <= most)


#: Time limit of a tool in seconds (MC-13).
SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRequest:
    """One request to the HTTP interface; `path` includes the query, `body` is JSON or empty.

    `failed` starts the text of a failure.
    """

    method: str
    path: str
    body: bytes
    failed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool; `{name}` in its path is replaced by the argument of that name.

    `failed` starts the text of a failure. `reads_only` tells a harness that the tool changes nothing. `shape`
    converts the route's answer for the model.
    """

    name: str
    text: str
    arguments: tuple[Argument, ...]
    method: str
    path: str
    failed: str
    reads_only: bool = True
    #: Adds something and changes or removes nothing; Codex then asks for no approval.
    adds_only: bool = False
    #: Claude Code lists it from the start instead of only after a search for tools.
    is_eager: bool = False
    seconds: float = SECONDS
    shape: Shape = answers.usual

    @property
    def described(self) -> dict[str, object]:
        """Return the tool's entry in `tools/list`."""
        described: dict[str, object] = {
            "name": self.name,
            "description": self.text,
            "inputSchema": schema(self.arguments),
        }
        # False is the protocol's default for a missing hint, except for those of `adds_only`.
        if self.reads_only:
            described["annotations"] = {"readOnlyHint": True}
        elif self.adds_only:
            described["annotations"] = {"destructiveHint": False, "openWorldHint": False}
        if self.is_eager:
            described["_meta"] = {"anthropic/alwaysLoad": True}
        return described

    def operation(self, given: object) -> ToolRequest:
        """Return the request of a call; raises Invalid for wrong arguments."""
        values = checked(self.arguments, given)
        if self.name == "secret_exec" and not values["secrets"]:
            raise Invalid("secrets map must contain at least one entry")
        if self.name == "memory_feedback" and not values["feedback"]:
            raise Invalid("ratings must contain at least one entry")
        path = self.path
        for name in [name for name in values if f"{{{name}}}" in path]:
            path = path.replace(f"{{{name}}}", _quoted(values.pop(name)))
        if self.method in ("GET", "DELETE"):
            queried = {name: _queried(value) for name, value in values.items()}
            query = urlencode(queried, errors="replace")
            path, body = f"{path}?{query}" if query else path, b""
        else:
            body = json.dumps(values).encode()
        return ToolRequest(method=self.method, path=path, body=body, failed=self.failed)


def _quoted(value: object) -> str:
    """Encode a value as one path segment; a lone surrogate becomes a question mark."""
    return quote(str(value), safe="", errors="replace")


def _queried(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _tool(name: str, row: dict[str, Any]) -> Tool:
    """Return the tool of a row of the table."""
    row["shape"] = getattr(answers, row.get("shape", "usual"))
    row["arguments"] = tuple(_argument(name, one) for name, one in row.get("arguments", {}).items())
    return Tool(name=name, **row)


def _argument(name: str, row: dict[str, Any]) -> Argument:
    kind, values = (ArgumentKind(row.pop(key, "string")) for key in ("kind", "values"))
    return Argument(kind, name, among=tuple(row.pop("among", ())), values=values, **row)


#: All tools, in list order.
TOOLS: Mapping[str, Tool] = {
    name: _tool(name, row) for name, row in resources.table(__file__).items()
}
