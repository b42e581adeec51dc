"""One exchange with the daemon over a socket of the standard library.

It starts in a tenth of the time of an HTTP library. No proxy is used and no redirect is followed.
"""

import contextlib
import socket
import time
from typing import Any

from signet.client import http1
from signet.client.call import Call, Reply
from signet.client.errors import ConnectionBroken, absent, silent
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
        raise silent(target.url, target.seconds, is_elsewhere=target.is_elsewhere) from error
    except OSError as error:
        raise ConnectionBroken(f"The connection to {target.url} broke: {error!r}") from error


def connected(target: Target) -> socket.socket:
    """Return a connection to the daemon; raises DaemonNotRunning, or TimeoutError."""
    try:
        connection = (_reached if target.is_elsewhere else socket.create_connection)(
            target.address, target.connect_seconds
        )
    except OSError as error:
        if isinstance(error, TimeoutError) and not target.is_elsewhere:
            raise
        raise absent(target.url, is_elsewhere=target.is_elsewhere) from error
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if not target.is_tls:
        return connection
    import ssl

    return ssl.create_default_context().wrap_socket(connection, server_hostname=target.address[0])


def _reached(address: tuple[str, int], seconds: float) -> socket.socket:
    """Return a connection to a daemon elsewhere; raises OSError after `seconds`, however many addresses its name has.

    A name server that is away does not keep to any time of ours, so it is asked in a thread that is left behind.
    """
    import threading

    until = time.monotonic() + seconds
    found: list[str] = []

    def resolve() -> None:
        with contextlib.suppress(OSError):
            told = socket.getaddrinfo(*address, type=socket.SOCK_STREAM)
            found.extend(str(one[4][0]) for one in told)

    asking = threading.Thread(target=resolve, daemon=True)
    asking.start()
    asking.join(seconds)
    hosts = list(dict.fromkeys(found))
    for number, host in enumerate(hosts):
        share = (until - time.monotonic()) / (len(hosts) - number)
        with contextlib.suppress(OSError):
            return socket.create_connection((host, address[1]), max(share, 0.01))
    raise TimeoutError(f"{address[0]} was not reached")


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
