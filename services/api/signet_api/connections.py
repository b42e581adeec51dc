"""Identify the user at the other end of each connection, and close connections whose client is too slow.

The kernel reports the owner of the peer's socket only while a process holds it, so the query runs when the connection
is accepted and applies to all of its requests.

A connection that waits for its client (a request, its body, or reading the answer) is closed after a limit (DG-26).
When file descriptors run short, the connections that have waited longest are closed.
"""

import asyncio
import math
import os
import resource
import socket
import struct
import sys
import time
from collections.abc import Iterable
from typing import Any, ClassVar

from starlette.types import Scope
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from signet.config.env import is_loopback
from signet_api import peer_process, peer_uid
from signet_api.peer_uid import Owner

#: ASGI scope key of the connection.
KEY = "signet.connection"
#: Options of macOS without names in Python (sys/un.h).
_SOL_LOCAL, _LOCAL_PEERCRED = 0, 1
#: Seconds for the head of a request, and for its body or for reading an answer. A session of 8 MB takes ten minutes at
#: 14 kB/s.
REQUEST_SECONDS, BODY_SECONDS = 20.0, 600.0
#: File descriptors not available to connections; the API has about 30 open, and 36 more when all readers are busy.
OWN_FILES = 128
CROWDED_SECONDS = 60.0
#: Bytes of a request that are neither head nor body yet: its unfinished head, or what follows the last chunk.
MOST_HEAD = 65_536


def _refusal(status: bytes, error: bytes) -> bytes:
    head = b"HTTP/1.1 %b\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: %d\r\n\r\n"
    return head % (status, len(error)) + error


_FULL = _refusal(
    b"503 Service Unavailable\r\nretry-after: 2",
    b'{"error":"Too many connections are open","code":"too_many_connections"}',
)
_LONG = _refusal(
    b"431 Request Header Fields Too Large",
    b'{"error":"The head of the request is too long","code":"head_too_long"}',
)


class Accepted:
    """A connection accepted by this process; `is_private` if it uses the workspace's socket, where `port` is 0."""

    def __init__(self, accepted: socket.socket) -> None:
        self.is_private = accepted.family == socket.AF_UNIX
        self.port = 0 if self.is_private else int(accepted.getsockname()[1])
        self._found = _of_unix(accepted) if self.is_private else peer_uid.find(accepted)

    async def uid(self) -> int | None:
        """Return the user ID of the other end, None if the kernel does not report it."""
        owner = await self._owner()
        return owner and owner.uid

    async def confinement(self) -> str | None:
        """Return why the other end's program is confined, None if nothing indicates it."""
        owner = await self._owner()
        return await asyncio.to_thread(peer_process.confinement, owner.inode if owner else 0)

    async def _owner(self) -> Owner | None:
        if isinstance(self._found, asyncio.Future):
            return await asyncio.shield(self._found)
        return self._found


class NamingConnections(HttpToolsProtocol):
    """Adds the connection to the scope of its requests, and enforces the limits of time and of heads."""

    #: Maximum number of connections, and when (monotonic) some were last closed to stay below it.
    most: ClassVar[float] = math.inf
    crowded_at: ClassVar[float] = -math.inf

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Query the kernel about the peer."""
        super().connection_made(transport)
        self._accepted = Accepted(transport.get_extra_info("socket"))
        self._unread, self._is_head = 0, True
        self._wait(REQUEST_SECONDS)
        if len(self.connections) > self.most:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        """Refuse a request with an endless head: the parser would store all of it."""
        self._unread += len(data)
        super().data_received(data)
        if self._unread > MOST_HEAD and not self.transport.is_closing():
            self.transport.write(_LONG)
            self.transport.close()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._is_head = True
        self._wait(REQUEST_SECONDS)
        scope: dict[str, Any] = self.scope  # type: ignore[assignment]
        scope[KEY] = self._accepted

    def on_header(self, name: bytes, value: bytes) -> None:
        """Ignore headers after the body, which are not checked."""
        if self._is_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Start the time limit of the body."""
        super().on_headers_complete()
        self._unread, self._is_head = 0, False
        self._wait(BODY_SECONDS)

    def on_body(self, body: bytes) -> None:
        self._unread = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Stop the time limit: the request is complete."""
        super().on_message_complete()
        self._unread = 0
        self._go_on()

    def on_response_complete(self) -> None:
        """Start the time limit of the next request; the server's keep-alive limit is shorter."""
        super().on_response_complete()
        self._go_on()

    def pause_writing(self) -> None:
        """Start the time limit of a client that does not read."""
        super().pause_writing()
        self._wait(BODY_SECONDS)

    def resume_writing(self) -> None:
        """Stop the time limit: the client reads."""
        super().resume_writing()
        self._go_on()

    def _go_on(self) -> None:
        """Set no limit while answering, else that of the next request."""
        is_answering = self.cycle is not None and not self.cycle.response_complete
        self._wait(math.inf if is_answering else REQUEST_SECONDS)

    def _wait(self, seconds: float) -> None:
        self._late_at = time.monotonic() + seconds

    def _make_room(self) -> None:
        """Close the tenth of the open connections that has waited longest, or this one if none waits."""
        left = [one for one in _ours(self.connections) if not one.transport.is_closing()]
        if len(left) <= self.most:
            return
        type(self).crowded_at = time.monotonic()
        others = [one for one in left if one is not self and one._late_at < math.inf]
        others.sort(key=lambda one: (one._accepted.is_private, one._late_at))
        for one in others[: int(self.most / 10) + 1]:
            one.transport.abort()
        if not others:
            self.transport.write(_FULL)
            self.transport.close()


def close_late(connections: Iterable[object]) -> None:
    """Close connections that exceeded their time limit."""
    now = time.monotonic()
    for one in _ours(connections):
        if one._late_at < now:
            one.transport.abort()


def _ours(connections: Iterable[object]) -> list[NamingConnections]:
    return [one for one in connections if isinstance(one, NamingConnections)]


def limit() -> None:
    """Allow connections to use all file descriptors except those reserved for this process."""
    (files, _) = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files != resource.RLIM_INFINITY:
        NamingConnections.most = max(files - OWN_FILES, 1)


def is_crowded() -> bool:
    """Return whether connections were closed in the last minute because of too many."""
    return time.monotonic() - NamingConnections.crowded_at < CROWDED_SECONDS


def _of_unix(accepted: socket.socket) -> Owner | None:
    try:
        if sys.platform == "linux":
            found = accepted.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
            return Owner(struct.unpack("=iII", found)[1])
        found = accepted.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, 8)
        return Owner(struct.unpack("=II", found)[1])
    except OSError:
        return None


def is_own(uid: int | None) -> bool:
    return uid is not None and uid == os.geteuid()


async def is_of_another(scope: Scope) -> bool:
    """Return whether the caller is a program on this machine that runs neither as the daemon's user nor as root.

    True also for an unknown user. Programs on other machines do not count.
    """
    connection: Accepted | None = scope.get(KEY)
    if connection is None:
        return False
    uid = await connection.uid()
    if uid is not None:
        return uid != 0 and not is_own(uid)
    (peer, *_), (ours, *_) = scope.get("client") or ("",), scope.get("server") or ("",)
    return peer == ours or is_loopback(peer.removeprefix("::ffff:"))
