"""`maintenance`: look at everything, and put right what can be put right without a person."""

from signet.domain.maintenance import cycle
from signet.queue.job_context import JobContext
from signet_worker.context import Context


def maintenance(job: JobContext, context: Context) -> None:
    """Run one cycle, unless the settings have turned it off meanwhile."""
    if not cycle.is_on(context.settings):
        job.commit(lambda tx: {"skipped": "maintenance_off"})
        return
    done = cycle.tick(job.db, context.settings, context.workspace, context, check=job.check)
    job.commit(lambda tx: done.as_dict())
