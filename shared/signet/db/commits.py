"""Detect commits of any process without reading a row."""

import math
import time
from pathlib import Path

from signet.db.driver import Connection, connect, sqlite

#: Seconds after which something may have changed without a commit.
QUIET_SECONDS = 5.0


class Commits:
    """Watches one database file; for one thread. Opens the file on first use."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._watcher: Connection | None = None

    def version(self) -> int:
        """Return a number that changes with each commit of any process."""
        if self._watcher is None:
            self._watcher = connect(self._path, read_only=True)
        return int(self._watcher.execute("PRAGMA data_version").fetchone()[0])

    def close(self) -> None:
        """Close the file, if it is open."""
        if self._watcher is not None:
            self._watcher.close()
            self._watcher = None


class News:
    """Reports whether rows may have changed since the last question; for one thread.

    Asking costs a twentieth of reading a row. On a server it would cost the same: there the answer is always yes.
    """

    def __init__(self, commits: Commits | None) -> None:
        self._commits = commits
        self._seen: int | None = None
        self._at = -math.inf

    def has_come(self) -> bool:
        """Return whether a process has committed or a few seconds have passed; also while that is unknown."""
        if self._commits is None:
            return True
        try:
            seen = self._commits.version()
        except sqlite.Error:
            return True
        now = time.monotonic()
        if seen == self._seen and now - self._at < QUIET_SECONDS:
            return False
        self._seen, self._at = seen, now
        return True

    def close(self) -> None:
        if self._commits is not None:
            self._commits.close()
