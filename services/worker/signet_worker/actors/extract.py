"""`extract`: distil one memory into facts."""

from signet.domain.extraction import pipeline
from signet.domain.extraction.apply import Mode
from signet.queue.job_context import JobContext
from signet_worker.context import Context


def extract(job: JobContext, context: Context) -> None:
    """Run the extraction pipeline for the job's memory."""
    distiller = context.distiller()
    if distiller is None or pipeline.mode_of(context.settings) is Mode.DISABLED:
        job.commit(lambda tx: {"skipped": "extraction_off"})
        return
    pipeline.run(job, distiller, context.embedder(), lambda: context.settings)
