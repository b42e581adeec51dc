"""Add an `ETag` to JSON answers to GET, and answer 304 if the client already has the content.

The tag is a hash of the body, so routes need no support for it. It saves transfer and parsing, not the query.
"""

import hashlib

from starlette.types import Message, Send

_JSON = b"application/json"
_TAG_BYTES = 12


def tagging(method: str, asked: bytes, send: Send) -> Send:
    """Return a `send` that adds the tag; `asked` is the request's If-None-Match."""
    if method != "GET":
        return send
    held: Message | None = None

    async def tagged(message: Message) -> None:
        nonlocal held
        if message["type"] == "http.response.start" and _may_tag(message):
            held = message
            return
        if held is not None:
            start, held = held, None
            if not message.get("more_body"):
                start, message = _tagged(start, message, asked)
            await send(start)
        await send(message)

    return tagged


def _may_tag(start: Message) -> bool:
    headers = dict(start.get("headers", ()))
    return start["status"] == 200 and headers.get(b"content-type") == _JSON


def _tagged(start: Message, body: Message, asked: bytes) -> tuple[Message, Message]:
    digest = hashlib.blake2b(body.get("body", b""), digest_size=_TAG_BYTES).hexdigest()
    tag = f'"{digest}"'.encode()
    headers = [*start["headers"], (b"etag", tag)]
    if tag not in (one.strip().removeprefix(b"W/") for one in asked.split(b",")):
        return {**start, "headers": headers}, body
    kept = [pair for pair in headers if pair[0] not in (b"content-length", b"content-type")]
    return {**start, "status": 304, "headers": kept}, {**body, "body": b""}
