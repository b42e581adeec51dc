"""Count the targets of repairs: missing vectors, duplicates, the archive, and the file's integrity.

Reads only, without rate limits.
"""

import time
from datetime import datetime

from signet import clock
from signet.db import ReadTx, fts_index, vectors
from signet.db.dialect import QUICK_CHECK
from signet.db.driver import sqlite
from signet.domain.diagnostics import counts as diagnostics
from signet.domain.embeddings import vectors as embeddings
from signet.domain.repair import indexes, sql
from signet.wire.repair import ColdStats, DedupStats, EmbeddingGaps, Integrity

#: Seconds for SQLite to read through the file.
CHECK_SECONDS = 30.0
#: SQLite instructions between two checks of the clock.
_LOOK = 100_000


def embedding_gaps(tx: ReadTx, *, model: str | None) -> EmbeddingGaps:
    """Return how many memories lack a vector of this model (of any, if None); `stale` have an outdated one."""
    found = embeddings.coverage(tx, model=model)
    return {
        "unembedded": found.total - found.embedded,
        "total": found.total,
        "coverage": f"{found.share:.1%}",
        "stale": tx.value(sql.COUNT_OUTDATED_VECTORS, {"model": model}),
    }


def dedup_stats(tx: ReadTx) -> DedupStats:
    """Return the number of duplicate memories."""
    found = diagnostics.duplicates(tx)
    total, deleted = diagnostics.memories(tx)
    return {
        "exactClusters": found.clusters,
        "exactExcess": found.excess,
        "totalActive": total - deleted,
    }


def cold_stats(tx: ReadTx) -> ColdStats:
    """Return the content of the archive."""
    if tx.value(sql.HAS_COLD) is None:
        return {"count": 0, "message": "there is no cold archive"}
    row = tx.one(sql.COLD)
    assert row is not None  # an aggregate
    reasons: dict[str, int] = {one[0]: one[1] for one in tx.all(sql.COLD_REASONS)}
    return {
        "count": row["count"],
        "oldest": row["oldest"],
        "newest": row["newest"],
        "totalBytes": row["bytes"],
        "byReason": reasons,
    }


def integrity(tx: ReadTx, *, now: datetime, seconds: float = CHECK_SECONDS) -> Integrity:
    """Let SQLite read through the file within `seconds`, and check whether both indexes can be searched."""
    said = _quick_check(tx, seconds)
    seen = indexes.check_text_indexes(tx)
    fts_ok, vec_ok = not any(one.is_off for one in seen), _can_search(tx)
    found: Integrity = {
        "checkedAt": clock.to_text(now),
        "ok": None if said is None else said == ["ok"] and fts_ok and vec_ok,
        "sqlite": said or [],
        "ftsOk": fts_ok,
        "vecOk": vec_ok,
    }
    return {**found, "timedOut": True} if said is None else found


def _quick_check(tx: ReadTx, seconds: float) -> list[str] | None:
    """Return SQLite's finding about the file, None if time ran out."""
    ends_at = time.monotonic() + seconds
    tx.connection.set_progress_handler(lambda: int(time.monotonic() > ends_at), _LOOK)
    try:
        for index in fts_index.INDEXES:
            fts_index.reopen(tx, index)
        return [str(row[0]) for row in tx.all(QUICK_CHECK)]
    except sqlite.OperationalError:
        return None
    except sqlite.DatabaseError as error:
        return [str(error)]
    finally:
        tx.connection.set_progress_handler(None, 0)


def _can_search(tx: ReadTx) -> bool:
    vector = tx.value(sql.ANY_VECTOR)
    if vector is None or vectors.indexed_dimensions(tx) is None:
        return True
    try:
        vectors.knn(tx, vector, 1)
    except sqlite.DatabaseError:
        return False
    return True
