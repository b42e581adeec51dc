"""Check every request before its route, and add headers to every answer. Pure ASGI, one layer.

Any web page that the user opens can reach a daemon on localhost. So the Host must name this machine (which excludes
domains rebound to 127.0.0.1), and browser.py decides which pages may call. Only pages of trusted origins receive
CORS headers.

Programs may send JSON with any content type; four published clients send none, which the runtime reports as
text/plain.
"""

import hashlib
import re
import time
from functools import lru_cache
from urllib.parse import urlsplit

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.contextvars import bind_contextvars, clear_contextvars, get_contextvars

from signet import ids
from signet.config.env import LOOPBACK, is_loopback
from signet.config.sections import AuthMode
from signet.domain.auth import tokens
from signet_api import browser, connections, segments
from signet_api.deps import State
from signet_api.errors import RETRY_AFTER, answer, body_too_large
from signet_api.measure import answered

_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
#: Unless the answer sets it.
_NO_STORE = (b"cache-control", b"no-store")
_JSON = (b"content-type", b"application/json")

#: Bytes of an `ETag`.
_TAG_BYTES = 12
_METHODS = b"GET, POST, PUT, PATCH, DELETE"
#: Headers that a trusted page may send and read.
_SENT = re.compile(
    rb"accept|authorization|content-type|if-none-match|last-event-id|mcp-[a-z-]+|x-signet-[a-z0-9-]+"
)
_READ = b"etag, retry-after, www-authenticate, x-signet-request-id"
_OTHER_HOST = browser.Refusal("Host is not this machine")
#: Seconds that a browser caches the permission; an origin that is no longer trusted is refused at its next request.
_PERMISSION_SECONDS = b"600"


