"""Lists of the graph of one agent (KG-1), as far as a reader may see it (visible.py)."""

from typing import NamedTuple

from signet.db import ReadTx, fts
from signet.db.dialect import LIST, THEN_JOIN, by_index, list_of, list_rows
from signet.domain.graph.sql.visible import Visible
from signet.wire.knowledge import DescribedEntity

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
#: The memory of each edge is not read for a page of hubs, only whether its other end is visible.
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
    """An entity on the map; `total` counts all of them."""

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
 AND (:kinds IS NULL OR e.entity_type IN {list_of(":kinds")}) AND {{entity:e}}
 AND (:project IS NULL OR EXISTS (
   SELECT 1 FROM memory_entity_mentions y {THEN_JOIN} memories m ON m.id = y.memory_id
    WHERE y.entity_id = e.id AND m.project = :project AND {{memory}}))"""
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
#: Number of memories by project that mention each entity.
PROJECTS_OF = f"""
SELECT n.key AS place, m.project, count(*) AS times FROM {list_rows(":ids")} n
  {THEN_JOIN} memory_entity_mentions x ON x.entity_id = n.value {THEN_JOIN} memories m ON m.id = x.memory_id
 WHERE {{memory}} AND coalesce(m.project, '') <> '' AND coalesce(:project, m.project) = m.project GROUP BY 1, 2"""
#: All edges between two entities, in both directions, are one. The caller decides which of them a reader may see:
#: asked for each edge, that took ten times as long.
LINKS = f"""
WITH n AS MATERIALIZED (SELECT key AS place, value AS id FROM {list_rows(":ids")}),
found AS (
  SELECT d.source_entity_id AS a, d.target_entity_id AS b, d.strength FROM n
    {THEN_JOIN} entity_dependencies d ON d.source_entity_id = n.id AND d.agent_id = :agent
  UNION ALL SELECT r.source_entity_id, r.target_entity_id, coalesce(r.strength, 0.0) FROM n
    {THEN_JOIN} relations r ON r.source_entity_id = n.id)
SELECT source, target, strength FROM (
  SELECT x.place AS source, y.place AS target, f.strength, row_number() OVER (
           PARTITION BY min(x.place, y.place), max(x.place, y.place) ORDER BY f.strength DESC, x.place) AS number
    FROM found f JOIN n x ON x.id = f.a JOIN n y ON y.id = f.b
   WHERE x.place <> y.place)
 WHERE number = 1 ORDER BY strength DESC, source, target"""
PUT_PIN = """
INSERT INTO entity_pinning (id, agent_id, entity_id, pin_type, weight_override, reason, created_at)
SELECT ?, agent_id, id, ?, ?, ?, ? FROM entities WHERE id = ? AND agent_id = ?
ON CONFLICT (agent_id, entity_id) DO UPDATE SET pin_type = excluded.pin_type,
    weight_override = excluded.weight_override, reason = excluded.reason, created_at = excluded.created_at"""
DELETE_PIN = "DELETE FROM entity_pinning WHERE entity_id = ? AND agent_id = ?"
MARK_PINNED = "UPDATE entities SET pinned = ?, pinned_at = ? WHERE id = ? AND agent_id = ?"
PINNED = """
SELECT e.id, e.name, coalesce(e.pinned_at, '') AS pinned_at FROM entities e
WHERE e.agent_id = :agent AND e.pinned = 1 AND {entity:e} ORDER BY e.pinned_at DESC, name, id"""
SUPPRESSED = """
SELECT e.id, e.name, p.created_at AS pinned_at FROM entity_pinning p JOIN entities e ON e.id = p.entity_id
WHERE p.agent_id = :agent AND p.pin_type = 'suppress' AND {entity:e} ORDER BY p.created_at DESC, e.name, e.id"""


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
COUNT_UNFOUNDED = """
SELECT coalesce(sum(NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = a.source_memory_id)), 0) AS source,
  coalesce(sum(NOT EXISTS (SELECT 1 FROM entity_aspects s WHERE s.id = a.aspect_id)), 0) AS aspect
FROM entity_attributes a WHERE a.agent_id = ? AND a.status = 'active'"""
NEWEST_TEXTS = f"""
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


AGENTS = "SELECT agent_id FROM entities UNION SELECT agent_id FROM entity_communities ORDER BY 1"
#: A third of the graph is younger than its last run, or there was none.
OUTGROWN = """
SELECT e.agent_id FROM entities e LEFT JOIN community_runs r ON r.agent_id = e.agent_id
GROUP BY e.agent_id HAVING 3 * count(*) FILTER (WHERE r.ran_at IS NULL OR e.created_at > r.ran_at) >= count(*)"""
COMMUNITY_ENTITIES = (
    "SELECT id, name, mentions, community_id FROM entities WHERE agent_id = ? ORDER BY id"
)
#: Of parallel edges, in either direction, the largest counts.
COMMUNITY_EDGES = """
SELECT min(source_entity_id, target_entity_id), max(source_entity_id, target_entity_id),
       max(max(0, strength) * max(0, coalesce(confidence, 0.7))) AS weight
FROM entity_dependencies WHERE agent_id = ? AND source_entity_id <> target_entity_id
GROUP BY 1, 2 HAVING max(max(0, strength) * max(0, coalesce(confidence, 0.7))) > 0 ORDER BY 1, 2"""
_LAST = "SELECT coalesce(modularity, 0.0), graph_signature FROM community_runs WHERE agent_id = ?"
COMMUNITIES = """
SELECT id, name, cohesion, member_count, created_at, updated_at FROM (
  SELECT c.id, e.name, c.cohesion, count(*) OVER (PARTITION BY c.id) AS member_count, c.created_at, c.updated_at,
         row_number() OVER (PARTITION BY c.id ORDER BY e.mentions DESC, e.seq) AS place
  FROM entity_communities c JOIN entities e ON e.community_id = c.id
  WHERE c.agent_id = :agent AND {entity:e})
WHERE place = 1 ORDER BY member_count DESC, name, id"""
PUT_COMMUNITY = """
INSERT INTO entity_communities (id, agent_id, cohesion, member_count, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET name = NULL, cohesion = excluded.cohesion, member_count = excluded.member_count,
    updated_at = excluded.updated_at"""
