"""`index_commits`: make the commit messages of a project findable for prompts to come."""

from signet.domain.episodes import commits
from signet.queue.job_context import JobContext
from signet_worker.context import Context


def index_commits(job: JobContext, context: Context) -> None:
    """Index the messages of the job's project."""
    commits.run(job, context.embedder(), masks=context.settings.memory.mask_secrets)
