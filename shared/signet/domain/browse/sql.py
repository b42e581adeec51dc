"""SQL of browsing. `where` is a condition on `memories m` for the reader's rights."""

from signet.db import ReadTx, Row
from signet.db.dialect import THEN_JOIN, by_index, list_rows
from signet.db.driver import sqlite
from signet.db.visibility import Where
from signet.domain.memory import filters

#: How importance fades: each whole day leaves 95 %, down to a tenth (MEM-49).
_WEIGHT = """
CASE WHEN m.pinned THEN 1.0
     ELSE m.importance * max(0.1, pow(0.95, max(0, cast(julianday(?) - julianday(m.created_at) AS INTEGER)))) END"""
_FIELDS = "m.seq, m.id, m.content, m.created_at, m.who, m.importance, m.tags, m.type, m.pinned, m.confidence"

VALUES = (
    "SELECT DISTINCT m.{column} FROM memories m WHERE m.{column} IS NOT NULL AND {where} ORDER BY 1"
)
_MATCHING = f"""
SELECT {_FIELDS}, NULL AS score FROM memories_fts f {THEN_JOIN} memories m ON m.seq = f.rowid
WHERE memories_fts MATCH ? AND {{where}} ORDER BY +f.rank, m.seq DESC LIMIT ?"""
NEWEST = f"""
SELECT {_FIELDS}, NULL AS score FROM memories m {by_index("idx_memories_created")}
WHERE {{where}}
ORDER BY m.created_at DESC, m.seq DESC LIMIT ?"""
WEIGHTIEST = f"""
SELECT {_FIELDS}, {_WEIGHT} AS score FROM memories m
WHERE {{where}} ORDER BY score DESC, m.created_at DESC, m.seq DESC LIMIT ?"""
OF = f"SELECT {_FIELDS} FROM {list_rows()} j {THEN_JOIN} memories m ON m.seq = j.value ORDER BY j.key"
VECTOR = f"""
SELECT m.seq, e.vector, e.model FROM memories m {THEN_JOIN} embeddings e
  ON e.source_type = 'memory' AND e.source_id = m.id AND e.ordinal = 0 AND length(e.vector) = 4 * e.dimensions
WHERE m.id = ? AND e.dimensions > 0 AND {{where}}"""

#: The vector of a memory: its own, or in an older file that of another memory with the same text (EM-4).
_EMBEDDED = f"""
FROM memories m{{hint}} {THEN_JOIN} embeddings e ON e.seq = coalesce(
  (SELECT o.seq FROM embeddings o WHERE o.source_type = 'memory' AND o.source_id = m.id AND o.ordinal = 0),
  (SELECT o.seq FROM embeddings o WHERE o.content_hash = m.content_hash AND o.source_type = 'memory'
      AND o.ordinal = 0 ORDER BY o.seq LIMIT 1))
WHERE e.dimensions > 0 AND length(e.vector) = 4 * e.dimensions AND {{where}}"""
COUNT = f"SELECT count(*) {_EMBEDDED}"
PAGE = f"""
SELECT m.id, m.content, m.who, m.importance, m.type, m.tags, m.source_type, m.source_id, m.created_at,
       {{vector}} AS vector {_EMBEDDED} ORDER BY m.created_at DESC, m.seq DESC LIMIT ? OFFSET ?"""
IN_ORDER = f" {by_index('idx_memories_created')}"

#: Memories by age: `era` is 0 since the first of the given times, 1 since the second, else 2.
_SEEN = f"""
WITH seen AS MATERIALIZED (
  SELECT CASE WHEN m.created_at >= ? THEN 0 WHEN m.created_at >= ? THEN 1 ELSE 2 END AS era,
         m.type, m.who, m.tags, m.importance, m.pinned
  FROM memories m {by_index("idx_memories_created")} WHERE m.created_at >= ? AND m.created_at < ? AND {{where}})"""
_ERAS = "(SELECT 0 AS value UNION ALL SELECT 1 UNION ALL SELECT 2)"
ERAS = f"""{_SEEN}
SELECT e.value AS era, count(m.era) AS added, coalesce(avg(m.importance), 0) AS importance,
       coalesce(sum(m.pinned <> 0), 0) AS pinned
FROM {_ERAS} e LEFT JOIN seen m ON m.era <= e.value GROUP BY e.value ORDER BY e.value"""
LEADING = f"""{_SEEN},
named(about, name, era, times) AS (
  SELECT 'type', trim(type), era, count(*) FROM seen GROUP BY type, era
  UNION ALL SELECT 'who', coalesce(nullif(trim(who), ''), 'unknown'), era, count(*) FROM seen GROUP BY who, era
  UNION ALL SELECT 'tag', trim(t.value), m.era, m.times FROM (
    SELECT tags, era, count(*) AS times FROM seen WHERE tags IS NOT NULL GROUP BY tags, era) m
    {THEN_JOIN} {filters.TAGS}),
counted AS MATERIALIZED (
  SELECT about, name, sum(iif(era = 0, times, 0)) AS day, sum(iif(era <= 1, times, 0)) AS week, sum(times) AS month
  FROM named WHERE name <> '' GROUP BY about, name),
placed AS (
  SELECT about, e.value AS era, name, CASE e.value WHEN 0 THEN day WHEN 1 THEN week ELSE month END AS times
  FROM counted {THEN_JOIN} {_ERAS} e)
SELECT about, era, name, times FROM (
  SELECT *, row_number() OVER (PARTITION BY about, era ORDER BY times DESC, name) AS place
  FROM placed WHERE times > 0)
WHERE place <= ? ORDER BY about, era, place"""
HAPPENED = f"""
SELECT CASE WHEN h.created_at >= ? THEN 0 WHEN h.created_at >= ? THEN 1 ELSE 2 END AS era, h.event, count(*) AS times
FROM memory_history h {by_index("idx_memory_history_created_at")} {THEN_JOIN} memories m ON m.id = h.memory_id
WHERE h.created_at >= ? AND h.created_at < ? AND {{where}} GROUP BY 1, 2"""

#: The result code of an invalid expression (https://sqlite.org/rescode.html#error).
_ERROR = 1


def matching(tx: ReadTx, expression: str, where: Where, limit: int) -> list[Row] | None:
    """Return memories that match an FTS5 expression, best first; None for a malformed expression."""
    try:
        return tx.all(_MATCHING.format(where=where.sql), (expression, *where.params, limit))
    except sqlite.OperationalError as error:
        if error.sqlite_errorcode != _ERROR:
            raise
        return None
