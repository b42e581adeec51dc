"""`skill_embed`: turn what a skill says of itself into a vector."""

from signet.domain.skills import embed as embedding
from signet.queue.job_context import JobContext
from signet_worker.context import Context


def skill_embed(job: JobContext, context: Context) -> None:
    """Embed the job's skill, if there is an embedder."""
    embedder = context.embedder()
    if embedder is None:
        job.commit(lambda tx: {"skipped": "embeddings_off"})
        return
    embedding.run(job, embedder)
