"""Notice jumps of the wall clock, and repair due times.

Due times are wall-clock times. After a clock was ahead (dual boot, no clock battery, a virtual machine), work stays
due that far in the future. Each tick compares the wall clock with one that ignores changes and runs while the machine
sleeps, so sleep is not a jump. The start compares it with the newest recorded beat, and once a minute due times
beyond our longest delay are corrected, whatever the cause.
"""

from datetime import datetime

from signet import clock
from signet.clock import Clock
from signet.db import Database, ReadTx, WriteTx, clock_jumps, schedule
from signet.domain.tasks import run
from signet.observe import logs
from signet.queue import circuit_breaker, placement

log = logs.get("scheduler")

#: Smaller differences are NTP corrections and pauses of a busy machine.
STEP_MS = 5_000
#: Ticks between two searches for late due times.
SEARCH_EVERY = 60


class ClockGuard:
    """Compares the clocks of this machine; for one thread."""

    def __init__(self, db: Database, clock: Clock = clock.SYSTEM) -> None:
        """Compare the time with the last daemon's."""
        self._db = db
        self._clock = clock
        self._wall, self._elapsed = clock.wall_ms(), clock.elapsed_ms()
        self._looks = 0
        newest = max(db.read(schedule.last_runs).values(), default=self._wall)
        gained = self._wall - newest
        is_leap = gained >= clock_jumps.LEAP.total_seconds() * 1000
        if gained <= -STEP_MS or is_leap:
            self._note(gained)

    def poll(self) -> None:
        """Compare the clocks with those of the last call."""
        wall, elapsed = self._clock.wall_ms(), self._clock.elapsed_ms()
        gained = (wall - self._wall) - (elapsed - self._elapsed)
        self._wall, self._elapsed = wall, elapsed
        if abs(gained) >= STEP_MS:
            self._note(gained)
        if self._looks % SEARCH_EVERY == 0 or gained <= -STEP_MS:
            self._repair()
        self._looks += 1

    def _note(self, gained_ms: int) -> None:
        now = self._clock.now()
        log.warning("clock.jumped", seconds=round(gained_ms / 1000))
        self._db.write(clock_jumps.record, gained_ms / 1000, now=now)

    def _repair(self) -> None:
        now = self._clock.now()
        if self._db.read(_are_late, now=now):
            moved = self._db.write(_bring_forward, now=now)
            log.warning("clock.due_times_corrected", jobs=moved)


def _are_late(tx: ReadTx, *, now: datetime) -> bool:
    return (
        placement.are_late(tx, now=now)
        or circuit_breaker.is_late(tx, now=now)
        or bool(run.late(tx, now=now))
    )


def _bring_forward(tx: WriteTx, *, now: datetime) -> int:
    circuit_breaker.bring_forward(tx, now=now)
    run.bring_forward(tx, now=now)
    return placement.bring_forward(tx, now=now)
