"""Connections for reading: opened when they are needed, kept, at most so many at once.

Written here because the pool of SQLAlchemy would bring that whole library into three long-running processes: 13 MB of
memory and 0.15 s each (measured), for a stack of connections.

Exceptions from outside (queue/deadline.py) come between two steps of Python, and the semaphores and queues that are
written in it would stay locked for ever. So each change here is one step of C.
"""

import contextlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue

from signet.db.driver import Connection, connect, sqlite
from signet.db.writer import translate
from signet.errors import StorageBusy

#: How often one who waits looks for himself: one that is interrupted while he leaves wakes nobody.
LOOK_SECONDS = 0.1


class Readers:
    """A pool of read-only connections; for any thread."""

    def __init__(self, path: Path, *, most: int, wait_seconds: float) -> None:
        self._path = path
        self._most = most
        self._wait_seconds = wait_seconds
        #: Those that nobody uses; the last one is taken first.
        self._free: list[Connection] = []
        #: Who reads or wants to, in the order of their coming (a dict keeps it): the first `most` read.
        self._line: dict[SimpleQueue[None], None] = {}

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Lend a connection for the block; raises StorageBusy when none comes free in time."""
        turn: SimpleQueue[None] = SimpleQueue()
        try:
            self._line[turn] = None
            self._await(turn)
            try:
                lent = self._free.pop()
            except IndexError:
                lent = self._open()
            try:
                yield lent
            finally:
                if lent.in_transaction:  # an interrupt came between two steps
                    lent.close()
                else:
                    self._free.append(lent)
        finally:
            self._line.pop(turn, None)
            if len(self._line) >= self._most:
                for first in self._first():
                    first.put(None)

    def _first(self) -> list[SimpleQueue[None]]:
        return list(self._line)[: self._most]

    def _await(self, turn: SimpleQueue[None]) -> None:
        until = time.monotonic() + self._wait_seconds
        while turn not in self._first():
            left = until - time.monotonic()
            if left <= 0:
                raise StorageBusy("Too many requests are reading; try again")
            with contextlib.suppress(Empty):
                turn.get(timeout=min(left, LOOK_SECONDS))

    def _open(self) -> Connection:
        try:
            return connect(self._path, read_only=True)
        except sqlite.OperationalError as error:
            raise translate(error) from error

    def close(self) -> None:
        """Close the connections that nobody uses."""
        while self._free:
            self._free.pop().close()
