"""The Model Context Protocol over HTTP; each tool has its caller's permissions."""

from typing import Any, NotRequired, TypedDict

from signet.wire import access
from signet.wire.done import Done
from signet.wire.operation import Operation, delete, post


class RpcReply(TypedDict):
    """A reply of JSON-RPC 2.0: a result or an error."""

    jsonrpc: str
    id: str | float | None
    result: NotRequired[dict[str, Any]]
    error: NotRequired[dict[str, Any]]


SEND_MCP: Operation[RpcReply | list[RpcReply]] = post(
    "/mcp", access.OPEN, (RpcReply, list[RpcReply])
)
END_MCP = delete("/mcp", access.OPEN, Done)
