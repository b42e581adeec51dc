"""A pool of read connections of limited size, opened on demand.

Written here because the pool of SQLAlchemy would bring that whole library into three long-running processes: 13 MB of
memory and 0.15 s each (measured), for a stack of connections.
"""

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from signet.db.driver import Connection, connect, sqlite
from signet.db.writer import translate
from signet.errors import StorageBusy


class Readers:
    """A pool of read-only connections; thread-safe."""

    def __init__(
        self,
        path: Path,
        *,
        most: int,
        wait_seconds: float,
        translate: Callable[[BaseException], BaseException] = translate,
    ) -> None:
        self._path = path
        self._translate = translate
        self._most = most
        self._wait_seconds = wait_seconds
        #: Idle connections; the last one is used first.
        self._free: list[Connection] = []
        self._in_use = 0
        #: Waiting callers, in order of arrival; guarded by the condition, like the count.
        self._line: deque[object] = deque()
        self._changed = threading.Condition()

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Lend a connection for the block; raises StorageBusy if none becomes free in time."""
        self._take_turn()
        try:
            lent = self._take()
            try:
                yield lent
            finally:
                self._free.append(lent)
        finally:
            with self._changed:
                self._in_use -= 1
                self._changed.notify_all()

    def _take_turn(self) -> None:
        turn = object()
        with self._changed:
            self._line.append(turn)
            try:
                if not self._changed.wait_for(lambda: self._is_next(turn), self._wait_seconds):
                    raise StorageBusy("Too many requests are reading; try again")
                self._in_use += 1
            finally:
                self._line.remove(turn)
                self._changed.notify_all()

    def _is_next(self, turn: object) -> bool:
        return self._in_use < self._most and self._line[0] is turn

    def _take(self) -> Connection:
        try:
            return self._free.pop()
        except IndexError:
            return self._open()

    def _open(self) -> Connection:
        try:
            return connect(self._path, read_only=True)
        except sqlite.Error as error:
            raise self._translate(error) from error

    def close(self) -> None:
        with contextlib.suppress(IndexError):  # a reader may take the last one first
            while True:
                self._free.pop().close()
