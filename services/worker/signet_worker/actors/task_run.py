"""`task_run`: one run of a scheduled task."""

from signet.domain.tasks.perform import perform
from signet.queue.job_context import JobContext
from signet_worker import processors
from signet_worker.context import Context


def task_run(job: JobContext, context: Context) -> None:
    """Give the prompt of the task to its harness and wait for the end."""
    with processors.whole():
        perform(job, context.settings, context.workspace)
