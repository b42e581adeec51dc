"""Write down what this process notes (observe/record.py), once in a while and only when there is something.

An idle process wakes for nothing and writes nothing. What cannot be written now is kept and written later; nobody who
notes something ever waits for it.
"""

import threading
from typing import Protocol

from signet.db import Database, WriteTx
from signet.errors import SignetError
from signet.observe import logs
from signet.observe.record import PENDING, Seen
from signet.process.settings_reload import LiveSettings

log = logs.get("system")

#: What counts is written so soon after it was noted; so is all that the processes behind the API note.
GATHER_SECONDS = 1.0


class Keep(Protocol):
    """Writes notes in an open transaction; events only when they are wanted."""

    def __call__(self, tx: WriteTx, seen: Seen, *, keeps_events: bool) -> None: ...


class Recording:
    """Writes the notes of this process; `flush` may be called from any thread."""

    def __init__(
        self, db: Database, live: LiveSettings, keep: Keep, *, gathers: bool = False
    ) -> None:
        """With `gathers`, events alone wait until there are many or the first has waited long: the API's come by
        the thousand. What was noted before is dropped, because it belongs to no database."""
        self._db = db
        self._live = live
        self._keep = keep
        self._gathers = gathers
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="recording", daemon=True)
        PENDING.take()

    def start(self) -> None:
        """Start to write in the background."""
        self._thread.start()

    def stop(self) -> None:
        """End, and write what is left."""
        self._stop.set()
        PENDING.is_there.set()
        self._thread.join()
        self.flush()

    def flush(self) -> None:
        """Write what is there now; keeps it for later when the database cannot take it."""
        taken = PENDING.take()
        if not taken:
            return
        try:
            self._db.write_quick(self._write, taken)
        except SignetError:
            PENDING.put_back(taken)

    async def aflush(self) -> None:
        """Do what `flush` does, for asyncio callers."""
        taken = PENDING.take()
        if not taken:
            return
        try:
            await self._db.awrite_quick(self._write, taken)
        except SignetError:
            PENDING.put_back(taken)

    def _write(self, tx: WriteTx, seen: Seen) -> None:
        self._keep(tx, seen, keeps_events=self._live.settings.pipeline.telemetry_enabled)

    def _run(self) -> None:
        while not self._stop.is_set():
            PENDING.is_there.wait()
            if self._stop.wait(GATHER_SECONDS):
                return
            try:
                if self._is_due(*PENDING.look()):
                    self.flush()
            except Exception:  # its trouble must not end the recording
                log.exception("recording.failed")

    def _is_due(self, is_urgent: bool, events: int, waited_seconds: float) -> bool:
        telemetry = self._live.settings.pipeline.telemetry
        return (
            is_urgent
            or not self._gathers
            or events >= telemetry.flush_batch_size
            or waited_seconds * 1000 >= telemetry.flush_interval_ms
        )
