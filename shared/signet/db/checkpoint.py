"""Move the write-ahead log into the database file; run by one process only, the scheduler.

While a process writes much, its own commits do the same each `driver.LOG_PAGES`, under the write gate. SQLite before
3.51.3 has a rare race between checkpoints and commits: there this one runs under the gate too.
"""

import contextlib
import time
from pathlib import Path

from signet.db.driver import connect, sqlite, version_is_safe
from signet.db.gate import Gate
from signet.observe import metrics

#: A log of this size is moved at the next look; a smaller one when it has been quiet for a while.
BUSY_BYTES = 4_000_000
QUIET_SECONDS = 2.0
#: After this much quiet the log file is cut to nothing.
IDLE_SECONDS = 30.0


class Checkpointer:
    """Looks at the log once in a while and moves it when it pays; for one thread."""

    def __init__(self, database: Path) -> None:
        self._log = database.with_name(database.name + "-wal")
        self._connection = connect(database)
        self._connection.execute("PRAGMA busy_timeout = 0")
        self._gate = Gate(database)
        self._moved = 0
        self._cut = 0

    def look(self) -> str | None:
        """Checkpoint if it is time; return the mode that ran, None when there was nothing to do."""
        try:
            found = self._log.stat()
        except FileNotFoundError:
            return None
        if found.st_size == 0:
            return None
        changed, quiet = found.st_mtime_ns, time.time() - found.st_mtime
        if quiet >= IDLE_SECONDS and self._cut != changed:
            with self._gate:
                return self._run("TRUNCATE", changed)
        if self._moved == changed or (found.st_size < BUSY_BYTES and 0 <= quiet < QUIET_SECONDS):
            return None
        with contextlib.nullcontext() if version_is_safe() else self._gate:
            return self._run("PASSIVE", changed)

    def _run(self, mode: str, changed: int) -> str | None:
        """Checkpoint and note which state of the log is done with; None when a reader was in the way."""
        try:
            with metrics.CHECKPOINT_SECONDS.time():
                busy, frames, moved = self._connection.execute(
                    f"PRAGMA wal_checkpoint({mode})"
                ).fetchone()
        except sqlite.OperationalError:
            return None  # locked, or a full disk: the log stays until the next look
        if busy or moved < frames:
            return None
        self._moved = changed
        if mode == "TRUNCATE":
            self._cut = changed
        return mode

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
        self._gate.close()
