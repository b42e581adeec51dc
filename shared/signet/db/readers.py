"""Connections for reading: opened when they are needed, kept, at most so many at once.

Written here because the pool of SQLAlchemy would bring that whole library into three long-running processes: 13 MB of
memory and 0.15 s each (measured), for a stack of connections.
"""

import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from signet.db.driver import Connection, connect, sqlite
from signet.db.writer import translate
from signet.errors import StorageBusy


class Readers:
    """A pool of read-only connections; for any thread."""

    def __init__(self, path: Path, *, most: int, wait_seconds: float) -> None:
        self._path = path
        self._wait_seconds = wait_seconds
        self._free: queue.LifoQueue[Connection] = queue.LifoQueue()
        self._slots = threading.BoundedSemaphore(most)

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Lend a connection for the block; raises StorageBusy when none comes free in time."""
        if not self._slots.acquire(timeout=self._wait_seconds):
            raise StorageBusy("Too many requests are reading; try again")
        try:
            try:
                lent = self._free.get_nowait()
            except queue.Empty:
                lent = self._open()
            try:
                yield lent
            finally:
                if lent.in_transaction:  # an interrupt came between two steps
                    lent.close()
                else:
                    self._free.put(lent)
        finally:
            self._slots.release()

    def _open(self) -> Connection:
        try:
            return connect(self._path, read_only=True)
        except sqlite.OperationalError as error:
            raise translate(error) from error

    def close(self) -> None:
        """Close the connections that nobody uses."""
        while True:
            try:
                self._free.get_nowait().close()
            except queue.Empty:
                return
