"""A process's in-memory caches of its database file: computed from rows, and safe to lose.

Each kind is a class; a file has one instance of each, created on first use (`tx.caches.get(MemoryVectors)`).
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Generic, TypeVar

from signet.db.driver import sqlite
from signet.errors import SignetError
from signet.observe import logs

if TYPE_CHECKING:
    from signet.db.transaction import ReadTx

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

log = logs.get("system")


class Bounded(Generic[K, V]):
    """Values by key up to a size: the least recently used are dropped first; thread-safe."""

    def __init__(self, most: int, size: Callable[[V], int] = lambda _: 1) -> None:
        """Keep values of at most this total size, but always the newest one."""
        self._most, self._size = most, size
        self._kept: OrderedDict[K, V] = OrderedDict()
        self._total = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: K) -> V | None:
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def put(self, key: K, value: V) -> None:
        with self._lock:
            old = self._kept.pop(key, None)
            self._total += self._size(value) - (0 if old is None else self._size(old))
            self._kept[key] = value
            while self._total > self._most and len(self._kept) > 1:
                self._total -= self._size(self._kept.popitem(last=False)[1])


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
