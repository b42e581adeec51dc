"""The files that a process has opened as its database, and whether their paths still lead to them.

A process whose file is moved, replaced or deleted writes to a file that no one reads. A file system without stable
inode numbers is an exception: there the kernel still shows the file under its path.
"""

import os
from contextlib import suppress
from pathlib import Path

from signet.db.damage import WAY_BACK
from signet.errors import StorageDamaged, StorageMoved
from signet.files import identity_of

_FDS = Path("/proc/self/fd")
#: Opens a file only by name: closing such a descriptor releases none of SQLite's locks. Linux only.
_ONLY_NAMED = getattr(os, "O_PATH", None)


class OpenedFiles:
    """Identity of the database file, its log and the log's index at the time of opening."""

    def __init__(self, database: Path) -> None:
        self.database = database
        self._path = str(database)
        self._inode = database.stat().st_ino
        self._known = {
            path: found
            for end in ("", "-wal", "-shm")
            if (found := identity_of(path := self._path + end)) is not None
        }
        #: Descriptors of these very files; a newly opened one might lead to a replacement.
        self._named: dict[str, int] = {}
        if _ONLY_NAMED is not None:
            for path in self._known:
                with suppress(OSError):
                    self._named[path] = os.open(path, _ONLY_NAMED | os.O_CLOEXEC)

    def check(self) -> None:
        """Raise StorageMoved if the database's path leads elsewhere, StorageDamaged if it was emptied (2 µs)."""
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
        """Return whether a path no longer leads to the opened file, except the log of an emptied database."""
        with suppress(FileNotFoundError):
            if self.database.stat().st_size == 0:
                return False
        return any(
            identity_of(path) != known and not self._is_same(path)
            for path, known in self._known.items()
        )

    def have_left_log(self) -> bool:
        """Return whether another file has the database's path while the log at its path is still ours.

        SQLite would apply that log to the other file.
        """
        log, found = f"{self._path}-wal", identity_of(self._path)
        if found in (None, self._known[self._path]) or self._is_same(self._path):
            return False
        return log in self._known and identity_of(log) == self._known[log]

    def _is_same(self, path: str) -> bool:
        """Return whether the kernel shows the opened file under this path; then only its inode number has changed."""
        if path not in self._named or (found := identity_of(path)) is None:
            return False
        try:
            shown = os.readlink(_FDS / str(self._named[path]))  # noqa: PTH115
        except OSError:
            return False
        if shown != os.path.realpath(path):
            return False
        self._known[path] = found
        self._inode = self._known[self._path][1]
        return True

    def close(self) -> None:
        """Close the descriptors of the files; later checks compare inode numbers alone."""
        while self._named:
            os.close(self._named.popitem()[1])
