"""The SQL of browsing. `where` is a condition on `memories m`, which says who may see what."""

import json
from collections.abc import Sequence
from datetime import datetime

from signet import clock
from signet.db import ReadTx, Row
from signet.db.driver import sqlite
from signet.db.visibility import Where

#: How importance fades: each whole day leaves 95 %, down to a tenth (MEM-49).
_WEIGHT = """
CASE WHEN m.pinned THEN 1.0
     ELSE m.importance * max(0.1, pow(0.95, max(0, cast(julianday(?) - julianday(m.created_at) AS INTEGER)))) END"""
_FIELDS = "m.seq, m.id, m.content, m.created_at, m.who, m.importance, m.tags, m.type, m.pinned, m.confidence"

_AUTHORS = (
    "SELECT DISTINCT m.who FROM memories m WHERE m.who IS NOT NULL AND {where} ORDER BY m.who"
)
_MATCHING = f"""
SELECT {_FIELDS}, NULL AS score FROM memories_fts f CROSS JOIN memories m ON m.seq = f.rowid
WHERE memories_fts MATCH ? AND {{where}} ORDER BY +f.rank, m.seq DESC LIMIT ?"""
_NEWEST = f"""
SELECT {_FIELDS}, NULL AS score FROM memories m INDEXED BY idx_memories_created
WHERE {{where}}
ORDER BY m.created_at DESC, m.seq DESC LIMIT ?"""
_WEIGHTIEST = f"""
SELECT {_FIELDS}, {_WEIGHT} AS score FROM memories m
WHERE {{where}} ORDER BY score DESC, m.created_at DESC, m.seq DESC LIMIT ?"""
_OF = (
    f"SELECT {_FIELDS} FROM json_each(?) j CROSS JOIN memories m ON m.seq = j.value ORDER BY j.key"
)
_VECTOR = """
SELECT m.seq, e.vector, e.model FROM memories m CROSS JOIN embeddings e
  ON e.source_type = 'memory' AND e.source_id = m.id AND e.ordinal = 0 AND length(e.vector) = 4 * e.dimensions
WHERE m.id = ? AND e.dimensions > 0 AND {where}"""

#: The vector of a memory: its own, or in an older file the one that another of the same text has (EM-4).
_EMBEDDED = """
FROM memories m{hint} CROSS JOIN embeddings e ON e.seq = coalesce(
  (SELECT o.seq FROM embeddings o WHERE o.source_type = 'memory' AND o.source_id = m.id AND o.ordinal = 0),
  (SELECT o.seq FROM embeddings o WHERE o.content_hash = m.content_hash AND o.source_type = 'memory'
      AND o.ordinal = 0 ORDER BY o.seq LIMIT 1))
WHERE e.dimensions > 0 AND length(e.vector) = 4 * e.dimensions AND {where}"""
_COUNT = f"SELECT count(*) {_EMBEDDED}"
_PAGE = f"""
SELECT m.id, m.content, m.who, m.importance, m.type, m.tags, m.source_type, m.source_id, m.created_at,
       {{vector}} AS vector {_EMBEDDED} ORDER BY m.created_at DESC, m.seq DESC LIMIT ? OFFSET ?"""
_IN_ORDER = " INDEXED BY idx_memories_created"

#: The result code of an expression that is none (https://sqlite.org/rescode.html#error).
_ERROR = 1


def authors(tx: ReadTx, where: Where) -> list[str]:
    """Return the distinct authors in order."""
    return [row[0] for row in tx.all(_AUTHORS.format(where=where.sql), where.params)]


def matching(tx: ReadTx, expression: str, where: Where, limit: int) -> list[Row] | None:
    """Return memories that match an FTS5 expression, best first; None when it is no expression."""
    try:
        return tx.all(_MATCHING.format(where=where.sql), (expression, *where.params, limit))
    except sqlite.OperationalError as error:
        if error.sqlite_errorcode != _ERROR:
            raise
        return None


def newest(tx: ReadTx, where: Where, limit: int) -> list[Row]:
    """Return memories, newest first."""
    return tx.all(_NEWEST.format(where=where.sql), (*where.params, limit))


def weightiest(tx: ReadTx, where: Where, limit: int, *, now: datetime) -> list[Row]:
    """Return memories by importance that fades, pinned ones first."""
    return tx.all(_WEIGHTIEST.format(where=where.sql), (clock.to_text(now), *where.params, limit))


def vector(tx: ReadTx, memory_id: str, where: Where) -> Row | None:
    """Return number, vector and model of a memory's first passage."""
    return tx.one(_VECTOR.format(where=where.sql), (memory_id, *where.params))


def of(tx: ReadTx, seqs: Sequence[int]) -> list[Row]:
    """Return memories by their row numbers, in this order."""
    return tx.all(_OF, (json.dumps(seqs),))


def count_embedded(tx: ReadTx, where: Where) -> int:
    """Return how many memories have a vector."""
    return int(tx.value(_COUNT.format(hint="", where=where.sql), where.params))


def embedded(tx: ReadTx, where: Where, *, limit: int, offset: int, vectors: bool) -> list[Row]:
    """Return memories that have a vector, newest first."""
    sql = _PAGE.format(vector="e.vector" if vectors else "NULL", hint=_IN_ORDER, where=where.sql)
    return tx.all(sql, (*where.params, limit, offset))
