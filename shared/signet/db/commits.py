"""Detect commits of any process without reading a row."""

from pathlib import Path

from signet.db.driver import Connection, connect


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
