"""`cluster_entities`: find out which entities belong together."""

from signet.domain.knowledge import clustering
from signet.queue.held import Run
from signet_worker.context import Context


def cluster_entities(job: Run, context: Context) -> None:
    """Find the communities of the job's agent, or of all."""
    clustering.run(job)
