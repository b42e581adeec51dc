"""`umap_projection`: draw the map that was asked for."""

from signet.domain.projection import project
from signet.domain.projection.models import View
from signet.queue.job_context import JobContext
from signet_worker.context import Context


def umap_projection(job: JobContext, context: Context) -> None:
    """Draw the job's map."""
    project.run(job, View.of(job.lease.payload))
