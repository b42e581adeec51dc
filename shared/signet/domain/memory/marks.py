"""Fields of a memory that do not change its version: extraction, vectors, hints, uses, and its place in a file."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from signet import clock, ids
from signet.db import ReadTx, WriteTx
from signet.db.dialect import as_list
from signet.domain.embeddings import vectors as embeddings
from signet.domain.embeddings.models import Gap
from signet.domain.embeddings.vectors import embedded
from signet.domain.memory.models import Rules
from signet.domain.memory.sql import memories as sql
from signet.providers.ports import Embedder
from signet.queue import NewJob, enqueue
from signet.queue.job_context import JobContext


def set_extraction(tx: WriteTx, memory_id: str, status: str, model: str | None) -> None:
    tx.run(sql.SET_EXTRACTION, (status, model, memory_id))


def set_vectors(
    tx: WriteTx,
    memory_id: str,
    content_hash: str,
    passages: Sequence[tuple[str, bytes]],
    model: str,
    now: datetime,
) -> None:
    """Replace a memory's vectors by these (passage, vector) pairs, and store their model.

    The caller checks that the memory still has this `content_hash`.
    """
    embeddings.replace(tx, memory_id, content_hash, passages, model, now)
    tx.run(sql.SET_VECTOR_MODEL, (model, memory_id))


def count_use(tx: WriteTx, memory_ids: Iterable[str], *, now: datetime) -> None:
    at = clock.to_text(now)
    tx.many(sql.COUNT_USE, [(at, memory_id) for memory_id in memory_ids])


def count_showing(tx: WriteTx, memory_ids: Iterable[str]) -> None:
    """Count a use of each memory without postponing its decay (HK-45)."""
    tx.many(sql.COUNT_SHOWING, [(memory_id,) for memory_id in memory_ids])


def set_place(
    tx: WriteTx, memory_ids: Iterable[str], *, path: str | None, section: str | None
) -> None:
    tx.many(sql.SET_PLACE, [(path, section, memory_id) for memory_id in memory_ids])


def queue_reading(
    tx: WriteTx,
    memory_id: str,
    agent_id: str,
    rules: Rules,
    now: datetime,
    *,
    extract: bool,
    embed: bool,
) -> None:
    for kind, wanted in (("extract", extract), ("embed", embed)):
        if wanted:
            job = NewJob(kind=kind, memory_id=memory_id, agent_id=agent_id, priority=rules.priority)
            enqueue(tx, job, now=now, max_attempts=rules.attempts)


def run_embedding(job: JobContext, embedder: Embedder) -> None:
    """Embed the job's memory and complete the job; raises the provider's errors, LeaseLost, Cancelled."""
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
        # The change could not queue an embedding, because this job was still open.
        again = NewJob(kind="embed", memory_id=gap.memory_id)
        enqueue(tx, again, now=now, max_attempts=attempts)
        return {"skipped": "memory_changed"}
    set_vectors(tx, gap.memory_id, current.content_hash, pairs, model, now)
    return {"passages": len(pairs)}


def add_hints(
    tx: WriteTx, memory_id: str, hints: Iterable[str], *, agent_id: str, at: datetime
) -> int:
    text = clock.to_text(at)
    return sum(
        tx.run(sql.ADD_HINT, (ids.new_ordered_id(), memory_id, agent_id, hint, text))
        for hint in hints
    )


def drop_hints(tx: WriteTx, memory_id: str) -> int:
    return tx.run(sql.DELETE_HINTS, (memory_id,))


def has_hints(tx: ReadTx, memory_id: str) -> bool:
    return tx.value(sql.ANY_HINT, (memory_id,)) is not None


def want_hints(
    tx: WriteTx, memory_ids: Sequence[str], *, agent_id: str, now: datetime, attempts: int
) -> None:
    """Queue a job for each of these memories that has no hints."""
    wanted = as_list(dict.fromkeys(memory_ids))
    for (memory_id,) in tx.tuples(sql.WITHOUT_HINTS, (wanted,)):
        job = NewJob(kind="prospective_index", memory_id=memory_id, agent_id=agent_id)
        enqueue(tx, job, now=now, max_attempts=attempts)
