"""`cluster_entities`: find out which entities belong together."""

from signet.domain.graph import communities
from signet.domain.repair import run
from signet.queue.job_context import JobContext
from signet_worker.context import Context


def cluster_entities(job: JobContext, context: Context) -> None:
    """Find the communities of the agent that the job names, or of all."""
    if "action" in job.lease.payload:
        run.in_worker(job, context.settings, context.workspace, context)
    else:
        communities.run(job)
