"""The statements of `recall/reasons.py`."""

ENTITIES_OF = """
SELECT id, mentions FROM entities WHERE id IN (
  SELECT entity_id FROM memory_entity_mentions WHERE memory_id IN (SELECT value FROM json_each(?)))
"""
#: Entities with so few mentions are asked for their reasons: a mention costs 3 µs, one of the newest reasons 0.8 µs
#: (measured at 50,000 memories).
FEW_MENTIONS = 200
AMONG_MENTIONS = f"""
SELECT DISTINCT m.seq, m.created_at FROM (
  SELECT memory_id FROM memory_entity_mentions
  WHERE entity_id IN (SELECT value FROM json_each(?)) LIMIT {2 * FEW_MENTIONS}) r
CROSS JOIN memories m ON m.id = r.memory_id WHERE +m.type = 'rationale' AND {{where}}
ORDER BY m.created_at DESC, m.seq DESC LIMIT ? + 0
"""
#: Reasons are few: where entities are mentioned often it begins with the newest reasons (by the index of types).
AMONG_NEWEST = """
SELECT m.seq FROM (SELECT seq FROM memories WHERE type = 'rationale' ORDER BY seq DESC LIMIT 500) t
CROSS JOIN memories m ON m.seq = t.seq WHERE EXISTS (
  SELECT 1 FROM memory_entity_mentions r
  WHERE r.memory_id = m.id AND r.entity_id IN (SELECT value FROM json_each(?)))
  AND {where}
ORDER BY m.created_at DESC, m.seq DESC LIMIT ? + 0
"""
