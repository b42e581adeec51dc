"""`connector_sync`: bring the documents of one connector in step with its folder."""

from signet.domain.connectors import sync
from signet.domain.documents.models import Rules
from signet.queue.job_context import JobContext
from signet_worker.context import Context


def connector_sync(job: JobContext, context: Context) -> None:
    """Do the job's sync."""
    sync.run(job, Rules.of(context.settings))
