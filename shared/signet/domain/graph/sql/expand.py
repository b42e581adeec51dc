"""Everything that one entity leads to, as far as a reader may see it."""

from typing import NamedTuple

from signet.db import fts
from signet.db.dialect import LIST, THEN_JOIN
from signet.domain.graph.sql.visible import Visible
from signet.wire.knowledge import DescribedEntity

#: Rows that are read of one entity; the budget of an answer is spent long before.
MOST_ATTRIBUTES = 1_000
MOST_MEMORIES = 500
MOST_EDGES = 200

_ENTITY = "SELECT e.id, e.name, e.entity_type AS type, e.description"
_FOUND = f"{_ENTITY} FROM entities e WHERE e.agent_id = :agent AND {{entity:e}}"
_BY_NAME = (
    f"{_FOUND} AND e.canonical_name = :name",
    f"{_FOUND} AND e.name = :spelt ORDER BY e.mentions DESC, e.id LIMIT 1",
)
_BY_WORDS = f"""
{_ENTITY} FROM entities_fts f {THEN_JOIN} entities e ON e.seq = f.rowid
WHERE entities_fts MATCH :words AND e.agent_id = :agent AND {{entity:e}}
ORDER BY f.rank, e.mentions DESC, e.id LIMIT 1"""
_BY_PART = f"""
{_FOUND} AND instr(e.canonical_name, :name) > 0 ORDER BY length(e.canonical_name), e.mentions DESC, e.id LIMIT 1"""
ATTRIBUTES = """
SELECT a.aspect_id, a.attribute_value AS content, a.kind, a.importance, a.confidence, a.source_memory_id AS memory_id,
  s.aspect_name AS aspect, s.canonical_name, s.weight
FROM entity_attributes a LEFT JOIN entity_aspects s ON s.id = a.aspect_id
WHERE a.entity_id = :id AND a.status = 'active' AND {attribute:a}
ORDER BY s.weight DESC, s.id, a.importance DESC, a.created_at DESC LIMIT :most"""
EDGES = """
SELECT t.name AS target, d.dependency_type AS type, d.strength
FROM entity_dependencies d JOIN entities s ON s.id = d.source_entity_id JOIN entities t ON t.id = d.target_entity_id
WHERE d.source_entity_id = :id AND d.agent_id = :agent AND {edge:s,t} ORDER BY d.strength DESC, t.name LIMIT :most"""
#: From the entity to its memories, never through all memories.
_LINKED = f"""
FROM (SELECT memory_id FROM memory_entity_mentions WHERE entity_id = :id
      UNION SELECT source_memory_id FROM entity_attributes WHERE entity_id = :id AND status = 'active') x
{THEN_JOIN} memories m ON m.id = x.memory_id WHERE {{memory}}"""
COUNT = f"SELECT count(*) {_LINKED}"
MEMORIES = f"SELECT m.id, m.content {_LINKED} ORDER BY m.importance DESC, m.created_at DESC, m.seq LIMIT :most"
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
    """An active attribute, and the aspect it is filed under, if any."""

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
    """Return the entity of this name, else the one whose name fits best, None when none does."""
    words = fts.words(name)
    asked = {"name": canonical, "spelt": name.strip(), "words": fts.all_of(words)}
    for sql in (*_BY_NAME, *([_BY_WORDS] if words else []), _BY_PART):
        for found in visible.records(DescribedEntity, sql, **asked):
            return found
    return None
