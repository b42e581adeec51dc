"""Lists of the graph of one agent (KG-1), as far as a reader may see it (visible.py)."""

from typing import NamedTuple

from signet.db.dialect import THEN_JOIN, by_index, list_of, list_rows

_ORDER = "e.pinned DESC, e.pinned_at DESC, e.mentions DESC, e.updated_at DESC, e.name, e.id"
_MATCHING = """
FROM entities e WHERE e.agent_id = :agent AND (:type IS NULL OR e.entity_type = :type)
AND (:q IS NULL OR instr(e.canonical_name, :q) > 0) AND {entity:e}"""
#: The page is found before anything is counted, so that counting costs what the page costs.
_COUNTED = f"""
WITH page AS MATERIALIZED (SELECT e.* {{chosen}})
SELECT e.id, e.name, e.canonical_name, e.entity_type, e.agent_id, e.description, e.mentions, e.pinned, e.pinned_at,
  e.community_id, e.created_at, e.updated_at,
  (SELECT count(*) FROM entity_aspects s WHERE s.entity_id = e.id AND {{{{aspect:s}}}}) AS aspect_count,
  (SELECT count(*) FROM entity_attributes a WHERE a.entity_id = e.id AND a.kind = 'attribute'
   AND a.status = 'active' AND {{{{attribute:a}}}}) AS attribute_count,
  (SELECT count(*) FROM entity_attributes a WHERE a.entity_id = e.id AND a.kind = 'constraint'
   AND a.status = 'active' AND {{{{attribute:a}}}}) AS constraint_count,
  (SELECT count(*) FROM entity_dependencies d JOIN entities f ON f.id = d.source_entity_id
   WHERE d.target_entity_id = e.id AND {{edge}}) AS incoming,
  (SELECT count(*) FROM entity_dependencies d JOIN entities f ON f.id = d.target_entity_id
   WHERE d.source_entity_id = e.id AND {{edge}}) AS outgoing
FROM page e ORDER BY {_ORDER}"""
_KNOWN = "FROM entities e WHERE e.id = :id AND e.agent_id = :agent AND {entity:e}"
#: Which memory says each edge of a page of hubs is not looked up, only whether its other end may be seen.
PAGE = _COUNTED.format(
    chosen=f"{_MATCHING} ORDER BY {_ORDER} LIMIT :limit OFFSET :offset", edge="{entity:f}"
)
ONE = _COUNTED.format(chosen=_KNOWN, edge="{edge:e,f}")
TOTAL = f"SELECT count(*) {_MATCHING}"
NAME = f"SELECT e.name {_KNOWN}"
IS_SUPPRESSED = "SELECT 1 FROM entity_pinning WHERE entity_id = ? AND pin_type = 'suppress'"
TASK = """
SELECT task_type, priority, status, due_at, context_json AS context, expires_at, retention_until, completed_at
FROM task_meta WHERE entity_id = ?"""
SKILL = """
SELECT version, author, license, source, role, triggers, tags, permissions, enriched, installed_at, last_used_at,
  use_count, importance, fs_path, uninstalled_at FROM skill_meta WHERE entity_id = ?"""
ASPECTS = """
SELECT s.id, s.entity_id, s.agent_id, s.aspect_name AS name, s.canonical_name, s.weight, s.created_at, s.updated_at,
  (SELECT count(*) FROM entity_attributes a WHERE a.aspect_id = s.id AND a.kind = 'attribute'
   AND a.status = 'active' AND {attribute:a}) AS attribute_count,
  (SELECT count(*) FROM entity_attributes a WHERE a.aspect_id = s.id AND a.kind = 'constraint'
   AND a.status = 'active' AND {attribute:a}) AS constraint_count
FROM entity_aspects s WHERE s.entity_id = :id AND {aspect:s} ORDER BY s.weight DESC, s.aspect_name, s.id"""
ATTRIBUTES = """
SELECT a.id, a.aspect_id, a.agent_id, a.source_memory_id AS memory_id, a.kind, a.attribute_value AS content,
  a.normalized_value AS normalized_content, a.confidence, a.importance, a.status, a.superseded_by, a.created_at,
  a.updated_at
FROM entity_attributes a
WHERE +a.entity_id = :id AND +a.agent_id = :agent AND a.aspect_id = :aspect AND (:kind IS NULL OR a.kind = :kind)
  AND (:status IS NULL OR a.status = :status) AND {attribute:a}
ORDER BY a.importance DESC, a.created_at DESC, a.id DESC LIMIT :limit OFFSET :offset"""
_EDGE = """
SELECT d.id, '{direction}' AS direction, d.dependency_type, d.strength, d.confidence, d.reason, d.aspect_id,
  d.source_entity_id, s.name AS source_entity_name, d.target_entity_id, t.name AS target_entity_name, d.created_at,
  d.updated_at
FROM entity_dependencies d JOIN entities s ON s.id = d.source_entity_id JOIN entities t ON t.id = d.target_entity_id
WHERE d.{end}_entity_id = :id AND d.agent_id = :agent AND {{edge:s,t}}"""
_OUTGOING = _EDGE.format(direction="outgoing", end="source")
_INCOMING = _EDGE.format(direction="incoming", end="target")
_STRONGEST = "SELECT * FROM ({edges}) ORDER BY strength DESC, updated_at DESC, id"
EDGES = {
    "outgoing": _STRONGEST.format(edges=_OUTGOING),
    "incoming": _STRONGEST.format(edges=_INCOMING),
    "both": _STRONGEST.format(edges=f"{_OUTGOING} UNION ALL {_INCOMING}"),
}

