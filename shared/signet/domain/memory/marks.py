"""What is stored with a memory without changing its version: how far it was read, its uses, its place in a file."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from signet import clock
from signet.db import WriteTx
from signet.domain.embeddings import vectors as embeddings
from signet.domain.memory.sql import marks as sql


def set_extraction(tx: WriteTx, memory_id: str, status: str, model: str | None) -> None:
    """Store how far the pipeline is with a memory, and who read it; None: nobody has."""
    tx.run(sql.SET_EXTRACTION, (status, model, memory_id))


def set_vectors(
    tx: WriteTx,
    memory_id: str,
    content_hash: str,
    passages: Sequence[tuple[str, bytes]],
    model: str,
    now: datetime,
) -> None:
    """Put these (passage, vector) pairs in the place of the memory's vectors, and store which model made them.

    The caller checks that the memory still has this `content_hash`: a vector of an older text would be stale.
    """
    embeddings.replace(tx, memory_id, content_hash, passages, model, now)
    tx.run(sql.SET_VECTOR_MODEL, (model, memory_id))


def count_use(tx: WriteTx, memory_ids: Iterable[str], *, now: datetime) -> None:
    """Count one use of each memory, now."""
    at = clock.to_text(now)
    tx.many(sql.COUNT_USE, [(at, memory_id) for memory_id in memory_ids])


def count_showing(tx: WriteTx, memory_ids: Iterable[str]) -> None:
    """Count one use of each memory without making it look used: its decay goes on (HK-45)."""
    tx.many(sql.COUNT_SHOWING, [(memory_id,) for memory_id in memory_ids])


def set_place(
    tx: WriteTx, memory_ids: Iterable[str], *, path: str | None, section: str | None
) -> None:
    """Store where in which file the texts of memories stand."""
    tx.many(sql.SET_PLACE, [(path, section, memory_id) for memory_id in memory_ids])
