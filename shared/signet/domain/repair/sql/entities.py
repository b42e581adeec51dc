"""SQL of entity repairs."""

from signet.db.dialect import THEN_JOIN
from signet.domain.repair import choice

KEPT = f"""
e.pinned = 0 AND e.entity_type NOT IN ('skill', 'task')
AND NOT EXISTS (SELECT 1 FROM entity_pinning p WHERE p.entity_id = e.id)
AND {choice.condition(id="e.id", at="e.created_at")}"""
CHUNK_GROUPS = f"""
SELECT e.id, e.name, e.agent_id FROM entities e WHERE e.entity_type = 'chunk_group' AND {KEPT}
 ORDER BY e.seq LIMIT :limit"""
SINGLETONS = f"""
SELECT e.id, e.name, e.agent_id FROM entities e WHERE e.entity_type = 'extracted' AND e.mentions <= :most AND {KEPT}
   AND (SELECT COUNT(*) FROM memory_entity_mentions m WHERE m.entity_id = e.id) <= :most
   AND NOT EXISTS (SELECT 1 FROM entity_aspects s WHERE s.entity_id = e.id)
   AND NOT EXISTS (SELECT 1 FROM entity_attributes a WHERE a.entity_id = e.id)
 ORDER BY e.seq LIMIT :limit"""
NAMED = f"""
SELECT e.id, e.name, e.agent_id, e.seq, e.canonical_name,
   e.entity_type = 'extracted' AND NOT EXISTS (
     SELECT 1 FROM memory_entity_mentions n WHERE n.entity_id = e.id AND n.confidence IS NOT :found) AS is_found
  FROM entities e WHERE e.entity_type <> 'chunk_group' AND e.seq > :after AND {KEPT}
 ORDER BY e.seq LIMIT :limit"""
TEXTS = f"""
SELECT m.content FROM memory_entity_mentions n {THEN_JOIN} memories m ON m.id = n.memory_id
 WHERE n.entity_id = ? AND m.is_deleted = 0 ORDER BY m.seq DESC LIMIT ?"""
UNTYPED = f"""
SELECT e.id, e.name, e.agent_id FROM entities e WHERE e.entity_type = 'extracted'
   AND {choice.condition(id="e.id", at="e.created_at")} ORDER BY e.mentions DESC, e.seq LIMIT :limit"""
FACTS = f"""
SELECT substr(m.content, 1, ?) FROM memory_entity_mentions n {THEN_JOIN} memories m ON m.id = n.memory_id
 WHERE n.entity_id = ? AND m.is_deleted = 0 ORDER BY m.importance DESC, m.seq DESC LIMIT ?"""
