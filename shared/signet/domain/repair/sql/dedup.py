"""SQL of deduplication."""

from signet.db.dialect import LIST
from signet.domain.memory.filters import EQUAL
from signet.domain.repair import choice

FIELDS = (
    "id, content, content_hash, agent_id, visibility, scope, type, tags, importance, access_count, update_count,"
    " updated_at, pinned, manual_override, superseded_by"
)
CHOICE = choice.condition(id="id", kind="type", at="created_at")
CLUSTERS = f"""
SELECT group_concat(id, char(10)) AS ids FROM memories WHERE is_deleted = 0 AND content_hash IS NOT NULL AND {CHOICE}
 GROUP BY {EQUAL} HAVING COUNT(*) > 1
    AND SUM(COALESCE(pinned, 0) + COALESCE(manual_override, 0) + (superseded_by IS NOT NULL)) = 0
 ORDER BY COUNT(*) DESC, MIN(seq) LIMIT :limit"""
ROWS = f"SELECT {FIELDS} FROM memories WHERE id IN {LIST} AND is_deleted = 0 ORDER BY seq"
SINGLE = f"""
SELECT m.id, e.vector FROM memories m JOIN embeddings e ON e.source_type = 'memory' AND e.source_id = m.id
 WHERE m.is_deleted = 0 AND COALESCE(m.pinned, 0) = 0 AND COALESCE(m.manual_override, 0) = 0
   AND m.superseded_by IS NULL AND {choice.condition(id="m.id", kind="m.type", at="m.created_at")}
   AND NOT EXISTS (SELECT 1 FROM embeddings more WHERE more.source_type = 'memory' AND more.source_id = m.id
                      AND more.ordinal > 0)
 ORDER BY m.created_at, m.seq LIMIT :limit"""
OWNER = """
SELECT e.source_id FROM embeddings e WHERE e.id = ? AND e.source_type = 'memory' AND e.ordinal = 0
   AND NOT EXISTS (SELECT 1 FROM embeddings more WHERE more.source_type = 'memory' AND more.source_id = e.source_id
                      AND more.ordinal > 0)"""
