"""What time does to the graph: attributes lose their source, weights fade, tasks expire.

What is due is read outside the write transaction and written in short steps, each of which may be repeated.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TypeVar

from signet import clock
from signet.config.pipeline import Feedback
from signet.domain.graph import feedback, tasks
from signet.domain.graph.sql import attributes
from signet.queue.job_context import JobContext

T = TypeVar("T")

#: Rows that are changed in one transaction.
BATCH = 200


def run(job: JobContext, settings: Feedback, *, now: datetime) -> None:
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
    while some_more := job.db.write_quick(tasks.cancel_expired, now=now, limit=BATCH):
        cancelled += some_more
    done = {"retired": len(unfounded), "faded": len(stale), "tasksCancelled": cancelled}
    job.commit(lambda tx: done)


def _batches(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(rows), BATCH):
        yield rows[start : start + BATCH]
