"""One writer at a time per machine: an advisory lock that waits in line.

SQLite's own waiting sleeps in steps and starves writers; the kernel's queue for `flock` does not. The lock is
taken before BEGIN IMMEDIATE and released after COMMIT, by whoever has the writer's turn in a process. A killed
holder loses it at once.
"""

import fcntl
import os
from pathlib import Path


class Gate:
    """The write lock of one database, as a context manager. Not reentrant, for one thread."""

    def __init__(self, database: Path) -> None:
        path = database.with_name(database.name + ".gate")
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def __enter__(self) -> None:
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        self.leave()

    def try_enter(self) -> bool:
        """Take the lock if it is free; entering once more as a context manager is then no wait."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def leave(self) -> None:
        """Give the lock up; harmless when it is not held."""
        fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the lock file; an unreleased lock is released."""
        os.close(self._file)
