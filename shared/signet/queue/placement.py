"""Move waiting jobs: at each start to the queues of this version, and after the clock was set back to now.

An older or newer version, or the TypeScript product, may have queued a kind elsewhere. Kinds that this version does not
know wait in DEFAULT_QUEUE until a version that knows them starts.
"""

from datetime import datetime
from typing import NamedTuple

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.db.dialect import at_most
from signet.queue import retry
from signet.queue.enqueue import DUE
from signet.queue.kinds import DEFAULT_QUEUE, KINDS, QUEUES, UNKNOWN_KIND

#: Rows moved in one transaction, so that other writers get their turn.
BATCH = 1_000

_WAITING = "SELECT DISTINCT queue, job_type FROM memory_jobs WHERE status = 'pending'"
_MOVE = f"""
UPDATE memory_jobs
   SET queue = :target, updated_at = :now,
       error = CASE last_error_code WHEN '{UNKNOWN_KIND}' THEN NULL ELSE error END,
       last_error_code = NULLIF(last_error_code, '{UNKNOWN_KIND}')
 WHERE id IN (SELECT id FROM memory_jobs
               WHERE status = 'pending' AND queue = :queue AND job_type = :kind {at_most(":batch")})"""


class Move(NamedTuple):
    """Waiting jobs of one kind that belong in another queue."""

    queue: str
    kind: str
    target: str


def misplaced(tx: ReadTx) -> list[Move]:
    """Return what must move: known kinds outside their queue, unknown kinds in a queue without workers."""
    moves = []
    for queue, kind in tx.tuples(_WAITING):
        known = KINDS.get(kind)
        # In a served queue the worker decides: it may have an actor of that name.
        target = known.queue if known else queue if queue in QUEUES else DEFAULT_QUEUE
        if target != queue:
            moves.append(Move(queue, kind, target))
    return moves


def move(tx: WriteTx, wanted: Move, *, now: datetime) -> bool:
    """Move up to BATCH jobs; return whether more may be left."""
    moved = tx.run(_MOVE, {**wanted._asdict(), "now": clock.to_text(now), "batch": BATCH})
    tx.signal(DUE)
    return moved == BATCH


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
