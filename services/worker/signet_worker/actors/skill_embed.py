"""`skill_embed`: turn what a skill says of itself into a vector."""

from signet.domain.skills import embed as embedding
from signet.queue.held import Run
from signet_worker.context import Context


def skill_embed(job: Run, context: Context) -> None:
    """Embed the job's skill, if anybody makes vectors."""
    embedder = context.embedder()
    if embedder is None:
        job.commit(lambda tx: {"skipped": "embeddings_off"})
        return
    embedding.run(job, embedder)
