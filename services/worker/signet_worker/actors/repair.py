"""`repair`: run the repair that was asked for, in small steps."""

from signet.domain.repair import run
from signet.queue.job_context import JobContext
from signet_worker.context import Context


def repair(job: JobContext, context: Context) -> None:
    """Do the job's repair."""
    run.in_worker(job, context.settings, context.workspace, context)
