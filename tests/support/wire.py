"""A way to a daemon that can be cut, as the network between two machines is."""

import contextlib
import select
import socket
import threading
from types import TracebackType
from typing import Self


class Wire:
    """Hands connections on to a port of this machine; while it is cut, nobody listens."""

    def __init__(self, port: int) -> None:
        self._at = ("127.0.0.1", port)
        self._listening: socket.socket | None = None
        self.calls = 0
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port: int = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self.mend()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.cut()

    def mend(self) -> None:
        """Listen."""
        self._listening = socket.create_server(("127.0.0.1", self.port), backlog=128)
        threading.Thread(target=self._accept, args=(self._listening,), daemon=True).start()

    def cut(self) -> None:
        """Listen no more; connections that are open come to their end."""
        if self._listening is not None:
            with contextlib.suppress(OSError):
                self._listening.shutdown(socket.SHUT_RDWR)
            self._listening.close()
            self._listening = None

    def _accept(self, listening: socket.socket) -> None:
        while True:
            try:
                near, _ = listening.accept()
            except OSError:
                return
            self.calls += 1
            threading.Thread(target=self._carry, args=(near,), daemon=True).start()

    def _carry(self, near: socket.socket) -> None:
        """Hand one exchange on in both directions until one side ends it."""
        with near, contextlib.suppress(OSError), socket.create_connection(self._at) as far:
            other = {near: far, far: near}
            while True:
                for one in select.select(list(other), [], [])[0]:
                    some = one.recv(65_536)
                    if not some:
                        return
                    other[one].sendall(some)
