"""Statements of `recall/supplement.py` for cards of entities."""

from signet.db.dialect import LIST, THEN_JOIN, at_most

ASPECTS = f"""
SELECT id, aspect_name FROM entity_aspects WHERE entity_id = ? ORDER BY weight DESC, id {at_most()}
"""
#: A value is shown only when the memory it came from may be read; one without memory was told outright.
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
#: What memories name is shown only when one of them may be read: an edge does not say which memory told it.
RELATED = f"""
SELECT e.name FROM entity_dependencies d JOIN entities e ON e.id = d.target_entity_id
WHERE d.source_entity_id = ? AND d.strength >= ? AND (
  NOT EXISTS (SELECT 1 FROM memory_entity_mentions x WHERE x.entity_id = e.id)
  OR EXISTS (SELECT 1 FROM memory_entity_mentions x {THEN_JOIN} memories m ON m.id = x.memory_id
             WHERE x.entity_id = e.id AND {{where}}))
GROUP BY e.id ORDER BY max(d.strength) DESC {at_most()}
"""
IN_SCOPE = f"""
SELECT DISTINCT x.entity_id FROM memory_entity_mentions x JOIN memories m ON m.id = x.memory_id
WHERE x.entity_id IN {LIST} AND {{where}}
"""
