"""`graph_upkeep`: let weights fade, and what has lost its ground or was said otherwise since."""

from signet import clock
from signet.domain.extraction import corrections
from signet.domain.graph import contradictions, upkeep
from signet.queue.job_context import JobContext
from signet_worker.context import Context


def graph_upkeep(job: JobContext, context: Context) -> None:
    """Do what is due in the graph."""
    pipeline, now = context.settings.pipeline, clock.now()
    structural = pipeline.structural
    sweeps = structural.supersession_enabled and structural.supersession_sweep_enabled
    if sweeps and context.may_write():
        contradictions.sweep(
            job,
            supersede=corrections.supersede_attributes,
            least=structural.supersession_min_confidence,
            now=now,
        )
    upkeep.run(job, pipeline.feedback, now=now)
