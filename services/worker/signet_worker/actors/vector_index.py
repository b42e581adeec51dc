"""`vector_index`: make the index as wide as the vectors that are made now."""

from signet.domain.embeddings import reindex
from signet.queue.job_context import JobContext
from signet_worker.context import Context


def vector_index(job: JobContext, context: Context) -> None:
    """Rebuild the index, if there is an embedder."""
    reindex.run(job, dimensions=context.settings.embedding.dimensions)