class Guard:
    """ASGI middleware that guards the app."""

    def __init__(self, app: ASGIApp, state: State, *, most_bytes: int) -> None:
        self._app = app
        self._state = state
        self._most_bytes = most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse foreign requests; pass on and measure others."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        segments.keep(scope)
        started = time.perf_counter()
        headers = dict(scope["headers"])
        request_id = headers.get(b"x-signet-request-id", b"")[:128] or ids.new_ordered_id().encode()
        scope["signet.request_id"] = request_id.decode("utf-8", "replace")
        status = 0
        # A token takes precedence (access.py).
        actor = headers.get(b"x-signet-actor", b"").decode("utf-8", "replace").strip()
        clear_contextvars()
        bind_contextvars(request_id=scope["signet.request_id"])
        if actor:
            bind_contextvars(actor=actor)

        trusted = self._state.settings.auth.trusted_origins
        origin = headers.get(b"origin", b"")
        cors = _permission(origin, headers) if origin.decode("latin-1") in trusted else []

        async def tagged(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                own = list(message.get("headers", ()))
                if all(name != _NO_STORE[0] for name, _ in own):
                    own.append(_NO_STORE)
                if status in (429, 503) and all(name != b"retry-after" for name, _ in own):
                    own.append((b"retry-after", b"%d" % RETRY_AFTER))
                message["headers"] = [*own, *_HEADERS, *cors, (b"x-signet-request-id", request_id)]
            await send(message)

        any_host = self._may_name_any_host(scope, headers)
        page = browser.page_of(
            scope["method"],
            scope["path"],
            headers,
            schemes=("http", "https") if any_host else ("http",),
            trusted=trusted,
        )
        if not (any_host or _is_here(b"//" + headers.get(b"host", b""))):
            page = _OTHER_HOST
        scope[browser.KEY] = page
        if isinstance(page, browser.Refusal):
            to = {"location": _at_address(scope, headers)} if page is browser.MOVED else None
            await answer(page.status, page.message, page.code, headers=to)(scope, receive, tagged)
        elif cors and _is_preflight(scope["method"], headers):
            await Response(status_code=204)(scope, receive, tagged)
        elif int(headers.get(b"content-length", 0)) > self._most_bytes:
            await body_too_large()(scope, receive, tagged)
        else:
            scope["signet.content_type"] = headers.get(b"content-type", b"")
            if scope["method"] != "GET":
                others = [pair for pair in scope["headers"] if pair[0] != b"content-type"]
                scope["headers"] = [*others, _JSON]
            sending: Send = tagged
            if scope["method"] == "HEAD":  # answered as GET
                scope, sending = {**scope, "method": "GET"}, _without_body(tagged)
            sending = _tagging(scope["method"], headers.get(b"if-none-match", b""), sending)
            try:
                await self._app(scope, receive, sending)
            except Exception:
                # errors.py has answered and logged a 500; the server would log it again.
                if status != 500:
                    raise
        route = getattr(scope.get("route"), "path", None)
        seconds = time.perf_counter() - started
        answered(scope["method"], route, status, seconds, get_contextvars().get("actor"))

    def _may_name_any_host(self, scope: Scope, headers: dict[bytes, bytes]) -> bool:
        """Return whether any Host is accepted: pages can neither use the socket nor know a token, as a proxy does."""
        authority, connection = self._state.authority, scope.get(connections.KEY)
        if authority.any_host or (connection is not None and connection.is_private):
            return True
        if authority.mode is AuthMode.LOCAL:
            return False
        shown = tokens.bearer(headers.get(b"authorization", b"").decode("latin-1"))
        return shown is not None or _is_preflight(scope["method"], headers)


def _at_address(scope: Scope, headers: dict[bytes, bytes]) -> str:
    """Return the IP address URL of a page requested at "localhost"."""
    port = headers[b"host"].partition(b":")[2].decode("latin-1")
    url = f"{scope['scheme']}://{LOOPBACK}" + (f":{port}" if port.isdigit() else "") + scope["path"]
    query = scope["query_string"].decode("latin-1")
    return f"{url}?{query}" if query else url


def _is_preflight(method: str, headers: dict[bytes, bytes]) -> bool:
    return method == "OPTIONS" and b"access-control-request-method" in headers


def _permission(origin: bytes, headers: dict[bytes, bytes]) -> list[tuple[bytes, bytes]]:
    """Return the CORS headers for a page of a trusted origin."""
    wished = headers.get(b"access-control-request-headers", b"").lower().split(b",")
    allowed = [name for name in map(bytes.strip, wished) if _SENT.fullmatch(name)]
    found = [
        (b"vary", b"origin"),
        (b"access-control-allow-origin", origin),
        (b"access-control-expose-headers", _READ),
    ]
    if b"access-control-request-method" in headers:
        found += [
            (b"access-control-allow-methods", _METHODS),
            (b"access-control-allow-headers", b", ".join(allowed)),
            (b"access-control-max-age", _PERMISSION_SECONDS),
        ]
    # Browsers ask for this when a public page calls the local machine.
    if b"access-control-request-private-network" in headers:
        found.append((b"access-control-allow-private-network", b"true"))
    return found


@lru_cache(64)
def _is_here(address: bytes) -> bool:
    return is_loopback(host_of(address))


def host_of(address: bytes) -> str:
    """Return the host of an address without port and brackets, or ""."""
    try:
        return urlsplit(address.decode("latin-1")).hostname or ""
    except ValueError:
        return ""


def _tagging(method: str, asked: bytes, send: Send) -> Send:
    """Return a `send` that adds an `ETag` to JSON answers, and answers 304 if the client already has the content.

    `asked` is the request's If-None-Match. The tag is a hash of the body, so routes need no support for it. It saves
    transfer and parsing, not the query.
    """
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


def _without_body(send: Send) -> Send:
    """Return a `send` that ends the answer after its head, also that of a stream."""
    has_ended = False

    async def headed(message: Message) -> None:
        nonlocal has_ended
        if message["type"] == "http.response.start" or not has_ended:
            has_ended = message["type"] != "http.response.start"
            await send({**message, "body": b"", "more_body": False} if has_ended else message)

    return headed


def _may_tag(start: Message) -> bool:
    headers = dict(start.get("headers", ()))
    return start["status"] == 200 and headers.get(b"content-type") == _JSON[1]


def _tagged(start: Message, body: Message, asked: bytes) -> tuple[Message, Message]:
    digest = hashlib.blake2b(body.get("body", b""), digest_size=_TAG_BYTES).hexdigest()
    tag = f'"{digest}"'.encode()
    headers = [*start["headers"], (b"etag", tag)]
    if tag not in (one.strip().removeprefix(b"W/") for one in asked.split(b",")):
        return {**start, "headers": headers}, body
    kept = [pair for pair in headers if pair[0] not in (b"content-length", b"content-type")]
    return {**start, "status": 304, "headers": kept}, {**body, "body": b""}
