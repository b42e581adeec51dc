"""`retention_sweep`: let go of what is older than its window."""

from signet import clock
from signet.domain.retention import purge
from signet.domain.retention.windows import Windows
from signet.queue.held import Run
from signet_worker.context import Context


def retention_sweep(job: Run, context: Context) -> None:
    """Run the six steps in order and report what went."""
    windows = Windows.of(context.settings.retention)
    counts = purge.sweep(job.db, windows=windows, now=clock.now())
    job.commit(lambda tx: dict(counts))
