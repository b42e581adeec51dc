"""The statements of embeddings."""

from signet.db import dialect
from signet.domain.embeddings.models import CURRENT

INSERT = """
INSERT INTO embeddings
  (id, content_hash, vector, dimensions, source_type, source_id, ordinal, model, chunk_text, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
IDS = "SELECT id FROM embeddings WHERE source_type = ? AND source_id = ?"
DELETE = "DELETE FROM embeddings WHERE source_type = ? AND source_id = ?"
#: A text whose embedding has died rests, twice as long after each death; a changed text is another one.
UNTRIED = f"""
SELECT m.id FROM memories m
WHERE m.is_deleted = 0 AND NOT {CURRENT}
  AND NOT EXISTS (SELECT 1 FROM memory_jobs j WHERE j.memory_id = m.id AND j.job_type = 'embed'
                     AND j.status IN ('pending', 'leased'))
  AND coalesce((SELECT unixepoch(max(j.failed_at)) + min(:longest, :rest << min(count(*) - 1, 16))
                  FROM memory_jobs j WHERE j.memory_id = m.id AND j.job_type = 'embed'
                   AND j.status = 'dead' AND j.failed_at >= m.updated_at), 0) <= :now
ORDER BY m.updated_at DESC LIMIT :limit
"""
GAP = f"""
SELECT m.id, m.content, coalesce(m.content_hash, '') FROM memories m
WHERE m.id = :id AND m.is_deleted = 0 AND NOT {CURRENT}
"""
COVERAGE = f"""
SELECT count(*), coalesce(sum({CURRENT}), 0) FROM memories m WHERE m.is_deleted = 0
"""
KINDS = """
SELECT e.dimensions, e.model, count(*), count(m.id), sum(e.dimensions < 1 OR length(e.vector) <> 4 * e.dimensions)
FROM embeddings e LEFT JOIN memories m ON m.id = e.source_id AND m.is_deleted = 0
WHERE e.source_type = 'memory' GROUP BY e.dimensions, e.model
"""
ALL = "SELECT count(*) FROM embeddings"
#: sqlite-vec keeps its IDs in a separate table, which is quick to count and to search.
#: 1 if the engine keeps an index of vectors.
NEEDS_INDEX = dialect.sql("SELECT 1", postgres="SELECT 0")
INDEX_IDS = "vec_embeddings_rowids"
INDEXED = f"SELECT count(*) FROM {INDEX_IDS}"
UNINDEXED = f"""
SELECT count(*) FROM embeddings e
WHERE e.dimensions = ? AND NOT EXISTS (SELECT 1 FROM {INDEX_IDS} v WHERE v.id = e.id)
"""
LAST_CYCLE = "SELECT last_run_ms FROM beats WHERE name = ?"
