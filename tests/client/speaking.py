"""Both clients behind one face, and a server on loopback that answers as it is told."""

import asyncio
import contextlib
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, Unpack

from signet.client import AsyncSignet, Signet
from signet.client.target import Options


class Speaker(Protocol):
    """Calls a method of a client by its name and returns its answer, the items of an iterator as a list."""

    def __init__(self, **options: Unpack[Options]) -> None: ...

    def do(self, name: str, *args: object, **given: object) -> Any:
        """Return what the method answers."""


class Blocking:
    """`Signet`."""

    def __init__(self, **options: Unpack[Options]) -> None:
        self._client = Signet(**options)

    def do(self, name: str, *args: object, **given: object) -> Any:
        """Return what the method answers."""
        answer = getattr(self._client, name)(*args, **given)
        return list(answer) if isinstance(answer, Iterator) else answer


class Concurrent:
    """`AsyncSignet`."""

    def __init__(self, **options: Unpack[Options]) -> None:
        self._client = AsyncSignet(**options)

    def do(self, name: str, *args: object, **given: object) -> Any:
        """Return what the method answers."""
        return asyncio.run(self._do(name, args, given))

    async def _do(self, name: str, args: tuple[object, ...], given: dict[str, object]) -> Any:
        answer = getattr(self._client, name)(*args, **given)
        if hasattr(answer, "__aiter__"):
            return [one async for one in answer]
        return await answer


#: What is done with one connection after its request has been read.
Act = Callable[[socket.socket], None]


def sends(status: int, body: bytes, *headers: str, length: int | None = None) -> Act:
    """Answer; `length` is a lie about the body."""
    size = len(body) if length is None else length
    head = "\r\n".join([f"HTTP/1.1 {status} X", f"Content-Length: {size}", *headers, "", ""])
    return lambda connection: connection.sendall(head.encode() + body)


def raw(text: bytes) -> Act:
    """Send bytes that need not be HTTP."""
    return lambda connection: connection.sendall(text)


def resets(connection: socket.socket) -> None:
    """Reset the connection instead of answering."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def drips(connection: socket.socket) -> None:
    """Send a header that never ends, a byte at a time."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    connection.settimeout(0.02)
    with contextlib.suppress(OSError):
        while True:
            connection.sendall(b"x")
            with contextlib.suppress(TimeoutError):
                if not connection.recv(1):
                    return


@dataclass
class Loopback:
    """A server that does one act for each connection, the last one again and again."""

    acts: tuple[Act, ...]
    url: str
    heard: list[str] = field(default_factory=list)


@contextmanager
def loopback(*acts: Act) -> Iterator[Loopback]:
    """Serve these acts until the block ends; `heard` holds the requests' text."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = Loopback(acts, f"http://127.0.0.1:{listening.getsockname()[1]}")
        thread = threading.Thread(target=_serve, args=(listening, server))
        thread.start()
        try:
            yield server
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()


def _serve(listening: socket.socket, server: Loopback) -> None:
    while True:
        try:
            connection, _ = listening.accept()
        except OSError:  # the test is over
            return
        with connection:
            server.heard.append(_request(connection))
            act = server.acts[min(len(server.heard), len(server.acts)) - 1]
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                act(connection)


def _request(connection: socket.socket) -> str:
    text = b""
    while b"\r\n\r\n" not in text:
        text += connection.recv(65_536)
    head, _, body = text.partition(b"\r\n\r\n")
    size = next(
        (
            int(line.split(b":")[1])
            for line in head.lower().split(b"\r\n")
            if b"content-length" in line
        ),
        0,
    )
    while len(body) < size:
        body += connection.recv(65_536)
    return (head + b"\r\n\r\n" + body).decode()