_IDS = list_of(":ids")
DRAWN_ENTITIES = f"""
SELECT e.id, e.name, e.entity_type, e.mentions, e.pinned FROM entities e
WHERE e.agent_id = :agent AND {{entity:e}}
  AND (e.mentions > 0 OR e.pinned OR EXISTS (SELECT 1 FROM entity_aspects s WHERE s.entity_id = e.id))
ORDER BY {_ORDER} LIMIT :most"""
DRAWN_ASPECTS = f"""
SELECT entity_id, id, name, weight FROM (
  SELECT s.entity_id, s.id, s.aspect_name AS name, s.weight,
         row_number() OVER (PARTITION BY s.entity_id ORDER BY s.weight DESC, s.aspect_name, s.id) AS place
  FROM entity_aspects s WHERE s.entity_id IN {_IDS} AND {{aspect:s}})
WHERE place <= :most ORDER BY entity_id, place"""
DRAWN_ATTRIBUTES = f"""
SELECT aspect_id, id, content, kind, importance, memory_id FROM (
  SELECT a.aspect_id, a.id, a.attribute_value AS content, a.kind, a.importance, a.source_memory_id AS memory_id,
         row_number() OVER (PARTITION BY a.aspect_id ORDER BY a.importance DESC, a.created_at DESC, a.id) AS place
  FROM entity_attributes a WHERE a.aspect_id IN {_IDS} AND a.status = 'active' AND {{attribute:a}})
WHERE place <= :most ORDER BY aspect_id, place"""
DRAWN_EDGES = f"""
SELECT d.source_entity_id, d.target_entity_id, d.dependency_type, d.strength
FROM {list_rows(":ids")} j {THEN_JOIN} entity_dependencies d {by_index("idx_entity_dependencies_source")}
  ON d.source_entity_id = j.value
{THEN_JOIN} entities s ON s.id = d.source_entity_id {THEN_JOIN} entities t ON t.id = d.target_entity_id
WHERE d.agent_id = :agent AND +d.target_entity_id IN {_IDS} AND {{edge:s,t}}
ORDER BY d.strength DESC, d.id LIMIT :most"""


class Node(NamedTuple):
    """An entity as a map draws it."""

    id: str
    name: str
    kind: str
    mentions: int
    community_id: str | None
    pinned: int
    #: How many there are in all, however many are drawn.
    total: int


_ON_MAP = f"""
e.agent_id = :agent AND (e.mentions >= :least OR e.pinned) AND e.entity_type <> 'chunk_group'
 AND (:kinds IS NULL OR e.entity_type IN {list_of(":kinds")}) AND {{entity:e}}"""
NODES = f"""
SELECT e.id, e.name, e.entity_type AS kind, e.mentions, e.community_id, e.pinned, count(*) OVER () AS total
  FROM entities e WHERE {_ON_MAP} ORDER BY e.pinned DESC, e.mentions DESC, e.seq LIMIT :most"""
NAMED_IN = f"""
SELECT e.id, e.name, e.entity_type AS entityType
  FROM memory_entity_mentions n {THEN_JOIN} entities e ON e.id = n.entity_id
 WHERE n.memory_id = :memory AND e.agent_id = :agent AND e.entity_type <> 'chunk_group' AND {{entity:e}}
 ORDER BY e.mentions DESC, e.name LIMIT :limit"""
#: Which memories that the reader may not see mention which of the entities.
HIDDEN = f"""
WITH n AS MATERIALIZED (SELECT key AS place, value AS id FROM {list_rows(":ids")})
SELECT m.seq, n.place FROM memories m {THEN_JOIN} memory_entity_mentions x ON x.memory_id = m.id
  JOIN n ON n.id = x.entity_id WHERE ({{memory}}) IS NOT TRUE"""
#: Which memories that the reader may see mention entities.
SEEN = f"""
SELECT n.key AS place, m.seq FROM {list_rows(":ids")} n
  {THEN_JOIN} memory_entity_mentions x ON x.entity_id = n.value {THEN_JOIN} memories m ON m.id = x.memory_id
 WHERE {{memory}}"""
#: What is said of two entities, either way, is one edge. Which of them may be seen is for the caller to say: asked of
#: each edge, it took ten times as long.
LINKS = f"""
WITH n AS MATERIALIZED (SELECT key AS place, value AS id FROM {list_rows(":ids")}),
found AS (
  SELECT d.source_entity_id AS a, d.target_entity_id AS b, d.strength FROM n
    {THEN_JOIN} entity_dependencies d ON d.source_entity_id = n.id AND d.agent_id = :agent
  UNION ALL SELECT r.source_entity_id, r.target_entity_id, coalesce(r.strength, 0.0) FROM n
    {THEN_JOIN} relations r ON r.source_entity_id = n.id)
SELECT x.place AS source, y.place AS target, max(f.strength) AS strength FROM found f
  JOIN n x ON x.id = f.a JOIN n y ON y.id = f.b
 WHERE x.place <> y.place
 GROUP BY min(x.place, y.place), max(x.place, y.place) ORDER BY strength DESC, source, target"""
COMMUNITY_NAMES = (
    f"SELECT id, coalesce(name, id) FROM entity_communities WHERE id IN {list_of(':ids')}"
)
