"""`graph_upkeep`: let weights fade, and what has lost its ground."""

from signet import clock
from signet.domain.knowledge import upkeep
from signet.queue.held import Run
from signet_worker.context import Context


def graph_upkeep(job: Run, context: Context) -> None:
    """Do what is due in the graph."""
    upkeep.run(job, context.settings.pipeline.feedback, now=clock.now())
