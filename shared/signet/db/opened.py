"""The files that a process has open as its database, and whether their paths still lead to them.

Whoever moves, replaces or deletes one of them leaves a process that writes where nobody will look. A file system
without lasting inode numbers is no such case: the kernel then shows the file under its path as before.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path

from signet.db.damage import WAY_BACK
from signet.errors import StorageDamaged, StorageMoved

_FDS = Path("/proc/self/fd")


class OpenedFiles:
    """The database file, its log and the log's index, as they were when they were opened."""

    def __init__(self, database: Path) -> None:
        self.database = database
        self._path = str(database)
        self._inode = database.stat().st_ino
        self._known = {
            path: found
            for end in ("", "-wal", "-shm")
            if (found := _identity(path := self._path + end)) is not None
        }

    def check(self) -> None:
        """Raise StorageMoved when the database's path leads elsewhere, StorageDamaged when it was emptied (2 µs)."""
        try:
            found = os.stat(self._path)  # noqa: PTH116  # Path.stat takes 2 µs more
        except OSError:
            raise StorageMoved(path=self._path) from None
        if found.st_ino != self._inode and not self._is_same(self._path):
            raise StorageMoved(path=self._path)
        if found.st_size == 0:
            raise StorageDamaged(
                f"{self._path} was emptied; nothing was written. {WAY_BACK}", path=self._path
            )

    def are_displaced(self) -> bool:
        """Return whether a path no longer leads to what was opened, except that of the log of an emptied database."""
        with suppress(FileNotFoundError):
            if self.database.stat().st_size == 0:
                return False
        return any(
            _identity(path) != known and not self._is_same(path)
            for path, known in self._known.items()
        )

    def have_left_log(self) -> bool:
        """Return whether another file has the database's path while the log at its path is still ours.

        SQLite would apply that log to the other file.
        """
        log, found = f"{self._path}-wal", _identity(self._path)
        if found in (None, self._known[self._path]) or self._is_same(self._path):
            return False
        return log in self._known and _identity(log) == self._known[log]

    def _is_same(self, path: str) -> bool:
        """Return whether the kernel shows an open file under this path; then its inode number has changed."""
        if sys.platform != "linux" or (found := _identity(path)) is None:
            return False
        real = os.path.realpath(path)
        for link in _FDS.iterdir():
            with suppress(OSError):
                if str(link.readlink()) == real:
                    self._known[path] = found
                    self._inode = self._known[self._path][1]
                    return True
        return False


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return found.st_dev, found.st_ino
