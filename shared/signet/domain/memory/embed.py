"""One embed job: the text of a memory becomes its vectors.

The vectors are stored only if the text is still the one that was read: its content hash is compared in the
transaction that stores them.
"""

from signet import clock
from signet.db import WriteTx
from signet.domain.embeddings import vectors as embeddings
from signet.domain.embeddings.models import Gap
from signet.domain.embeddings.vectors import embedded
from signet.domain.memory import marks
from signet.providers.ports import Embedder
from signet.queue import Job, enqueue
from signet.queue.job_context import JobContext


def run(job: JobContext, embedder: Embedder) -> None:
    """Embed the job's memory and complete the job; raises what the provider raises, LeaseLost, Cancelled."""
    memory_id = job.lease.memory_id or ""
    gap = job.db.read(embeddings.gap, memory_id, model=embedder.model)
    if gap is None:
        job.commit(lambda tx: {"skipped": "nothing_to_embed"})
        return
    pieces = embeddings.split_passages(gap.content)
    vectors = embedded(embedder, pieces)
    job.check()
    pairs = list(zip(pieces, vectors, strict=True))
    attempts = job.lease.max_attempts
    job.commit(lambda tx: _store(tx, gap, pairs, embedder.model, attempts), durable=False)


def _store(
    tx: WriteTx, gap: Gap, pairs: list[tuple[str, bytes]], model: str, attempts: int
) -> dict[str, object]:
    current, now = embeddings.gap(tx, gap.memory_id, model=model), clock.now()
    if current is None:
        return {"skipped": "nothing_to_embed"}
    if current.content_hash != gap.content_hash:
        # Whoever changed the text could not queue its embedding, because this job was still open.
        again = Job(kind="embed", memory_id=gap.memory_id)
        enqueue(tx, again, now=now, max_attempts=attempts)
        return {"skipped": "memory_changed"}
    marks.set_vectors(tx, gap.memory_id, current.content_hash, pairs, model, now)
    return {"passages": len(pairs)}
