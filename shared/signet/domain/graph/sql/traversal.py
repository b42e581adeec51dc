"""What traversals of the graph read: entities that words name, and the memories around them."""

from collections.abc import Sequence

from signet.db import ReadTx
from signet.db.dialect import LIST, THEN_JOIN, at_most, list_of, list_rows
from signet.domain.graph.models import Entity

#: Entities whose names are searched for a part of a word: the most mentioned ones.
MAX_NAMES_READ = 2_000
#: Mentions read per entity, so that a frequent entity does not cost a sort of all its mentions.
MAX_MENTIONS_READ = 200

_NOT_SUPPRESSED = """
NOT EXISTS (SELECT 1 FROM entity_pinning p
            WHERE p.agent_id = e.agent_id AND p.entity_id = e.id AND p.pin_type = 'suppress')"""
_ENTITY = "SELECT e.id, e.name, e.entity_type AS type"
BY_TEXT = f"""
{_ENTITY} FROM entities_fts f {THEN_JOIN} entities e ON e.seq = f.rowid
WHERE entities_fts MATCH ? AND e.agent_id = ? AND {_NOT_SUPPRESSED}
ORDER BY e.pinned DESC, f.rank {at_most()}"""
_BY_PART = f"""
{_ENTITY} FROM (
  SELECT seq, canonical_name FROM entities WHERE agent_id = ? ORDER BY mentions DESC LIMIT {MAX_NAMES_READ}) n
{THEN_JOIN} entities e ON e.seq = n.seq
WHERE ({{has_one}}) AND {_NOT_SUPPRESSED} ORDER BY e.pinned DESC, e.mentions DESC {at_most()}"""
_HAS_ONE = "instr(n.canonical_name, ?) > 0"
NAMED = f"""
{_ENTITY} FROM {list_rows(":names")} j {THEN_JOIN} entities e ON e.agent_id = :agent AND e.canonical_name = j.value
WHERE {_NOT_SUPPRESSED} AND {{entity:e}} ORDER BY (e.entity_type = 'project') DESC, e.mentions DESC LIMIT :limit"""
PINNED = f"""
{_ENTITY} FROM entities e WHERE e.agent_id = :agent AND e.pinned = 1 AND {_NOT_SUPPRESSED} AND {{entity:e}}
ORDER BY e.pinned_at DESC LIMIT :limit"""
VISIBLE_NAMES = f"""
SELECT e.name FROM {list_rows(":names")} j {THEN_JOIN} entities e ON e.agent_id = :agent AND e.canonical_name = j.value
WHERE {{entity:e}} ORDER BY j.key"""
WEIGHT = "SELECT coalesce(weight_override, ?) FROM entity_pinning WHERE entity_id = ? AND pin_type = 'pin'"
CONSTRAINTS = f"""
SELECT source_memory_id, max(importance) FROM entity_attributes
WHERE entity_id = ? AND kind = 'constraint' AND status = 'active' AND source_memory_id IS NOT NULL
GROUP BY source_memory_id ORDER BY 2 DESC {at_most()}"""
#: A clause cut from a memory is not a sentence: the memory is, or the one that a fact was extracted from.
_WHOLE = """
(SELECT m.content FROM memories m WHERE m.id = {id} AND length(m.content) <= :chars AND {{memory}}
    AND (m.review IS 'approved' OR m.review IS NOT 'waiting' AND m.origin IS NOT 'tool' AND m.origin IS NOT 'web'))"""
