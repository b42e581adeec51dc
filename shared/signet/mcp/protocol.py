"""JSON-RPC as the Model Context Protocol uses it: from a message to what is to be done, and from a result to a reply.

Stateless: no message needs an earlier one. Pure: whoever has the wire also calls the route behind a tool.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from signet import __version__
from signet.errors import Invalid
from signet.mcp import servers
from signet.mcp.tool import Operation
from signet.mcp.tools import TOOLS

#: Versions of the protocol, newest first; the newest is the answer to one that is not known.
VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602

Reply = dict[str, object]


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that is to be run: send `operation`, and give what comes back to `result`.

    `is_routed` when it is a tool of another server, whose result is passed on as it is.
    """

    id: object
    operation: Operation
    seconds: float
    is_routed: bool = False

    @property
    def changes_tools(self) -> bool:
        """Return whether other tools may be listed after the call."""
        return not self.is_routed and servers.is_about_servers(self.operation)


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of tools that is asked for: send `servers.EXPOSED`, and give what comes back to `listed`."""

    id: object


def read(message: object) -> Reply | Call | Listing | None:
    """Return the reply to a message, what is to be asked for it, or None when nobody waits for an answer."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return error(None, INVALID_REQUEST, "Invalid Request")
    id_, method = message.get("id"), message.get("method")
    if method is None and ("result" in message or "error" in message):
        return None
    if not isinstance(method, str) or not _is_id(id_):
        return error(None, INVALID_REQUEST, "Invalid Request")
    if "id" not in message:
        return None
    params = message.get("params") or {}
    if not isinstance(params, dict):
        return error(id_, INVALID_PARAMS, "params must be an object")
    if method == "tools/call":
        return _call(id_, params)
    if method == "initialize":
        return _reply(id_, _hello(params))
    if method == "ping":
        return _reply(id_, {})
    if method == "tools/list":
        return Listing(id_)
    return error(id_, METHOD_NOT_FOUND, f"Method not found: {method}")


def result(call: Call, status: int, body: object) -> Reply:
    """Return the reply for what a route answered: its JSON, or the words of its refusal."""
    if status >= 400:
        why = body.get("error") if isinstance(body, dict) else None
        return failure(call, str(why or f"the daemon answered {status}"))
    given = body.get("result") if isinstance(body, dict) else None
    if call.is_routed and isinstance(given, dict):
        return _reply(call.id, given)
    text = json.dumps(body, indent=2, ensure_ascii=False)
    found: dict[str, object] = {"content": [{"type": "text", "text": text}]}
    if isinstance(body, dict):
        found["structuredContent"] = body
    if isinstance(given, dict) and given.get("isError") is True:
        found["isError"] = True
    return _reply(call.id, found)


def listed(listing: Listing, body: object = None) -> Reply:
    """Return the reply to a list of tools: ours, and then those of other servers in an answer to `servers.EXPOSED`."""
    ours = [tool.described for tool in TOOLS.values()]
    return _reply(listing.id, {"tools": ours + servers.described(body)})


def failure(call: Call, why: str) -> Reply:
    """Return the reply for a tool that did not do its work: a result that the model can read, not an error."""
    return _failed(call.id, call.operation.failed, why)


def error(id_: object, code: int, message: str) -> Reply:
    """Return the reply for a message that is wrong in itself."""
    return {"jsonrpc": "2.0", "id": id_, "error": {"code": code, "message": message}}


def _call(id_: object, params: Mapping[str, object]) -> Reply | Call:
    name, arguments = str(params.get("name")), params.get("arguments")
    tool = TOOLS.get(name)
    if tool is None and servers.is_routed(name):
        called = servers.call_of(name, arguments)
        return Call(id_, called, servers.CALL_SECONDS, is_routed=True)
    if tool is None:
        return error(id_, INVALID_PARAMS, f"Unknown tool: {name}")
    try:
        return Call(id_, tool.operation(arguments), tool.seconds)
    except Invalid as refused:
        return _failed(id_, tool.failed, refused.message)


def _hello(params: Mapping[str, object]) -> dict[str, object]:
    asked = params.get("protocolVersion")
    return {
        "protocolVersion": asked if asked in VERSIONS else VERSIONS[0],
        "capabilities": {"tools": {"listChanged": True}},
        "serverInfo": {"name": "signet", "version": __version__},
    }


def _is_id(id_: object) -> bool:
    return id_ is None or (isinstance(id_, str | int | float) and not isinstance(id_, bool))


def _reply(id_: object, found: Mapping[str, object]) -> Reply:
    return {"jsonrpc": "2.0", "id": id_, "result": dict(found)}


def _failed(id_: object, failed: str, why: str) -> Reply:
    text = f"{failed}: {why}"
    return _reply(id_, {"content": [{"type": "text", "text": text}], "isError": True})
