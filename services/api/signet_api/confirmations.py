"""Let the user confirm single requests of the dashboard that run programs or change who is trusted.

The dashboard shows the effect of a request, obtains a code (`POST /api/auth/confirm`) and repeats the request with
it (`X-Signet-Confirmation`). A code is valid once, for 60 seconds, for one session, method, address and body. Codes
exist only in the memory of this process.
"""

import hashlib
import secrets
import time
from dataclasses import dataclass, field, replace

from starlette.types import Message, Receive, Scope

from signet.domain.auth.caller import CONFIRM, Caller
from signet.errors import Forbidden, TooLarge

HEADER = b"x-signet-confirmation"
SECONDS = 60.0
#: More codes than a user can confirm in a minute; the oldest are dropped first.
MOST = 100
#: Maximum body of a confirmed request, which is read before the check. The longest is a workspace file as JSON.
MOST_BYTES = 8 * 1024 * 1024


@dataclass(slots=True)
class Confirmations:
    """Unused codes with their requests and expiry."""

    _open: dict[str, tuple[bytes, float]] = field(default_factory=dict)

    def issue(self, scope: Scope, method: str, address: str, body: bytes) -> str:
        """Return a code for one request of the session in `scope`."""
        now = time.monotonic()
        self._open = {code: one for code, one in self._open.items() if one[1] > now}
        while len(self._open) >= MOST:
            del self._open[next(iter(self._open))]
        code = secrets.token_urlsafe(24)
        request = _digest(_session(scope), method.encode(), address.encode(), body)
        self._open[code] = request, now + SECONDS
        return code

    async def apply(self, asked: Caller, scope: Scope, receive: Receive) -> tuple[Caller, Receive]:
        """Return the caller, confirmed if the request has a valid code, and a `receive` with the request's body.

        Raises Forbidden for a used or expired code, or one of another request.
        """
        code = dict(scope["headers"]).get(HEADER, b"").decode("latin-1")
        if not code:
            return asked, receive
        request, expires = self._open.pop(code, (b"", 0.0))
        body = await _whole(receive)
        if expires <= time.monotonic() or request != _digest(
            _session(scope), scope["method"].encode(), _address(scope), body
        ):
            raise Forbidden(
                "This confirmation is used, older than a minute, or for another request; confirm again",
                CONFIRM,
            )
        return replace(asked, is_confirmed=True), _again(body, receive)


def _digest(*parts: bytes) -> bytes:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.digest()


def _session(scope: Scope) -> bytes:
    headers: dict[bytes, bytes] = dict(scope["headers"])
    return headers.get(b"authorization", b"")


def _address(scope: Scope) -> bytes:
    query = bytes(scope["query_string"])
    path: bytes = scope["raw_path"]
    return path + b"?" + query if query else path


async def _whole(receive: Receive) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > MOST_BYTES:
            raise TooLarge(f"A confirmed request may have at most {MOST_BYTES} bytes")
        if not message.get("more_body", False):
            return bytes(body)


def _again(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that repeats a body, then continues with `receive`."""
    is_read = False

    async def again() -> Message:
        nonlocal is_read
        if is_read:
            return await receive()
        is_read = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again
