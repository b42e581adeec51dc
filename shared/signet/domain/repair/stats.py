"""What repairs are for, counted: missing vectors, duplicates, the cold archive, and whether the file itself is whole.

Reads only; no gate stands before them.
"""

import time
from datetime import datetime

from signet import clock
from signet.db import ReadTx, fts_index, vectors
from signet.db.dialect import QUICK_CHECK
from signet.db.driver import sqlite
from signet.domain.diagnostics import counts as diagnostics
from signet.domain.embeddings import vectors as embeddings
from signet.domain.repair import fulltext
from signet.domain.repair.sql import stats as sql
from signet.wire.repair import ColdStats, DedupStats, EmbeddingGaps, Integrity

#: How long SQLite may read through the file.
CHECK_SECONDS = 30.0
#: Instructions of SQLite between two looks at the clock.
_LOOK = 100_000


def embedding_gaps(tx: ReadTx, *, model: str | None) -> EmbeddingGaps:
    """Return how many memories lack a vector of this model (of any, when None); `stale` have an outdated one."""
    found = embeddings.coverage(tx, model=model)
    return {
        "unembedded": found.total - found.embedded,
        "total": found.total,
        "coverage": f"{found.share:.1%}",
        "stale": tx.value(sql.STALE, {"model": model}),
    }


def dedup(tx: ReadTx) -> DedupStats:
    """Return how many equal memories there are."""
    found = diagnostics.duplicates(tx)
    total, deleted = diagnostics.memories(tx)
    return {
        "exactClusters": found.clusters,
        "exactExcess": found.excess,
        "totalActive": total - deleted,
    }


def cold(tx: ReadTx) -> ColdStats:
    """Return what the cold archive holds."""
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
    """Let SQLite read through the file, at most so long, and look whether both indexes can be used."""
    said = _quick_check(tx, seconds)
    seen = fulltext.look(tx)
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
    """Return what SQLite says of the file, None when there was no time for all of it."""
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
