"""The tools for agents, from `tools.toml`: their descriptions for a model, and the HTTP request of a call. Pure."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from signet import resources
from signet.errors import Invalid
from signet.mcp import answers
from signet.mcp.answers import Shape
from signet.mcp.arguments import Argument, ArgumentKind, checked, schema

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
