"""One exchange with the daemon over a socket of the standard library.

It starts in a tenth of the time of an HTTP library. No proxy is used and no redirect is followed.
"""

import contextlib
import socket
import time
from typing import Any

from signet.client import http1
from signet.client.call import Call, Reply
from signet.client.errors import ConnectionBroken, DaemonNotRunning, silent
from signet.client.target import Target

_CHUNK = 65_536


def send(target: Target, call: Call[Any]) -> Reply:
    """Return the reply to a call; `target.seconds` bounds the whole exchange.

    Raises DaemonNotRunning, DaemonSilent, ConnectionBroken or BadAnswer.
    """
    try:
        with contextlib.closing(connected(target)) as connection:
            return http1.reply(target, call, _exchange(connection, target, call))
    except TimeoutError as error:
        raise silent(target.url, target.seconds) from error
    except OSError as error:
        raise ConnectionBroken(f"The connection to {target.url} broke: {error!r}") from error


def connected(target: Target) -> socket.socket:
    """Return a connection to the daemon; raises DaemonNotRunning, or TimeoutError."""
    try:
        connection = socket.create_connection(target.address, target.connect_seconds)
    except TimeoutError:
        raise
    except OSError as error:
        raise DaemonNotRunning(url=target.url) from error
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if not target.is_tls:
        return connection
    import ssl

    return ssl.create_default_context().wrap_socket(connection, server_hostname=target.address[0])


def _exchange(connection: socket.socket, target: Target, call: Call[Any]) -> bytes:
    until = time.monotonic() + target.seconds
    # Who refuses a body before reading all of it says why, and closes.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        _within(connection, until).sendall(http1.request(target, call))
    received = bytearray()
    while len(received) < http1.MAX_BYTES:
        try:
            some = _within(connection, until).recv(_CHUNK)
        except ConnectionResetError:
            if not received:
                raise
            break
        if not some:
            break
        received += some
    return bytes(received)


def _within(connection: socket.socket, until: float) -> socket.socket:
    """Return the socket, which now waits no longer than `until`.

    Its own timeout counts anew for each byte: a server that sends one byte a second would never be late.
    """
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    connection.settimeout(left)
    return connection
