"""One exchange with the daemon.

The standard library is enough for a daemon on this machine and starts in a tenth of the time of an HTTP library.
No proxy is used and no redirect is followed.
"""

import contextlib
import io
import socket
import time
from http import client
from typing import Any, cast
from urllib.parse import urlsplit

from signet.client.call import Call, Reply
from signet.client.errors import BadAnswer, ConnectionBroken, DaemonNotRunning, DaemonSilent
from signet.client.target import Target

#: Larger than any answer the daemon gives in one piece.
MAX_BODY_BYTES = 64 * 1024 * 1024


def send(target: Target, call: Call[Any]) -> Reply:
    """Return the reply to a call; `target.seconds` bounds the whole exchange.

    Raises DaemonNotRunning, DaemonSilent, ConnectionBroken or BadAnswer.
    """
    address = urlsplit(target.url)
    kind = client.HTTPSConnection if address.scheme == "https" else client.HTTPConnection
    connection = kind(address.hostname or "", address.port, timeout=target.connect_seconds)
    try:
        with contextlib.closing(_connected(connection, target)) as opened:
            connection.sock = cast("socket.socket", _Timed(opened, target.seconds))
            return _exchange(connection, address.path.rstrip("/") + call.target, call, target)
    except TimeoutError as error:
        raise DaemonSilent() from error
    except (client.HTTPException, OSError) as error:
        raise ConnectionBroken(f"The connection to {target.url} broke: {error!r}") from error


def headers_of(target: Target, call: Call[Any]) -> dict[str, str]:
    """Return the headers of one call."""
    more = {} if call.body is None else {"Content-Type": "application/json"}
    return {**target.headers, **more}


def checked(body: bytes) -> bytes:
    """Return a body; raises BadAnswer for one that no daemon sends."""
    if len(body) >= MAX_BODY_BYTES:
        raise BadAnswer(f"The answer is larger than {MAX_BODY_BYTES} bytes")
    return body


def _connected(connection: client.HTTPConnection, target: Target) -> socket.socket:
    try:
        connection.connect()
    except TimeoutError:
        raise
    except OSError as error:
        raise DaemonNotRunning(url=target.url) from error
    return connection.sock


def _exchange(
    connection: client.HTTPConnection, path: str, call: Call[Any], target: Target
) -> Reply:
    # A daemon that refuses a body before it has read all of it says why, and closes.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        connection.request(call.method, path, call.content, headers_of(target, call))
    with contextlib.closing(connection.getresponse()) as reply:
        body = checked(reply.read(MAX_BODY_BYTES))
        if reply.length:
            raise client.IncompleteRead(body, reply.length)
        headers = {name.lower(): value for name, value in reply.getheaders()}
        return Reply(status=reply.status, headers=headers, body=body)


class _Timed:
    """A connected socket, as far as an HTTP connection uses it, that cuts every wait to what is left of a time.

    A socket's own timeout counts anew for each byte: a server that sends one byte a second would never be late.
    """

    def __init__(self, opened: socket.socket, seconds: float) -> None:
        self._opened = opened
        self._until = time.monotonic() + seconds

    def cut(self) -> socket.socket:
        """Return the socket, which now waits no longer than until the end; raises TimeoutError behind it."""
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._opened.settimeout(left)
        return self._opened

    def sendall(self, data: bytes) -> None:
        self.cut().sendall(data)

    def makefile(self, _: str) -> io.BufferedReader:
        return io.BufferedReader(_Received(self))

    def close(self) -> None:
        """Leave the socket open: the answer is still to be read, and `send` closes it."""


class _Received(io.RawIOBase):
    """What comes over a timed socket."""

    def __init__(self, timed: _Timed) -> None:
        self._timed = timed

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._timed.cut().recv_into(buffer)
