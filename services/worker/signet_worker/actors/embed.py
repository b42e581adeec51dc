"""`embed`: turn the text of one memory into vectors."""

from signet.domain.memory import embed as embedding
from signet.queue.job_context import JobContext
from signet_worker.context import Context


def embed(job: JobContext, context: Context) -> None:
    """Embed the job's memory, if there is an embedder; what is skipped now is found later as a gap."""
    embedder = context.embedder()
    if embedder is None or not context.settings.pipeline.enabled:
        job.commit(lambda tx: {"skipped": "embeddings_off"})
        return
    embedding.run(job, embedder)
