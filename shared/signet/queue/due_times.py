"""Due times after the wall clock was set back."""

from datetime import datetime

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.queue import retry
from signet.queue.enqueue import DUE

#: Longer than every delay of ours: later due times come from a clock that was ahead.
LONGEST_DELAY_MS = retry.SETTINGS_WAIT_MS + 300_000

_LATE = f"status = 'pending' AND due_ms > :wall + {LONGEST_DELAY_MS}"
_ARE_LATE = f"SELECT 1 FROM memory_jobs WHERE {_LATE} LIMIT 1"
_BRING_FORWARD = f"UPDATE memory_jobs SET due_ms = :wall, updated_at = :now WHERE {_LATE}"


def are_late(tx: ReadTx, *, now: datetime) -> bool:
    """Return whether a job waits longer than any delay of ours."""
    return tx.one(_ARE_LATE, {"wall": int(now.timestamp() * 1000)}) is not None


def bring_forward(tx: WriteTx, *, now: datetime) -> int:
    """Make due what waits longer than any delay of ours, and return how many jobs that were."""
    wall = int(now.timestamp() * 1000)
    moved = tx.run(_BRING_FORWARD, {"wall": wall, "now": clock.to_text(now)})
    tx.signal(DUE)
    return moved
