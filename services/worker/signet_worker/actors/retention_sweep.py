"""`retention_sweep`: let go of what is older than its window."""

from datetime import datetime

from signet import clock
from signet.db import WriteTx
from signet.domain.retention import purge
from signet.domain.retention.purge import Swept
from signet.domain.retention.windows import Windows
from signet.queue import BULK, Job, enqueue
from signet.queue.job_context import JobContext
from signet_worker.context import Context

#: A sweep ends well within the time limit of its job; another one goes on with the rest.
MOST_MS = 200_000


def retention_sweep(job: JobContext, context: Context) -> None:
    """Run the steps in order and report what went."""
    settings, now = context.settings.retention, clock.now()
    ends_at = clock.monotonic_ms() + MOST_MS

    def expired() -> bool:
        job.check()
        return clock.monotonic_ms() >= ends_at

    swept = purge.sweep(
        job.db,
        windows=Windows.of(context.settings),
        now=now,
        limit=settings.batch_limit,
        expired=expired,
    )
    job.commit(lambda tx: _result(tx, swept, now))


def _result(tx: WriteTx, swept: Swept, now: datetime) -> dict[str, object]:
    if not swept.is_finished:
        slot = f"after {clock.to_text(now)}"
        enqueue(tx, Job(kind="retention_sweep", dedupe_key=slot, priority=BULK), now=now)
    return dict(swept.counts)