MOVE_ENTITY = "UPDATE entities SET community_id = ? WHERE id = ?"
DELETE_OTHERS = f"DELETE FROM entity_communities WHERE agent_id = ? AND id NOT IN {LIST}"
NOTE_RUN = """
INSERT INTO community_runs (agent_id, modularity, quality, graph_signature, ran_at) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (agent_id) DO UPDATE SET modularity = excluded.modularity, quality = excluded.quality,
    graph_signature = excluded.graph_signature, ran_at = excluded.ran_at"""


class Member(NamedTuple):
    id: str
    name: str
    mentions: int
    community_id: str | None


def last_run(tx: ReadTx, agent_id: str) -> tuple[float, str | None]:
    """Return the modularity and graph signature of an agent's last run; (0, None) before it."""
    found = tx.tuples(_LAST, (agent_id,))
    return found[0] if found else (0.0, None)


#: Rows that are read of one entity; the budget of an answer is spent long before.
MOST_ATTRIBUTES = 1_000
MOST_MEMORIES = 500
MOST_EDGES = 200

_DESCRIBED = "SELECT e.id, e.name, e.entity_type AS type, e.description"
_FOUND = f"{_DESCRIBED} FROM entities e WHERE e.agent_id = :agent AND {{entity:e}}"
_BY_NAME = (
    f"{_FOUND} AND e.canonical_name = :name",
    f"{_FOUND} AND e.name = :spelt ORDER BY e.mentions DESC, e.id LIMIT 1",
)
_BY_WORDS = f"""
{_DESCRIBED} FROM entities_fts f {THEN_JOIN} entities e ON e.seq = f.rowid
WHERE entities_fts MATCH :words AND e.agent_id = :agent AND {{entity:e}}
ORDER BY f.rank, e.mentions DESC, e.id LIMIT 1"""
_BY_PART_OF_NAME = f"""
{_FOUND} AND instr(e.canonical_name, :name) > 0 ORDER BY length(e.canonical_name), e.mentions DESC, e.id LIMIT 1"""
FILED_ATTRIBUTES = """
SELECT a.aspect_id, a.attribute_value AS content, a.kind, a.importance, a.confidence, a.source_memory_id AS memory_id,
  s.aspect_name AS aspect, s.canonical_name, s.weight
FROM entity_attributes a LEFT JOIN entity_aspects s ON s.id = a.aspect_id
WHERE a.entity_id = :id AND a.status = 'active' AND {attribute:a}
ORDER BY s.weight DESC, s.id, a.importance DESC, a.created_at DESC LIMIT :most"""
OUTGOING_EDGES = """
SELECT t.name AS target, d.dependency_type AS type, d.strength
FROM entity_dependencies d JOIN entities s ON s.id = d.source_entity_id JOIN entities t ON t.id = d.target_entity_id
WHERE d.source_entity_id = :id AND d.agent_id = :agent AND {edge:s,t} ORDER BY d.strength DESC, t.name LIMIT :most"""
#: From the entity to its memories, never through all memories.
_LINKED = f"""
FROM (SELECT memory_id FROM memory_entity_mentions WHERE entity_id = :id
      UNION SELECT source_memory_id FROM entity_attributes WHERE entity_id = :id AND status = 'active') x
{THEN_JOIN} memories m ON m.id = x.memory_id WHERE {{memory}}"""
COUNT_LINKED = f"SELECT count(*) {_LINKED}"
LINKED_MEMORIES = f"SELECT m.id, m.content {_LINKED} ORDER BY m.importance DESC, m.created_at DESC, m.seq LIMIT :most"
VECTORS = f"""
SELECT source_id, vector FROM embeddings
WHERE source_type = 'memory' AND ordinal = 0 AND length(vector) = ? AND source_id IN {LIST}"""
SUMMARIES = """
SELECT s.id, s.session_key, s.harness, s.earliest_at, s.latest_at, s.content, count(*) OVER () AS total
FROM session_summaries s
WHERE s.agent_id = :agent AND (:project IS NULL OR s.project = :project) AND s.latest_at >= :since
  AND (:session IS NULL OR s.session_key = :session)
  AND (instr(lower(s.content), :name) > 0 OR EXISTS (
    SELECT 1 FROM session_summary_memories x JOIN memory_entity_mentions y ON y.memory_id = x.memory_id
    WHERE x.summary_id = s.id AND y.entity_id = :entity))
ORDER BY s.latest_at DESC, s.id LIMIT :limit"""


class Filed(NamedTuple):
    """An active attribute with its aspect, or without one."""

    aspect_id: str | None
    content: str
    kind: str
    importance: float
    confidence: float
    memory_id: str | None
    aspect: str | None
    canonical_name: str | None
    weight: float | None


def find(visible: Visible, name: str, canonical: str) -> DescribedEntity | None:
    """Return the entity of this name, else the best match."""
    words = fts.words(name)
    asked = {"name": canonical, "spelt": name.strip(), "words": fts.all_of(words)}
    for sql in (*_BY_NAME, *([_BY_WORDS] if words else []), _BY_PART_OF_NAME):
        for found in visible.records(DescribedEntity, sql, **asked):
            return found
    return None
