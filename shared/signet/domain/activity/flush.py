"""Write what this process has recorded (observe/record.py), once in a while and only when there is something.

An idle process neither wakes up nor writes. What cannot be written now is written later; code that records something
never waits for that.
"""

import threading

from signet.db import Database, WriteTx
from signet.domain.activity import write
from signet.errors import SignetError
from signet.observe import logs
from signet.observe.record import BUFFER, Batch
from signet.process.settings_reload import LiveSettings

log = logs.get("system")

#: Counts, errors and outcomes are written this long after the first was recorded; so are events outside the API.
GATHER_SECONDS = 1.0


class Flusher:
    """Writes what this process has recorded; `flush` may be called from any thread."""

    def __init__(self, db: Database, live: LiveSettings, *, gathers: bool = False) -> None:
        """With `gathers`, events alone wait until there are many or the first has waited long: the API records
        thousands. What was recorded before is dropped, because it belongs to no database."""
        self._db = db
        self._live = live
        self._gathers = gathers
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="flusher", daemon=True)
        BUFFER.take()

    def start(self) -> None:
        """Start to write in the background."""
        self._thread.start()

    def stop(self) -> None:
        """End, and write what is left."""
        self._stop.set()
        BUFFER.has_items.set()
        self._thread.join()
        self.flush()

    def flush(self) -> None:
        """Write what is there now; keep it for later when the database cannot take it."""
        taken = BUFFER.take()
        if not taken:
            return
        try:
            self._db.write_quick(self._write, taken)
        except SignetError:
            BUFFER.put_back(taken)

    async def aflush(self) -> None:
        """Do what `flush` does, for asyncio callers."""
        taken = BUFFER.take()
        if not taken:
            return
        try:
            await self._db.awrite_quick(self._write, taken)
        except SignetError:
            BUFFER.put_back(taken)

    def _write(self, tx: WriteTx, taken: Batch) -> None:
        keeps_events = self._live.settings.pipeline.telemetry_enabled
        write.batch(tx, taken, keeps_events=keeps_events)

    def _run(self) -> None:
        while not self._stop.is_set():
            BUFFER.has_items.wait()
            if self._stop.wait(GATHER_SECONDS):
                return
            try:
                if self._is_due(*BUFFER.state()):
                    self.flush()
            except Exception:  # one that fails must not end the thread
                log.exception("recording.failed")

    def _is_due(self, is_urgent: bool, events: int, waited_seconds: float) -> bool:
        telemetry = self._live.settings.pipeline.telemetry
        return (
            is_urgent
            or not self._gathers
            or events >= telemetry.flush_batch_size
            or waited_seconds * 1000 >= telemetry.flush_interval_ms
        )
