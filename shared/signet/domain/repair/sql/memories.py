"""SQL of memory repairs."""

from signet.domain.repair import choice

CHOICE = choice.condition(id="m.id", kind="m.type", at="m.created_at")
#: A text for a preview; empty for a memory that may not be read (db/visibility.py).
TEXT = "CASE WHEN m.visibility IS NOT 'archived' THEN m.content ELSE '' END AS shown"
UNLINKED = f"""
FROM memories m WHERE m.is_deleted = 0 AND m.type <> 'document_chunk' AND {CHOICE}
 AND NOT EXISTS (SELECT 1 FROM memory_entity_mentions n WHERE n.memory_id = m.id)"""
SOME_UNLINKED = f"""
SELECT m.seq, m.id, m.content, m.agent_id, {TEXT} {UNLINKED} AND m.seq > :after ORDER BY m.seq LIMIT :limit"""
COUNT_UNLINKED = f"SELECT COUNT(*) {UNLINKED} AND m.seq > :after"
#: A memory that names entities but is the source of no attribute.
UNFILED = f"""
SELECT m.id, m.content, m.agent_id, {TEXT},
       (SELECT n.entity_id FROM memory_entity_mentions n JOIN entities e ON e.id = n.entity_id
         WHERE n.memory_id = m.id AND e.entity_type NOT IN ('chunk_group', 'skill')
         ORDER BY n.confidence DESC, n.rowid LIMIT 1) AS entity_id
  FROM memories m WHERE m.is_deleted = 0 AND m.type <> 'document_chunk' AND {CHOICE}
   AND NOT EXISTS (SELECT 1 FROM entity_attributes a WHERE a.source_memory_id = m.id)
   AND entity_id IS NOT NULL ORDER BY m.seq LIMIT :limit"""
WITHOUT_HINTS = f"""
SELECT m.id, m.content, m.agent_id, {TEXT} FROM memories m
 WHERE m.is_deleted = 0 AND m.type <> 'document_chunk' AND {CHOICE}
   AND NOT EXISTS (SELECT 1 FROM memory_hints h WHERE h.memory_id = m.id)
   AND NOT EXISTS (SELECT 1 FROM memory_jobs j WHERE j.memory_id = m.id AND j.job_type = 'prospective_index'
                      AND j.status IN ('pending', 'leased')) ORDER BY m.seq DESC LIMIT :limit"""
#: A forgotten source, purged or not; not one merged into another memory.
_FORGOTTEN = """
s.kind = 'memory' AND NOT EXISTS (SELECT 1 FROM memories a WHERE a.id = s.source_id AND a.is_deleted = 0)
   AND EXISTS (SELECT 1 FROM memory_history h WHERE h.memory_id = s.source_id AND h.event IN ('deleted', 'rejected'))
   AND NOT EXISTS (SELECT 1 FROM memory_history h WHERE h.memory_id = s.source_id
                      AND h.reason LIKE 'dedup: duplicate of %')"""
_LEFT = f"""
FROM memories m WHERE m.is_deleted = 0 AND COALESCE(m.pinned, 0) = 0 AND COALESCE(m.manual_override, 0) = 0
   AND m.id IN (SELECT memory_id FROM memory_sources)
   AND NOT EXISTS (SELECT 1 FROM memory_sources s WHERE s.memory_id = m.id AND NOT ({_FORGOTTEN}))"""
#: Facts whose sources are all forgotten, with one of them, and whether a person forgot it.
LEFT = f"""
SELECT l.*, EXISTS (SELECT 1 FROM memory_history h WHERE h.memory_id = l.root_id AND h.event IN ('deleted', 'rejected')
                       AND h.actor_type IS NOT 'pipeline') AS is_asked
  FROM (SELECT m.id, m.content, m.agent_id, {TEXT}, (SELECT min(s.source_id) FROM memory_sources s
                                               WHERE s.memory_id = m.id) AS root_id
          {_LEFT} AND {CHOICE} ORDER BY m.seq LIMIT :limit) l"""
COUNT_LEFT = f"SELECT COUNT(*) {_LEFT}"
DEAD = f"""
FROM memories m WHERE m.is_deleted = 0 AND COALESCE(m.pinned, 0) = 0 AND COALESCE(m.manual_override, 0) = 0
   AND COALESCE(m.confidence, 1.0) <= :confidence
   AND COALESCE(m.last_accessed, m.created_at) < :before AND m.agent_id NOT GLOB :hidden AND {CHOICE}
   AND NOT EXISTS (SELECT 1 FROM entity_attributes a WHERE a.source_memory_id = m.id AND a.kind = 'constraint'
                      AND a.status = 'active')"""
SOME_DEAD = f"""
SELECT m.id, {TEXT}, m.confidence, m.importance, m.last_accessed, m.access_count {DEAD}
 ORDER BY m.confidence, m.importance, m.seq LIMIT :limit"""
COUNT_DEAD = f"SELECT COUNT(*) {DEAD}"
