"""`index_session`: make a session findable for prompts to come."""

from signet.domain.episodes import index
from signet.queue.held import Run
from signet_worker.context import Context


def index_session(job: Run, context: Context) -> None:
    """Index the job's session."""
    index.run(job, context.embedder())
