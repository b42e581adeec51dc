"""The Model Context Protocol over HTTP, stateless: every message is complete in itself and answered at once.

The session id that a client gets when it introduces itself holds nothing but its name, so that later messages say who
stores something. Nothing is kept for it, and no message needs one.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote

from fastapi import Request, Response
from fastapi.responses import JSONResponse

from signet import clock, ids
from signet.errors import TooLarge
from signet.mcp import protocol, servers
from signet.mcp.protocol import Call, Listing, Reply
from signet.mcp.tool import SECONDS, Operation
from signet.wire import mcp as wire
from signet.wire.done import Done
from signet_api.bodies import parse
from signet_api.deps import Shared, State, said
from signet_api.errors import answer
from signet_api.following import polled
from signet_api.inner import ask
from signet_api.serving import serves
from signet_api.stream import EventStream, message

#: How often the list is read anyway, because a server may have other tools (MC-32).
REFRESH_SECONDS = 15.0

_CHANGED = message(protocol.CHANGED, event="message")


@dataclass(slots=True)
class ToolFollower:
    """One client of the stream; `read` returns its list of tools."""

    state: State
    read: Callable[[], Awaitable[object]]
    _known: object = None
    _changes: int = field(init=False)
    _read_again_ms: float = 0.0

    def __post_init__(self) -> None:
        """Note where the client joins: what changes before the first look is told, too."""
        self._changes = self.state.routed.changes

    async def look(self) -> bytes:
        """Return the notice of a change when there was one since the last look."""
        changes = self.state.routed.changes
        if changes == self._changes and clock.monotonic_ms() < self._read_again_ms:
            return b""
        before, self._known = self._known, await self.read()
        is_other = before != self._known
        if before is None:
            is_other = self.state.routed.changes != self._changes
        self._changes = changes
        self._read_again_ms = clock.monotonic_ms() + REFRESH_SECONDS * 1e3
        return _CHANGED if is_other else b""


#: Largest body of a message (MC-5).
MAX_BYTES = 10 * 1024 * 1024
#: Most messages of a batch: each may have a long answer, and nobody had to show a token for them yet.
MAX_MESSAGES = 100
#: How often the stream looks whether a person has changed something about a tool server.
LOOK_SECONDS = 0.5

#: Who history says it was (MC-10); a token knows better.
_HEADERS = {
    b"x-signet-runtime-path": b"plugin",
    b"x-signet-actor": b"mcp-server",
    b"x-signet-actor-type": b"harness",
}
#: What the address may say of where a request comes from; it wins over the header.
_CONTEXT = {
    "agent_id": b"x-signet-agent-id",
    "project": b"x-signet-project",
    "harness": b"x-signet-harness",
    "workspace": b"x-signet-workspace",
    "channel": b"x-signet-channel",
}

SESSION = "mcp-session-id"

_MESSAGE: dict[str, Any] = {"type": "object"}
_ONE_OR_MORE = {"anyOf": [_MESSAGE, {"type": "array", "items": _MESSAGE}]}
#: What the description of the interface says of messages and answers: JSON-RPC, its errors too.
_MESSAGES: dict[str, Any] = {
    "requestBody": {"content": {"application/json": {"schema": _ONE_OR_MORE}}},
    "responses": {
        "202": {"description": "Nothing waits for an answer"},
        "400": {"description": "An error of JSON-RPC"},
    },
}


@serves(wire.SEND_MCP, description=_MESSAGES)
async def post_mcp(request: Request) -> Response:
    """Answer one JSON-RPC message, or a list of them; 202 when none of them waits for an answer."""
    if not _is_json(request.scope.get("signet.content_type", b"").decode("latin-1")):
        return answer(415, "Content-Type must be application/json", "unsupported_media_type")
    if not _takes(request, "application/json"):
        return answer(406, "Accept must allow application/json", "not_acceptable")
    raw = await request.body()
    if len(raw) > MAX_BYTES:
        raise TooLarge(f"A message may have {MAX_BYTES} bytes")
    try:
        sent = parse(raw)
    except json.JSONDecodeError:
        return JSONResponse(protocol.error(None, protocol.PARSE_ERROR, "Parse error"), 400)
    if not isinstance(sent, list):
        reply = await _answer(request, sent)
        if reply is None:
            return Response(status_code=202)
        client = protocol.client_of(sent)
        session = {SESSION: f"{quote(client, safe='')}.{ids.new_id()}"} if client else None
        return JSONResponse(reply, 400 if _is_invalid(reply) else 200, session)
    if not sent:
        empty = protocol.error(None, protocol.INVALID_REQUEST, "Invalid Request")
        return JSONResponse(empty, 400)
    if len(sent) > MAX_MESSAGES:
        raise TooLarge(f"A batch may have {MAX_MESSAGES} messages")
    replies = await asyncio.gather(*(_answer(request, message) for message in sent))
    waited = [reply for reply in replies if reply is not None]
    return JSONResponse(waited) if waited else Response(status_code=202)


@serves(wire.FOLLOW_MCP)
async def get_mcp(request: Request, state: Shared) -> Response:
    """Tell a client when its list of tools has changed, as long as it listens; 405 when too many listen already."""
    if not _takes(request, "text/event-stream"):
        return answer(406, "Accept must allow text/event-stream", "not_acceptable")
    if state.tool_listeners.is_full:
        allow = {"allow": "POST, DELETE"}
        return answer(405, "Method not allowed", "method_not_allowed", headers=allow)

    async def tools() -> object:
        return (await _list(request, Listing(None)))["result"]

    state.tool_listeners.join()
    more = polled(state, ToolFollower(state, tools).look, LOOK_SECONDS)
    return EventStream(b": listening\n\n", more, state.tool_listeners.leave)


@serves(wire.END_MCP)
async def delete_mcp() -> Done:
    """End a session; there is none to end."""
    return {"success": True}


async def _answer(request: Request, message: object) -> Reply | None:
    read = protocol.read(message)
    if isinstance(read, Listing):
        return await _list(request, read)
    return await _run(request, read) if isinstance(read, Call) else read


async def _run(request: Request, call: Call) -> Reply:
    try:
        if call.short_id:
            found = protocol.resolved(call, *await _asked(request, call.lookup, call.seconds))
            if not isinstance(found, Call):
                return found
            call = found
        status, body = await _asked(request, call.operation, call.seconds)
    except TimeoutError:
        return protocol.failure(call, f"no answer within {call.seconds:.0f} s")
    project = _context(request).get(b"x-signet-project", b"").decode()
    return protocol.result(call, status, body, project=project)


async def _list(request: Request, listing: Listing) -> Reply:
    """Return our tools and those of other servers, which nothing but a refusal or their slowness leaves out."""
    try:
        status, body = await _asked(request, servers.EXPOSED, SECONDS)
    except TimeoutError:
        return protocol.listed(listing)
    return protocol.listed(listing, body if status == 200 else None)


async def _asked(request: Request, wanted: Operation, seconds: float) -> tuple[int, object]:
    """Return what our own interface answers to a request from where this one comes from (MC-6)."""
    headers = _HEADERS | _context(request)
    asking = ask(request.app.state.entry, request, wanted.method, wanted.path, wanted.body, headers)
    return await asyncio.wait_for(asking, seconds)


def _context(request: Request) -> dict[bytes, bytes]:
    """Return the headers that say where a request comes from: as its address says it, else its own headers.

    The harness is the name that the client introduced itself by when neither names one.
    """
    found = {
        header: value
        for name, header in _CONTEXT.items()
        if (value := request.query_params.get(name) or said(request.headers, header.decode()))
    }
    client = protocol.client_name(unquote(request.headers.get(SESSION, "").rpartition(".")[0]))
    if client:
        found.setdefault(b"x-signet-harness", client)
    return {header: value.encode() for header, value in found.items()}


def _is_json(content_type: str) -> bool:
    return content_type.partition(";")[0].strip().lower() == "application/json"


def _takes(request: Request, media_type: str) -> bool:
    accepted = request.headers.get("accept", "*/*")
    kinds = {part.partition(";")[0].strip().lower() for part in accepted.split(",")}
    return bool(kinds & {media_type, media_type.partition("/")[0] + "/*", "*/*"})


def _is_invalid(reply: Reply) -> bool:
    found = reply.get("error")
    return isinstance(found, dict) and found["code"] == protocol.INVALID_REQUEST
