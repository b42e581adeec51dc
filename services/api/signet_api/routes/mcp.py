"""The Model Context Protocol over HTTP, stateless.

The session ID contains only the client's name, which is recorded with changes. The server keeps no session, and
messages need none.
"""

import asyncio
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote

from fastapi import Request, Response
from fastapi.responses import JSONResponse
from starlette.types import ASGIApp, Message

from signet import ids
from signet.errors import TooLarge
from signet.mcp import protocol
from signet.mcp.protocol import Reply, ToolCall
from signet.mcp.tools import ToolRequest
from signet.wire import mcp as wire
from signet.wire.done import Done
from signet_api import connections
from signet_api.deps import said
from signet_api.errors import answer
from signet_api.serving import parse_json, serves

#: Maximum body (MC-5).
MAX_BYTES = 10 * 1024 * 1024
#: Maximum messages of a batch, because answers may be long and no token has been checked yet.
MAX_MESSAGES = 100

#: The actor for the history (MC-10); a token takes precedence.
_HEADERS = {
    b"x-signet-runtime-path": b"plugin",
    b"x-signet-actor": b"mcp-server",
    b"x-signet-actor-type": b"harness",
}
#: Query parameters that describe the origin of a request; they take precedence over headers.
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
#: OpenAPI description of messages and answers as JSON-RPC.
_MESSAGES: dict[str, Any] = {
    "requestBody": {"content": {"application/json": {"schema": _ONE_OR_MORE}}},
    "responses": {
        "202": {"description": "No message needs an answer"},
        "400": {"description": "An error of JSON-RPC"},
    },
}


@serves(wire.SEND_MCP, description=_MESSAGES, parameters=_CONTEXT)
async def post_mcp(request: Request) -> Response:
    """Answer one JSON-RPC message, or a list of them; 202 if none needs an answer."""
    if not _is_json(request.scope.get("signet.content_type", b"").decode("latin-1")):
        return answer(415, "Content-Type must be application/json", "unsupported_media_type")
    if not _takes(request, "application/json"):
        return answer(406, "Accept must allow application/json", "not_acceptable")
    raw = await request.body()
    if len(raw) > MAX_BYTES:
        raise TooLarge(f"A message may have at most {MAX_BYTES} bytes")
    try:
        sent = parse_json(raw)
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
        raise TooLarge(f"A batch may have at most {MAX_MESSAGES} messages")
    replies = await asyncio.gather(*(_answer(request, message) for message in sent))
    waited = [reply for reply in replies if reply is not None]
    return JSONResponse(waited) if waited else Response(status_code=202)


@serves(wire.END_MCP, parameters=_CONTEXT)
async def delete_mcp() -> Done:
    """End a session; a no-op."""
    return {"success": True}


async def _answer(request: Request, message: object) -> Reply | None:
    read = protocol.read(message)
    return await _run(request, read) if isinstance(read, ToolCall) else read


async def _run(request: Request, call: ToolCall) -> Reply:
    try:
        if call.short_id:
            found = protocol.resolved(call, *await _asked(request, call.lookup, call.seconds))
            if not isinstance(found, ToolCall):
                return found
            call = found
        status, body = await _asked(request, call.operation, call.seconds)
    except TimeoutError:
        return protocol.failure(call, f"no answer within {call.seconds:.0f} s")
    project = _context(request).get(b"x-signet-project", b"").decode()
    return protocol.result(call, status, body, project=project)


async def _asked(request: Request, wanted: ToolRequest, seconds: float) -> tuple[int, object]:
    """Return the API's answer to a request in the name of this request's caller (MC-6)."""
    headers = _HEADERS | _context(request)
    asking = ask(request.app.state.entry, request, wanted.method, wanted.path, wanted.body, headers)
    return await asyncio.wait_for(asking, seconds)


def _context(request: Request) -> dict[bytes, bytes]:
    """Return the headers that describe the origin of a request, from its query parameters or headers.

    Without either, the harness is the client's name.
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


#: Headers that belong only to the outer request.
_OUTER = frozenset(
    {
        b"content-length",
        b"content-type",
        b"transfer-encoding",
        b"accept",
        b"accept-encoding",
        b"x-signet-confirmation",
    }
)


async def ask(
    app: ASGIApp,
    request: Request,
    method: str,
    path: str,
    body: bytes,
    headers: Mapping[bytes, bytes],
) -> tuple[int, object]:
    """Return status and JSON of a request in the name and from the place of `request`'s caller.

    `headers` replace those of the same name. Run it as a separate task, because requests store notes in context
    variables.
    """
    known, _, query = path.partition("?")
    replaced = _OUTER | headers.keys()
    kept = [pair for pair in request.scope["headers"] if pair[0] not in replaced]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": request.scope["scheme"],
        "method": method,
        "path": unquote(known),
        "raw_path": known.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [
            *kept,
            *headers.items(),
            (b"content-length", str(len(body)).encode()),
            (b"content-type", b"application/json"),
        ],
        "client": request.scope.get("client"),
        "server": request.scope.get("server"),
        connections.KEY: request.scope.get(connections.KEY),
    }
    sent = bytearray()
    status = 500
    is_read = False

    async def receive() -> Message:
        nonlocal is_read
        if is_read:
            await asyncio.Future()
        is_read = True
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
        else:
            sent.extend(message.get("body", b""))

    await app(scope, receive, send)
    try:
        return status, json.loads(sent)
    except ValueError:
        return status, sent.decode("utf-8", "replace")
