"""`embed`: turn the text of one memory into vectors."""

from signet.domain.embeddings import embed as embedding
from signet.queue.held import Run
from signet_worker.context import Context


def embed(job: Run, context: Context) -> None:
    """Embed the job's memory, if anybody makes vectors."""
    embedder = context.embedder()
    if embedder is None:
        job.commit(lambda tx: {"skipped": "embeddings_off"})
        return
    embedding.run(job, embedder)
