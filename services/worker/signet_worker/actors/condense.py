"""`condense`: let one summary stand for several."""

from signet.domain.summaries import condense as condensing
from signet.errors import NotNow
from signet.queue.job_context import JobContext
from signet_worker.context import Context


def condense(job: JobContext, context: Context) -> None:
    """Condense the job's summaries; it waits while nothing may be changed."""
    if not context.may_write():
        raise NotNow
    attempts = context.settings.pipeline.worker.max_retries
    condensing.run(job, context.note_taker(), attempts=attempts)
