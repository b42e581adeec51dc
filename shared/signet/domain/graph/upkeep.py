"""What time does to the graph: attributes lose their source, weights fade, tasks expire.

What is due is read outside the write transaction and written in short steps, each of which may be repeated.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TypeVar

from signet import clock
from signet.config.pipeline import FeedbackSettings
from signet.db import WriteTx
from signet.domain.graph import feedback
from signet.domain.graph.sql import attributes, entities
from signet.queue.job_context import JobContext

T = TypeVar("T")

#: Rows that are changed in one transaction.
BATCH = 200


def run(job: JobContext, settings: FeedbackSettings, *, now: datetime) -> None:
    """Do everything that is due and complete the job with what it did; raises LeaseLost, Cancelled."""
    unfounded = job.db.read(lambda tx: tx.column(attributes.UNFOUNDED))
    for some in _batches(unfounded):
        job.check()
        job.db.write_quick(attributes.retire, some, at=clock.to_text(now))
    fades = settings.enabled and settings.decay_enabled
    stale = job.db.read(feedback.stale, settings, now=now) if fades else []
    for part in _batches(stale):
        job.check()
        job.db.write_quick(feedback.fade, part, settings, now=now)
    cancelled = 0
    while some_more := job.db.write_quick(cancel_expired, now=now, limit=BATCH):
        cancelled += some_more
    done = {"retired": len(unfounded), "faded": len(stale), "tasksCancelled": cancelled}
    job.commit(lambda tx: done)


def _batches(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(rows), BATCH):
        yield rows[start : start + BATCH]


def cancel_expired(tx: WriteTx, *, now: datetime, limit: int) -> int:
    """Cancel open tasks that have expired; return how many."""
    return tx.run(entities.CANCEL, (clock.to_text(now), limit))


def delete_ended(tx: WriteTx, *, now: datetime, limit: int) -> int:
    """Delete ended tasks whose retention is over, never one that a person has pinned (KG-22); return how many."""
    gone = tx.column(entities.ENDED, (clock.to_text(now), limit))
    entities.delete(tx, gone)
    return len(gone)
