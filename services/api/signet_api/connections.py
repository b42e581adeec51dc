"""Which user is at the other end of a connection, as the kernel says.

The kernel names the owner of the peer's end only while a process keeps it open. So it is asked when the connection is
accepted, and the answer holds for all requests on it: nobody else can send on this connection later.
"""

import asyncio
import os
import socket
import struct
import sys
from typing import Any, Protocol

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from signet_api import peer_process, peer_uid
from signet_api.peer_uid import Owner

#: The key of a connection in the ASGI scope of its requests.
KEY = "signet.connection"
#: The options of macOS for which Python has no names (sys/un.h).
_SOL_LOCAL, _LOCAL_PEERCRED = 0, 1


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
    """Puts the connection into the scope of each of its requests."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Ask the kernel about the peer."""
        super().connection_made(transport)
        self._accepted = Accepted(transport.get_extra_info("socket"))

    def on_message_begin(self) -> None:
        """Begin a request."""
        super().on_message_begin()
        scope: dict[str, Any] = self.scope  # type: ignore[assignment]
        scope[KEY] = self._accepted


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
