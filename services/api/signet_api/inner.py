"""Send a request to the application from inside, through all layers but without a socket."""

import asyncio
import json
from collections.abc import Mapping
from urllib.parse import unquote

from fastapi import Request
from starlette.types import ASGIApp, Message

from signet_api import connections

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
