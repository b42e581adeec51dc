"""Move the write-ahead log into the database file; only the scheduler runs this.

The log file keeps its size, because overwriting it is cheaper than extending it (see `driver.LOG_PAGES`). After a large
transaction it is truncated, and the last process to close the database removes it. While a process writes much, its own
commits move the log each `driver.LOG_PAGES`, under the write gate. SQLite before 3.51.3 has a rare race between
checkpoints and commits: there this checkpoint runs under the gate too.
"""

import contextlib
from pathlib import Path

from signet.db import damage
from signet.db.driver import LOG_BYTES, connect, sqlite, version_is_safe
from signet.db.gate import WriteGate
from signet.observe import metrics


class Checkpointer:
    """Checks the log from time to time and moves it when worthwhile; for one thread."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._log = database.with_name(database.name + "-wal")
        self._connection = connect(database)
        self._connection.execute("PRAGMA busy_timeout = 0")
        self._gate = WriteGate(database)
        self._mark = damage.Mark(database)
        self._moved = 0

    def poll(self) -> bool:
        """Move the log if it has changed since it was last moved completely; return whether all of it was moved.

        Skips a file that was emptied: it would look like a small intact one.
        """
        try:
            found = self._log.stat()
            if self._database.stat().st_size == 0:
                return False
        except FileNotFoundError:
            return False
        if found.st_size == 0 or found.st_mtime_ns == self._moved:
            return False
        try:
            mark = self._mark.newest(self._connection)
            with contextlib.nullcontext() if version_is_safe() else self._gate:
                is_moved = self._checkpoint("PASSIVE")
            if is_moved:
                self._mark.write(mark)
                self._moved = found.st_mtime_ns
                if found.st_size > LOG_BYTES:
                    with self._gate:
                        self._checkpoint("TRUNCATE")
        except sqlite.Error as error:  # locked, or a full disk: the log stays until the next check
            damage.note_error(self._connection, error)
            return False
        return is_moved

    def _checkpoint(self, mode: str) -> bool:
        with metrics.CHECKPOINT_SECONDS.time():
            statement = f"PRAGMA wal_checkpoint({mode})"
            busy, frames, moved = self._connection.execute(statement).fetchone()
        return not busy and moved >= frames

    def close(self) -> None:
        """Move the log a last time, so that the mark has the newest change, and close the connection."""
        self.poll()
        self._connection.close()
        self._mark.close()
        self._gate.close()
