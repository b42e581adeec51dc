"""What time does to the graph: attributes lose their ground, weights fade, tasks run out.

What is to be done is looked up without the write lock; it is written in short steps, each of which may be repeated.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TypeVar

from signet.config.pipeline import Feedback
from signet.domain.graph import feedback, tasks
from signet.queue.job_context import JobContext

T = TypeVar("T")

#: Rows that are changed in one transaction.
BATCH = 200


def run(job: JobContext, settings: Feedback, *, now: datetime) -> None:
    """Do everything that is due and complete the job with what it did; raises LeaseLost, Cancelled."""
    forgotten = job.db.read(feedback.forgotten)
    for some in _batches(forgotten):
        job.check()
        job.db.write_quick(feedback.retire, some, now=now)
    fades = settings.enabled and settings.decay_enabled
    stale = job.db.read(feedback.stale, settings, now=now) if fades else []
    for part in _batches(stale):
        job.check()
        job.db.write_quick(feedback.fade, part, settings, now=now)
    cancelled = 0
    while some_more := job.db.write_quick(tasks.cancel_expired, now=now, limit=BATCH):
        cancelled += some_more
    done = {"retired": len(forgotten), "faded": len(stale), "tasksCancelled": cancelled}
    job.commit(lambda tx: done)


def _batches(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(rows), BATCH):
        yield rows[start : start + BATCH]
