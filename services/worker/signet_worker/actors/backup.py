"""`backup`: the copy of the day."""

from signet import clock
from signet.domain.backup import automatic
from signet.queue.job_context import JobContext
from signet_worker.context import Context


def backup(job: JobContext, context: Context) -> None:
    """Make the copy of the day, unless an earlier run of this job has."""
    path = automatic.daily(
        context.workspace,
        keep=context.settings.backup.keep,
        now=clock.now(),
        tell=lambda done, total: job.check(),
    )
    job.commit(lambda tx: {"path": str(path)})
