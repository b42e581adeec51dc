"""SQL for `recall/supplement.py`, and for communities in `recall/correct.py`."""

from signet.db.dialect import LIST, THEN_JOIN, at_most, list_of, list_rows

ASPECTS = f"""
SELECT id, aspect_name FROM entity_aspects WHERE entity_id = ? ORDER BY weight DESC, id {at_most()}
"""
#: A value is shown only if its memory may be read; a value without a memory was entered directly.
SHOWN = """
(a.source_memory_id IS NULL OR EXISTS (SELECT 1 FROM memories m WHERE m.id = a.source_memory_id AND {where}))
"""
VALUES = f"""
SELECT a.attribute_value, a.status, a.importance FROM entity_attributes a
WHERE a.aspect_id = ? AND a.status = 'active' AND {SHOWN} ORDER BY a.importance DESC {at_most()}
"""
CONSTRAINTS = f"""
SELECT a.attribute_value FROM entity_attributes a
WHERE a.entity_id = ? AND a.kind = 'constraint' AND a.status = 'active' AND {SHOWN}
ORDER BY a.importance DESC {at_most()}
"""
#: An edge is shown only if one of the memories that name it may be read: the edge does not record which memory stated
#: it.
RELATED = f"""
SELECT e.name FROM entity_dependencies d JOIN entities e ON e.id = d.target_entity_id
WHERE d.source_entity_id = ? AND d.strength >= ? AND (
  NOT EXISTS (SELECT 1 FROM memory_entity_mentions x WHERE x.entity_id = e.id)
  OR EXISTS (SELECT 1 FROM memory_entity_mentions x {THEN_JOIN} memories m ON m.id = x.memory_id
             WHERE x.entity_id = e.id AND {{where}}))
GROUP BY e.id, e.name ORDER BY max(d.strength) DESC {at_most()}
"""
IN_SCOPE = f"""
SELECT DISTINCT x.entity_id FROM memory_entity_mentions x JOIN memories m ON m.id = x.memory_id
WHERE x.entity_id IN {LIST} AND {{where}}
"""


WITHIN = f"""
SELECT m.seq FROM {list_rows(":seqs")} j {THEN_JOIN} memories m ON m.seq = j.value
WHERE EXISTS (
  SELECT 1 FROM memory_entity_mentions x {THEN_JOIN} entities e ON e.id = x.entity_id
  WHERE x.memory_id = m.id AND e.community_id IN (
    SELECT f.community_id FROM entities f WHERE f.id IN {list_of(":focal")}))
"""


#: The source of an extracted fact is its memory's ID: one step back leads to the session.
PARENTS = f"""
SELECT id, source_id FROM memories
WHERE id IN {LIST} AND source_id IS NOT NULL
"""
TRANSCRIPTS = f"""
SELECT session_key, substr(content, 1, ?1) FROM session_transcripts
WHERE agent_id = ?2 AND (?3 IS NULL OR project = ?3) AND session_key IN {list_of("?4")}
"""


ENTITIES_OF = f"""
SELECT id, mentions FROM entities WHERE id IN (
  SELECT entity_id FROM memory_entity_mentions WHERE memory_id IN {LIST})
"""
#: Reasons of entities with fewer mentions are looked up by mention: a mention costs 3 µs, one of the newest reasons 0.8
#: µs (measured at 50,000 memories).
FEW_MENTIONS = 200
AMONG_MENTIONS = f"""
SELECT DISTINCT m.seq, m.created_at FROM (
  SELECT memory_id FROM memory_entity_mentions
  WHERE entity_id IN {LIST} LIMIT {2 * FEW_MENTIONS}) r
{THEN_JOIN} memories m ON m.id = r.memory_id WHERE +m.type = 'rationale' AND {{where}}
ORDER BY m.created_at DESC, m.seq DESC {at_most()}
"""
#: Reasons are few: for often mentioned entities the search begins with the newest reasons (by the index of types).
AMONG_NEWEST = f"""
SELECT m.seq FROM (SELECT seq FROM memories WHERE type = 'rationale' ORDER BY seq DESC LIMIT 500) t
{THEN_JOIN} memories m ON m.seq = t.seq WHERE EXISTS (
  SELECT 1 FROM memory_entity_mentions r
  WHERE r.memory_id = m.id AND +r.entity_id IN {LIST})
  AND {{where}}
ORDER BY m.created_at DESC, m.seq DESC {at_most()}
"""
