"""The rows of `embeddings`, kept equal to the vec0 index in each transaction (SCH-8).

A memory has one vector for each passage of its text, numbered from 0. A vector is current when its hash is the
memory's `content_hash` (a row of an older file may have none) and its model the configured one (PIP-59).
"""

from collections.abc import Sequence
from datetime import datetime

from signet import clock, ids
from signet.db import ReadTx, WriteTx, vectors
from signet.domain.embeddings.models import Coverage, Gap, SourceType

_INSERT = """
INSERT INTO embeddings
  (id, content_hash, vector, dimensions, source_type, source_id, ordinal, model, chunk_text, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_IDS = "SELECT id FROM embeddings WHERE source_type = ? AND source_id = ?"
_DELETE = "DELETE FROM embeddings WHERE source_type = ? AND source_id = ?"
_NAME_MODEL = "UPDATE memories SET embedding_model = ? WHERE id = ? AND embedding_model IS NOT ?"

_CURRENT = """
EXISTS (SELECT 1 FROM embeddings e
        WHERE e.source_type = 'memory' AND e.source_id = m.id AND e.ordinal = 0
          AND e.content_hash = coalesce(m.content_hash, '') AND (:model IS NULL OR e.model IS :model))
"""
_UNTRIED = f"""
SELECT m.id FROM memories m
WHERE m.is_deleted = 0 AND NOT {_CURRENT}
  AND NOT EXISTS (
    SELECT 1 FROM memory_jobs j WHERE j.memory_id = m.id AND j.job_type = 'embed'
       AND (j.status IN ('pending', 'leased') OR (j.status = 'dead' AND j.failed_at > :died_after)))
ORDER BY m.updated_at DESC LIMIT :limit
"""
_GAP = f"""
SELECT m.id, m.content, coalesce(m.content_hash, '') FROM memories m
WHERE m.id = :id AND m.is_deleted = 0 AND NOT {_CURRENT}
"""
_COVERAGE = f"""
SELECT count(*), coalesce(sum({_CURRENT}), 0) FROM memories m WHERE m.is_deleted = 0
"""


def replace(
    tx: WriteTx,
    memory_id: str,
    content_hash: str,
    passages: Sequence[tuple[str, bytes]],
    model: str,
    now: datetime,
    *,
    source_type: SourceType = SourceType.MEMORY,
) -> None:
    """Put these (passage, vector) pairs in the place of the memory's vectors; doing it again changes nothing.

    The caller checks that the memory still has this `content_hash`: a vector of an older text would be stale.
    """
    _clear(tx, memory_id, source_type)
    rows = [(ids.new_ordered_id(), text, vector) for text, vector in passages]
    at = clock.to_text(now)
    tx.many(
        _INSERT,
        [
            (
                *(id_, content_hash, vector, vectors.dimensions(vector), source_type, memory_id),
                *(ordinal, model, text, at),
            )
            for ordinal, (id_, text, vector) in enumerate(rows)
        ],
    )
    vectors.insert(tx, [(id_, vector) for id_, _, vector in rows])
    if source_type is SourceType.MEMORY:
        tx.run(_NAME_MODEL, (model, memory_id, model))


def remove(tx: WriteTx, memory_id: str, *, source_type: SourceType = SourceType.MEMORY) -> None:
    """Delete the vectors of a memory (or skill); nothing happens when it has none."""
    _clear(tx, memory_id, source_type)


def untried(tx: ReadTx, limit: int, *, model: str | None, died_after: str) -> list[str]:
    """Return memories without a current vector that no job looks after, the last changed first.

    One whose job has died after that instant is left alone. With `model`, vectors of another one do not count.
    """
    found = tx.all(_UNTRIED, {"model": model, "died_after": died_after, "limit": limit})
    return [row[0] for row in found]


def gap(tx: ReadTx, memory_id: str, *, model: str | None = None) -> Gap | None:
    """Return what is to be embedded for a memory; None when it has current vectors or is gone."""
    row = tx.one(_GAP, {"id": memory_id, "model": model})
    if row is None:
        return None
    return Gap(memory_id=row[0], content=row[1], content_hash=row[2])


def coverage(tx: ReadTx, *, model: str | None = None) -> Coverage:
    """Return how many active memories there are and how many have a current vector."""
    row = tx.one(_COVERAGE, {"model": model})
    return Coverage(total=row[0], embedded=row[1]) if row else Coverage(total=0, embedded=0)


def _clear(tx: WriteTx, source_id: str, source_type: SourceType) -> None:
    old = [row[0] for row in tx.all(_IDS, (source_type, source_id))]
    if old:
        vectors.delete(tx, old)
        tx.run(_DELETE, (source_type, source_id))
    tx.run("DELETE FROM umap_cache")
