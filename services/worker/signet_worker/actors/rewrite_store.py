"""`rewrite_store`: leave nothing in the database file of what was erased."""

from signet.db.rewrite import rewrite
from signet.queue.job_context import JobContext
from signet_worker.context import Context


def rewrite_store(job: JobContext, context: Context) -> None:
    """Write the database anew; the job's own completion is the first thing in its new log."""
    rewrite(context.workspace.database)
    job.commit(lambda tx: None)
