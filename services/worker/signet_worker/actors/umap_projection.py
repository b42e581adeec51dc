"""`umap_projection`: draw the map that somebody has asked for."""

from signet.domain.projection import project
from signet.domain.projection.models import View
from signet.queue.held import Run
from signet_worker.context import Context


def umap_projection(job: Run, context: Context) -> None:
    """Draw the job's map."""
    project.run(job, View.of(job.lease.payload))
