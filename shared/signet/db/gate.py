"""One writer at a time per machine: an advisory lock with a queue.

SQLite's own waiting sleeps in steps and starves writers. The kernel wakes a process that waits for a `flock`, but does
not hand the lock over: a writer that returns at once, as the worker does with a backlog, takes it before the woken one.
So there are two locks: a writer that waits for the gate holds the place in front of it, and one that returns must take
that place first.

The gate is taken before BEGIN IMMEDIATE and released after COMMIT, by the thread that has the writer's turn in a
process. A killed holder loses both at once.
"""

import fcntl
import os
import threading
from pathlib import Path


class WriteGate:
    """The write lock of one database, as a context manager. Not reentrant, for one thread."""

    def __init__(self, database: Path) -> None:
        """Open the lock's files next to the database; raises OSError."""
        self._file = _open(database, ".gate")
        try:
            self._next = _open(database, ".gate.next")
        except OSError:
            os.close(self._file)
            raise
        self._is_held = False
        self._entered = self._thread = 0

    @property
    def holding(self) -> tuple[int, int]:
        """Return how often this lock was taken, and the thread (native ID) that holds it; zeros while it is free."""
        thread = self._thread
        return (self._entered, thread) if thread else (0, 0)

    def __enter__(self) -> None:
        if not self._is_held:  # else a writer that waits for us to leave holds the place in front
            self._enter(0)

    def __exit__(self, *_: object) -> None:
        self.leave()

    def try_enter(self) -> bool:
        """Take the lock if it is free and no other writer waits; entering the context manager then does not wait."""
        try:
            self._enter(fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def leave(self) -> None:
        """Release the lock; harmless if it is not held."""
        if self._is_held:
            self._is_held = False
            self._thread = 0
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the files; an unreleased lock is released."""
        os.close(self._file)
        os.close(self._next)

    def _enter(self, how: int) -> None:
        fcntl.flock(self._next, fcntl.LOCK_EX | how)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | how)
            self._is_held = True
            self._entered += 1
            self._thread = threading.get_native_id()
        finally:
            fcntl.flock(self._next, fcntl.LOCK_UN)


def _open(database: Path, suffix: str) -> int:
    path = database.with_name(database.name + suffix)
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