_FACT = "CASE w.source_type WHEN 'pipeline-v2' THEN w.source_id END"
CONSTRAINT_TEXTS = f"""
SELECT e.name, CASE WHEN instr(w.content, a.attribute_value)
    THEN coalesce({_WHOLE.format(id=_FACT)}, {_WHOLE.format(id="w.id")}, a.attribute_value)
    ELSE a.attribute_value END, w.origin
  FROM {list_rows(":ids")} j
  {THEN_JOIN} entities e ON e.id = j.value
  {THEN_JOIN} entity_attributes a ON a.entity_id = e.id AND a.kind = 'constraint' AND a.status = 'active'
  LEFT JOIN memories w ON w.id = a.source_memory_id
 WHERE {{attribute:a}} AND (w.id IS NULL OR w.review IS 'approved'
   OR w.review IS NOT 'waiting' AND w.origin IS NOT 'tool' AND w.origin IS NOT 'web')
 ORDER BY j.key, a.importance DESC, a.id LIMIT :limit"""
ASPECTS = f"SELECT id FROM entity_aspects WHERE entity_id = ? ORDER BY weight DESC, id {at_most()}"
TOP_ASPECTS = f"""
SELECT s.id FROM entity_aspects s WHERE s.entity_id IN {LIST} ORDER BY s.weight DESC, s.id LIMIT ?"""
ATTRIBUTES = f"""
SELECT source_memory_id, importance FROM entity_attributes
WHERE aspect_id = ? AND status = 'active' ORDER BY importance DESC {at_most()}"""
MENTIONS = f"""
SELECT m.id, m.importance
FROM (SELECT memory_id, confidence FROM memory_entity_mentions WHERE entity_id = ? {at_most()}) x
JOIN memories m ON m.id = x.memory_id AND m.is_deleted = 0
ORDER BY x.confidence DESC, m.importance DESC {at_most()}"""
NEIGHBOURS = f"""
SELECT d.target_entity_id FROM entity_dependencies d JOIN entities e ON e.id = d.target_entity_id
WHERE d.source_entity_id IN {list_of(":ids")} AND d.target_entity_id NOT IN {list_of(":ids")}
  AND coalesce(d.confidence, 0.7) >= :min_confidence
  AND coalesce(d.confidence, 0.7) * d.strength >= :min_strength AND {_NOT_SUPPRESSED}
GROUP BY d.target_entity_id ORDER BY max(coalesce(d.confidence, 0.7) * d.strength) DESC {at_most(":edges")}"""


#: The entity and aspect that connect each memory to the graph; `near` names the step to that entity.
PATHS = f"""
WITH hung (memory_id, entity_id, aspect) AS (
  SELECT j.value, a.entity_id, s.aspect_name FROM {list_rows(":memories")} j
    {THEN_JOIN} entity_attributes a ON a.source_memory_id = j.value AND a.status = 'active'
    LEFT JOIN entity_aspects s ON s.id = a.aspect_id
  UNION ALL SELECT j.value, x.entity_id, NULL FROM {list_rows(":memories")} j
    {THEN_JOIN} memory_entity_mentions x ON x.memory_id = j.value),
near (entity_id, by) AS (
  SELECT value, NULL FROM {list_rows(":focal")}
  UNION ALL SELECT d.target_entity_id, d.source_entity_id FROM {list_rows(":focal")} f
    {THEN_JOIN} entity_dependencies d ON d.source_entity_id = f.value)
SELECT h.memory_id, b.name AS near, e.name, h.aspect FROM hung h
  {THEN_JOIN} near n ON n.entity_id = h.entity_id
  {THEN_JOIN} entities e ON e.id = h.entity_id AND e.agent_id = :agent AND {{entity:e}}
  LEFT JOIN entities b ON b.id = n.by AND {{entity:b}}
WHERE n.by IS NULL OR b.id IS NOT NULL
ORDER BY (n.by IS NOT NULL), (h.aspect IS NULL)"""


def by_part(tx: ReadTx, parts: Sequence[str], *, agent_id: str, limit: int) -> list[Entity]:
    """Return the agent's entities whose names contain one of these parts, pinned first, never suppressed ones."""
    sql = _BY_PART.format(has_one=" OR ".join(_HAS_ONE for _ in parts))
    return tx.rows(Entity, sql, (agent_id, *parts, limit))
