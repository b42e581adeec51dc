"""Counts and reports on the graph of one agent: how much there is, what is doubtful, what a change affects."""

from signet.db.dialect import THEN_JOIN, by_index, list_rows

COUNTS = """
SELECT
  (SELECT count(*) FROM entities WHERE agent_id = :agent) AS entity_count,
  (SELECT count(*) FROM entity_dependencies WHERE agent_id = :agent) AS dependency_count,
  s.*, a.*, m.*
FROM (
  SELECT count(*) AS aspect_count, coalesce(round(avg(weight), 3), 0) AS average_aspect_weight,
    coalesce(sum(updated_at >= :recent), 0) AS feedback_updated_aspect_count,
    coalesce(sum(weight >= :high), 0) AS max_weight_aspect_count,
    coalesce(sum(weight <= :low), 0) AS min_weight_aspect_count
  FROM entity_aspects WHERE agent_id = :agent) s, (
  SELECT coalesce(sum(kind = 'attribute'), 0) AS attribute_count,
    coalesce(sum(kind = 'constraint'), 0) AS constraint_count
  FROM entity_attributes WHERE agent_id = :agent AND status = 'active') a, (
  SELECT count(*) AS mentioning, coalesce(sum(EXISTS (
      SELECT 1 FROM entity_attributes x
      WHERE x.source_memory_id = m.id AND x.agent_id = :agent AND x.status = 'active')), 0) AS covered
  FROM memories m WHERE m.agent_id = :agent AND m.is_deleted = 0
    AND EXISTS (SELECT 1 FROM memory_entity_mentions x WHERE x.memory_id = m.id)) m"""
COMPARISONS = """
SELECT e.id AS entity_id, e.name, c.predictor_won AS won, c.margin
FROM predictor_session_comparisons c JOIN entities e ON e.id = c.focal_entity_id
WHERE c.agent_id = :agent AND (:since IS NULL OR c.created_at >= :since) AND {entity:e}
ORDER BY c.created_at, c.id"""
NAMES = """
SELECT id, name, canonical_name FROM entities e
WHERE agent_id = :agent AND entity_type NOT IN (:group, :skill) AND {entity:e} ORDER BY mentions DESC, id"""
UNFOUNDED = """
SELECT coalesce(sum(NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = a.source_memory_id)), 0) AS source,
  coalesce(sum(NOT EXISTS (SELECT 1 FROM entity_aspects s WHERE s.id = a.aspect_id)), 0) AS aspect
FROM entity_attributes a WHERE a.agent_id = ? AND a.status = 'active'"""
MEMORIES = f"""
SELECT m.id, m.content FROM memories m {by_index("idx_memories_created")}
WHERE m.agent_id = :agent AND {{memory}} ORDER BY m.created_at DESC, m.seq DESC LIMIT :limit"""
MENTIONED = "SELECT entity_id FROM memory_entity_mentions WHERE memory_id = ?"
#: A change runs along edges that block or inform, and against all others.
_NEXT = f"""
SELECT DISTINCT e.id, e.name, e.entity_type AS type
FROM {list_rows(":ids")} j {THEN_JOIN} entity_dependencies d {by_index("idx_entity_dependencies_{near}")}
  ON d.{{near}}_entity_id = j.value
{THEN_JOIN} entities n ON n.id = d.{{near}}_entity_id
{THEN_JOIN} entities e ON e.id = d.{{far}}_entity_id
WHERE d.agent_id = :agent AND d.dependency_type {{is_with}} IN ('blocks', 'informs') AND {{{{edge:n,e}}}}"""
_FROM_SOURCE = {"near": "source", "far": "target"}
_FROM_TARGET = {"near": "target", "far": "source"}
NEXT = {
    "downstream": (
        _NEXT.format(is_with="", **_FROM_SOURCE),
        _NEXT.format(is_with="NOT", **_FROM_TARGET),
    ),
    "upstream": (
        _NEXT.format(is_with="", **_FROM_TARGET),
        _NEXT.format(is_with="NOT", **_FROM_SOURCE),
    ),
}
