"""`index_session`: make a session findable for prompts to come."""

from signet.domain.episodes import index
from signet.queue.job_context import JobContext
from signet_worker.context import Context


def index_session(job: JobContext, context: Context) -> None:
    """Index the job's session."""
    index.run(job, context.embedder())
