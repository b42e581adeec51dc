"""The statements of `recall/supplement.py`, for reasons of decisions."""

from signet.db.dialect import LIST, THEN_JOIN, at_most

ENTITIES_OF = f"""
SELECT id, mentions FROM entities WHERE id IN (
  SELECT entity_id FROM memory_entity_mentions WHERE memory_id IN {LIST})
"""
#: Entities with so few mentions are asked for their reasons: a mention costs 3 µs, one of the newest reasons 0.8 µs
#: (measured at 50,000 memories).
FEW_MENTIONS = 200
AMONG_MENTIONS = f"""
SELECT DISTINCT m.seq, m.created_at FROM (
  SELECT memory_id FROM memory_entity_mentions
  WHERE entity_id IN {LIST} LIMIT {2 * FEW_MENTIONS}) r
{THEN_JOIN} memories m ON m.id = r.memory_id WHERE +m.type = 'rationale' AND {{where}}
ORDER BY m.created_at DESC, m.seq DESC {at_most()}
"""
#: Reasons are few: where entities are mentioned often it begins with the newest reasons (by the index of types).
AMONG_NEWEST = f"""
SELECT m.seq FROM (SELECT seq FROM memories WHERE type = 'rationale' ORDER BY seq DESC LIMIT 500) t
{THEN_JOIN} memories m ON m.seq = t.seq WHERE EXISTS (
  SELECT 1 FROM memory_entity_mentions r
  WHERE r.memory_id = m.id AND +r.entity_id IN {LIST})
  AND {{where}}
ORDER BY m.created_at DESC, m.seq DESC {at_most()}
"""
