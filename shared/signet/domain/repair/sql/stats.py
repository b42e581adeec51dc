"""SQL of repair statistics."""

from signet.domain.embeddings.models import CURRENT

COLD = """
SELECT COUNT(*) AS count, MIN(archived_at) AS oldest, MAX(archived_at) AS newest,
       COALESCE(SUM(length(CAST(content AS BLOB)) + COALESCE(length(CAST(original_row_json AS BLOB)), 0)), 0) AS bytes
  FROM memories_cold"""
COLD_REASONS = "SELECT COALESCE(archived_reason, 'unknown'), COUNT(*) FROM memories_cold GROUP BY 1 ORDER BY 2 DESC"
HAS_COLD = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'memories_cold'"
ANY_VECTOR = (
    "SELECT vector FROM embeddings WHERE length(vector) = 4 * dimensions ORDER BY seq DESC LIMIT 1"
)
STALE = f"""
SELECT COUNT(*) FROM memories m WHERE m.is_deleted = 0 AND NOT {CURRENT}
   AND EXISTS (SELECT 1 FROM embeddings e WHERE e.source_type = 'memory' AND e.source_id = m.id)"""
