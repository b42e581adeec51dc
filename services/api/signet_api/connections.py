"""Which user is at the other end of a connection, as the kernel says, and how long we wait for that program.

The kernel names the owner of the peer's end only while a process keeps it open. So it is asked when the connection is
accepted, and the answer holds for all requests on it: nobody else can send on this connection later.

A connection that waits for its client (for a request, the rest of one, or room for the answer) is closed after a
bounded time (DG-26). Each connection takes a file descriptor; when they run short, those that have waited longest are
closed.
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
from typing import Any, ClassVar, Protocol

from starlette.types import Scope
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from signet.config.env import is_loopback
from signet_api import peer_process, peer_uid
from signet_api.peer_uid import Owner

#: The key of a connection in the ASGI scope of its requests.
KEY = "signet.connection"
#: The options of macOS for which Python has no names (sys/un.h).
_SOL_LOCAL, _LOCAL_PEERCRED = 0, 1
#: How long a client may take for the head of a request, and then for its body or until it reads on. A session of 8 MB
#: takes ten minutes at 14 kB/s.
REQUEST_SECONDS, BODY_SECONDS = 20.0, 600.0
#: File descriptors for everything but connections; the API has about 30 open, 36 more while all readers read.
OWN_FILES = 128
CROWDED_SECONDS = 60.0
_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 2\r\n"
    b"connection: close\r\ncontent-length: 71\r\n\r\n"
    b'{"error":"Too many connections are open","code":"too_many_connections"}'
)


class Connection(Protocol):
    """A connection, as the access rules see it."""

    @property
    def is_private(self) -> bool:
        """Return whether it came in over the workspace's socket."""
        ...

    @property
    def port(self) -> int:
        """Return our port, 0 on the workspace's socket."""
        ...

    async def uid(self) -> int | None:
        """Return the user of the program at the other end, None where the kernel does not say."""
        ...

    async def confinement(self) -> str | None:
        """Return why the program at the other end may know less than its user, None where nothing says so."""
        ...


class Accepted:
    """A connection that this process has accepted."""

    def __init__(self, accepted: socket.socket) -> None:
        self.is_private = accepted.family == socket.AF_UNIX
        self.port = 0 if self.is_private else int(accepted.getsockname()[1])
        self._found = _of_unix(accepted) if self.is_private else peer_uid.find(accepted)

    async def uid(self) -> int | None:
        """Return the user of the program at the other end, None where the kernel does not say."""
        owner = await self._owner()
        return owner and owner.uid

    async def confinement(self) -> str | None:
        """Return why the program at the other end may know less than its user, None where nothing says so."""
        owner = await self._owner()
        return await asyncio.to_thread(peer_process.confinement, owner.inode if owner else 0)

    async def _owner(self) -> Owner | None:
        if isinstance(self._found, asyncio.Future):
            return await asyncio.shield(self._found)
        return self._found


class NamingConnections(HttpToolsProtocol):
    """Puts the connection into the scope of each of its requests, and closes connections whose client is late."""

    #: Connections that the API holds at most, and when (monotonic) it last had to close some to hold no more.
    most: ClassVar[float] = math.inf
    crowded_at: ClassVar[float] = -math.inf

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Ask the kernel about the peer."""
        super().connection_made(transport)
        self._accepted = Accepted(transport.get_extra_info("socket"))
        self._wait(REQUEST_SECONDS)
        if len(self.connections) > self.most:
            self._make_room()

    def on_message_begin(self) -> None:
        """Begin a request."""
        super().on_message_begin()
        self._wait(REQUEST_SECONDS)
        scope: dict[str, Any] = self.scope  # type: ignore[assignment]
        scope[KEY] = self._accepted

    def on_headers_complete(self) -> None:
        """Give the body of the request its time."""
        super().on_headers_complete()
        self._wait(BODY_SECONDS)

    def on_message_complete(self) -> None:
        """End the wait for the client: the request is complete."""
        super().on_message_complete()
        self._go_on()

    def on_response_complete(self) -> None:
        """Wait for the next request; the server closes the connection sooner."""
        super().on_response_complete()
        self._go_on()

    def pause_writing(self) -> None:
        """Wait for a client that does not read."""
        super().pause_writing()
        self._wait(BODY_SECONDS)

    def resume_writing(self) -> None:
        """End the wait: the client reads."""
        super().resume_writing()
        self._go_on()

    def _go_on(self) -> None:
        """Wait for nothing while a request is answered, else for the next one."""
        is_answering = self.cycle is not None and not self.cycle.response_complete
        self._wait(math.inf if is_answering else REQUEST_SECONDS)

    def _wait(self, seconds: float) -> None:
        self._late_at = time.monotonic() + seconds

    def _make_room(self) -> None:
        """Close the tenth of the open connections that has waited longest, this one if none waits."""
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
    """Close the connections whose client has kept us waiting for too long."""
    now = time.monotonic()
    for one in _ours(connections):
        if one._late_at < now:
            one.transport.abort()


def _ours(connections: Iterable[object]) -> list[NamingConnections]:
    return [one for one in connections if isinstance(one, NamingConnections)]


def limit() -> None:
    """Let connections take all file descriptors of this process but those that its own work needs."""
    (files, _) = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files != resource.RLIM_INFINITY:
        NamingConnections.most = max(files - OWN_FILES, 1)


def is_crowded() -> bool:
    """Return whether connections were closed in the last minute because there were too many."""
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
    """Return whether a user is the daemon's own."""
    return uid is not None and uid == os.geteuid()


async def is_of_another(scope: Scope) -> bool:
    """Return whether a program on this machine calls that is neither the daemon's user's nor root's.

    So does one whose user the kernel does not name. Programs on other machines do not count.
    """
    connection: Connection | None = scope.get(KEY)
    if connection is None:
        return False
    uid = await connection.uid()
    if uid is not None:
        return uid != 0 and not is_own(uid)
    (peer, *_), (ours, *_) = scope.get("client") or ("",), scope.get("server") or ("",)
    return peer == ours or is_loopback(peer.removeprefix("::ffff:"))
