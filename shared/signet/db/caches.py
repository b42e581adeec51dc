"""A process's in-memory caches of its database file: computed from rows, and safe to lose.

Each kind is a class; a file has one instance of each, created on first use (`tx.caches.get(MemoryVectors)`).
"""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, TypeVar

from signet.db.driver import sqlite
from signet.errors import SignetError
from signet.observe import logs

if TYPE_CHECKING:
    from signet.db.transaction import ReadTx

T = TypeVar("T")

log = logs.get("system")


class ProcessCaches:
    """The caches of one open database; thread-safe."""

    def __init__(self, snapshot: Callable[[], "AbstractContextManager[ReadTx]"]) -> None:
        """Store `snapshot`, which opens a snapshot for the threads of `later`."""
        self._snapshot = snapshot
        self._lock = threading.Lock()
        self._kept: dict[type, object] = {}
        self._threads: dict[str, threading.Thread] = {}
        self._is_closed = False

    def get(self, kind: type[T]) -> T:
        """Return this file's instance of a class."""
        found = self._kept.get(kind)
        if found is None:
            with self._lock:
                found = self._kept.setdefault(kind, kind())
        assert isinstance(found, kind)
        return found

    def later(self, name: str, work: "Callable[[ReadTx], bool]") -> None:
        """Call `work` in a thread until it returns False; does nothing while a thread of that name runs.

        Each call has a separate snapshot, and should be short.
        """
        with self._lock:
            running = self._threads.get(name)
            if self._is_closed or (running is not None and running.is_alive()):
                return
            thread = threading.Thread(
                target=self._repeat, args=(name, work), name=name, daemon=True
            )
            self._threads[name] = thread
            thread.start()

    def close(self) -> None:
        """End the threads, each after its current call."""
        with self._lock:
            self._is_closed = True
            threads = list(self._threads.values())
        for thread in threads:
            thread.join()

    def _repeat(self, name: str, work: "Callable[[ReadTx], bool]") -> None:
        try:
            while not self._is_closed:
                with self._snapshot() as tx:
                    if not work(tx):
                        return
        except (SignetError, sqlite.DatabaseError) as error:
            # The next reader finds the data missing again, and requests it again.
            log.warning("derived.given_up", what=name, error=type(error).__name__)
