"""`document_ingest`: get the text of one document and cut it into memories."""

from signet.domain.documents import ingest
from signet.domain.documents.models import Rules
from signet.queue.job_context import JobContext
from signet_worker.context import Context


def document_ingest(job: JobContext, context: Context) -> None:
    """Read the job's document."""
    ingest.run(job, Rules.of(context.settings), context.workspace.root)
