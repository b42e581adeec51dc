"""`embed`: turn the text of one memory into vectors."""

from signet.domain.embeddings import embed as embedding
from signet.queue.job_context import JobContext
from signet_worker.context import Context


def embed(job: JobContext, context: Context) -> None:
    """Embed the job's memory, if anybody makes vectors; what is left out now is a gap that is found later."""
    embedder = context.embedder()
    if embedder is None or not context.settings.pipeline.enabled:
        job.commit(lambda tx: {"skipped": "embeddings_off"})
        return
    embedding.run(job, embedder)
