"""One request to an application in this process, as a server hands it over.

httpx has a transport for this, which took two thirds of the time of a request: at each it looks for a library that is
not installed.
"""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import httpx
from starlette.types import ASGIApp, Message

from signet_api import connections

#: Where the application believes to be.
BASE = "http://127.0.0.1:3850"
#: Reads an address; walks over all routes ask each many times.
_url = lru_cache(httpx.URL)
_HEADERS = {"host": "127.0.0.1:3850", "accept": "*/*", "user-agent": "tests"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """A connection over TCP or over the workspace's socket, whose user the test names.

    Nothing is known of the program (`confined`): real ones are called in tests/access.
    """

    user: int | None = os.geteuid()
    is_private: bool = False
    port: int = 3850
    confined: str | None = "a test calls"

    async def uid(self) -> int | None:
        """Return the user that the test names."""
        return self.user

    async def confinement(self) -> str | None:
        """Return what the test says of the program."""
        return self.confined


#: Of a program of the daemon's user.
OVER_SOCKET = Connection(is_private=True, port=0)
OVER_TCP = Connection()


async def ask(
    app: ASGIApp,
    method: str,
    path: str,
    content: bytes,
    headers: Mapping[str, str | bytes],
    peer: str,
    connection: Connection,
) -> httpx.Response:
    """Return the answer to a request from an address, over a connection; 500 where the application fails first."""
    url = _url(BASE + path)
    sent = {**_HEADERS, **{name.lower(): value for name, value in headers.items()}}
    if content or method in ("POST", "PUT", "PATCH"):
        sent.setdefault("content-length", str(len(content)))
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "headers": [(name.encode(), _bytes(value)) for name, value in sent.items()],
        "scheme": url.scheme,
        "path": url.path,
        "raw_path": url.raw_path.partition(b"?")[0],
        "query_string": url.query,
        "server": (url.host, url.port),
        "client": (peer, 40_000),
        "root_path": "",
        connections.KEY: connection,
    }
    exchange = _Exchange(content)
    try:
        await app(scope, exchange.receive, exchange.send)
    except Exception:  # as a server does, whatever it was
        return httpx.Response(exchange.status or 500, headers=exchange.headers)
    assert exchange.ended.is_set(), "the answer has no end"
    body = b"" if method == "HEAD" else b"".join(exchange.body)
    answer = httpx.Response(
        exchange.status, headers=exchange.headers, stream=httpx.ByteStream(body)
    )
    answer.read()
    return answer


def _bytes(value: str | bytes) -> bytes:
    return value if isinstance(value, bytes) else value.encode()


class _Exchange:
    """What goes in, in two messages, and what comes out."""

    def __init__(self, content: bytes) -> None:
        last: Message = {"type": "http.request", "body": b"", "more_body": False}
        self._coming = [last, {"type": "http.request", "body": content, "more_body": True}]
        self.status = 0
        self.headers: list[tuple[bytes, bytes]] = []
        self.body: list[bytes] = []
        self.ended = asyncio.Event()

    async def receive(self) -> Message:
        """Return what comes next; when nothing does, the end of the connection once all is answered."""
        if self._coming:
            return self._coming.pop()
        await self.ended.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """Take a part of the answer."""
        if message["type"] == "http.response.start":
            assert not self.status, "an answer begins once"
            self.status, self.headers = message["status"], [*message.get("headers", [])]
        else:
            assert not self.ended.is_set(), "nothing follows the end of an answer"
            self.body.append(message.get("body", b""))
            if not message.get("more_body", False):
                self.ended.set()
