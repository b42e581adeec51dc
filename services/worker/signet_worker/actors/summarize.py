"""`summarize`: turn one session into notes and facts."""

from signet.domain.summaries import summarize as summaries
from signet.errors import NotNow
from signet.queue.job_context import JobContext
from signet_worker.context import Context


def summarize(job: JobContext, context: Context) -> None:
    """Read the job's session; it waits while nothing may be changed (JOB-20)."""
    if not context.may_write():
        raise NotNow
    reader = context.note_taker()
    summaries.run(job, reader, lambda: context.settings, context.workspace.root)
