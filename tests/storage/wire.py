"""What is between a process and its PostgreSQL server: it can lose a COMMIT, or the answer to it."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum

from support import postgres

_COMMIT = b"COMMIT\0"  # the request, and also the answer to it


class Loss(Enum):
    """What is lost of the next COMMIT; the connection ends."""

    ANSWER = "its answer"
    REQUEST = "itself"
    #: The server does not learn that the connection has ended.
    UNNOTICED = "itself, and the end of the connection"


class Wire:
    """A port of this machine that passes everything to the server of a database."""

    def __init__(self, url: str) -> None:
        #: The address of the database without this wire.
        self.server = url
        self.loses: Loss | None = None
        self.lost = 0
        #: Whether new connections end at once; and whether they do after the next loss.
        self.is_closed = self.is_closed_then = False
        #: Called after a loss.
        self.then: Callable[[], object] = lambda: None
        self._target = f"{postgres.server()}/.s.PGSQL.5432"
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._sockets: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept, name="wire")]
        self._threads[0].start()

    @property
    def url(self) -> str:
        """Return the address of the database through this wire."""
        port, name = self._listener.getsockname()[1], postgres.name_of(self.server)
        return f"postgresql://{postgres.ROLE}@127.0.0.1:{port}/{name}?sslmode=disable"

    def close(self) -> None:
        """End all connections."""
        _end(self._listener)
        self._threads.pop(0).join()
        for one in self._sockets:
            _end(one)
        for thread in self._threads:
            thread.join()
        for one in [self._listener, *self._sockets]:
            one.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self._sockets.append(client)
            if self.is_closed:
                _end(client)
                continue
            server = socket.socket(socket.AF_UNIX)
            self._sockets.append(server)
            server.connect(self._target)
            self._start(client, server, {Loss.REQUEST, Loss.UNNOTICED})
            self._start(server, client, {Loss.ANSWER})

    def _start(self, source: socket.socket, target: socket.socket, losses: set[Loss]) -> None:
        thread = threading.Thread(target=self._pass, args=(source, target, losses), name="wire")
        self._threads.append(thread)
        thread.start()

    def _pass(self, source: socket.socket, target: socket.socket, losses: set[Loss]) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                loss = self.loses
                if loss in losses and _COMMIT in data:
                    self.loses = None
                    self.lost += 1
                    self.is_closed = self.is_closed_then
                    self.then()
                    if loss is Loss.UNNOTICED:
                        _end(source)
                        return
                    break
                target.sendall(data)
        _end(source)
        _end(target)


def _end(one: socket.socket) -> None:
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)


@contextmanager
def a_wire(url: str) -> Iterator[Wire]:
    """Open a wire to a database, and end it."""
    wire = Wire(url)
    try:
        yield wire
    finally:
        wire.close()
