"""`rewrite_store`: leave nothing in the database file of what was erased."""

from signet.db.rewrite import rewrite
from signet.domain.graph import latest_traversal
from signet.queue.job_context import JobContext
from signet_worker.context import Context


def rewrite_store(job: JobContext, context: Context) -> None:
    """Write the database anew; the job's own completion is the first thing in its new log."""
    # It is written some time after an answer: names in it may be gone.
    context.db.write(latest_traversal.drop)
    rewrite(context.workspace.database)
    job.commit(lambda tx: None)
