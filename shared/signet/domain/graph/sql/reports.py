"""Counts and reports on the graph of one agent: how much there is, what is doubtful, what a change affects."""

from collections.abc import Iterable
from typing import NamedTuple

from signet.db import ReadTx
from signet.db.dialect import as_list, list_rows
from signet.db.visibility import Reader, readable
from signet.domain.graph.models import CHUNK_GROUP, SKILL, Entity
from signet.domain.graph.sql.visible import Visible

_COUNTS = """
SELECT
  (SELECT count(*) FROM entities WHERE agent_id = :agent) AS entities,
  (SELECT count(*) FROM entity_dependencies WHERE agent_id = :agent) AS dependencies,
  s.*, a.*, m.*
FROM (
  SELECT count(*) AS aspects, coalesce(round(avg(weight), 3), 0) AS average_weight,
    coalesce(sum(updated_at >= :recent), 0) AS updated, coalesce(sum(weight >= :high), 0) AS at_most,
    coalesce(sum(weight <= :low), 0) AS at_least
  FROM entity_aspects WHERE agent_id = :agent) s, (
  SELECT coalesce(sum(kind = 'attribute'), 0) AS attributes, coalesce(sum(kind = 'constraint'), 0) AS constraints
  FROM entity_attributes WHERE agent_id = :agent AND status = 'active') a, (
  SELECT count(*) AS mentioning, coalesce(sum(EXISTS (
      SELECT 1 FROM entity_attributes x
      WHERE x.source_memory_id = m.id AND x.agent_id = :agent AND x.status = 'active')), 0) AS covered
  FROM memories m WHERE m.agent_id = :agent AND m.is_deleted = 0
    AND EXISTS (SELECT 1 FROM memory_entity_mentions x WHERE x.memory_id = m.id)) m"""
_COMPARISONS = """
SELECT e.id AS entity_id, e.name, c.predictor_won AS won, c.margin
FROM predictor_session_comparisons c JOIN entities e ON e.id = c.focal_entity_id
WHERE c.agent_id = :agent AND (:since IS NULL OR c.created_at >= :since) AND {entity}
ORDER BY c.created_at, c.id"""
_NAMES = """
SELECT id, name, canonical_name FROM entities e
WHERE agent_id = :agent AND entity_type NOT IN (:group, :skill) AND {entity} ORDER BY mentions DESC, id"""
_UNFOUNDED = """
SELECT coalesce(sum(NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = a.source_memory_id)), 0) AS source,
  coalesce(sum(NOT EXISTS (SELECT 1 FROM entity_aspects s WHERE s.id = a.aspect_id)), 0) AS aspect
FROM entity_attributes a WHERE a.agent_id = ? AND a.status = 'active'"""
_MEMORIES = """
SELECT m.id, m.content FROM memories m INDEXED BY idx_memories_created
WHERE m.is_deleted = 0 AND m.agent_id = ? AND {where} ORDER BY m.created_at DESC, m.seq DESC LIMIT ?"""
MENTIONED = "SELECT entity_id FROM memory_entity_mentions WHERE memory_id = ?"
#: A change runs along edges that block or inform, and against all others.
_NEXT = f"""
SELECT DISTINCT e.id, e.name, e.entity_type AS type
FROM {list_rows(":ids")} j CROSS JOIN entity_dependencies d INDEXED BY idx_entity_dependencies_{{near}}
  ON d.{{near}}_entity_id = j.value
CROSS JOIN entities n ON n.id = d.{{near}}_entity_id
CROSS JOIN entities e ON e.id = d.{{far}}_entity_id
WHERE d.agent_id = :agent AND d.dependency_type {{is_with}} IN ('blocks', 'informs') AND {{{{edge}}}}"""
_FROM_SOURCE = {"near": "source", "far": "target"}
_FROM_TARGET = {"near": "target", "far": "source"}
_DOWNSTREAM = (
    _NEXT.format(is_with="", **_FROM_SOURCE),
    _NEXT.format(is_with="NOT", **_FROM_TARGET),
)
_UPSTREAM = (
    _NEXT.format(is_with="", **_FROM_TARGET),
    _NEXT.format(is_with="NOT", **_FROM_SOURCE),
)


class Counts(NamedTuple):
    """How much there is of an agent's graph.

    Of the aspects some were `updated` recently or have reached a bound of their weight; `mentioning` counts the
    memories that mention an entity, `covered` those of them that are the source of an attribute.
    """

    entities: int
    dependencies: int
    aspects: int
    average_weight: float
    updated: int
    at_most: int
    at_least: int
    attributes: int
    constraints: int
    mentioning: int
    covered: int


class Comparison(NamedTuple):
    """Whether the predictor beat the baseline in a session about an entity, and by how much."""

    entity_id: str
    name: str
    won: int
    margin: float


class Named(NamedTuple):
    """An entity and its name."""

    id: str
    name: str
    canonical_name: str


def counts(tx: ReadTx, agent_id: str, *, recent: str, high: float, low: float) -> Counts:
    """Return the counts of an agent's graph; `recent` is an instant, `high` and `low` are the bounds of weights."""
    asked = {"agent": agent_id, "recent": recent, "high": high, "low": low}
    return tx.rows(Counts, _COUNTS, asked)[0]


def comparisons(tx: ReadTx, *, reader: Reader, since: str | None) -> list[Comparison]:
    """Return the comparisons of the reader's agent, oldest first."""
    visible = Visible.of(reader)
    asked = {"since": since, **visible.params}
    return tx.rows(Comparison, _COMPARISONS.format(entity=visible.entity()), asked)


def named(tx: ReadTx, *, reader: Reader) -> list[Named]:
    """Return the entities of the reader's agent but for skills and groups of chunks, most mentioned first."""
    visible = Visible.of(reader)
    asked = {"group": CHUNK_GROUP, "skill": SKILL, **visible.params}
    return tx.rows(Named, _NAMES.format(entity=visible.entity()), asked)


def unfounded(tx: ReadTx, agent_id: str) -> tuple[int, int]:
    """Return how many active attributes lack a source memory, and how many an aspect."""
    source, aspect = tx.tuples(_UNFOUNDED, (agent_id,))[0]
    return source, aspect


def newest_memories(tx: ReadTx, *, reader: Reader, limit: int) -> list[tuple[str, str]]:
    """Return the newest memories of the reader's agent as (id, text)."""
    where = readable(reader)
    sql = _MEMORIES.format(where=where.sql)
    return tx.tuples(sql, (reader.agent_id, *where.params, limit))


def affected(
    tx: ReadTx, entity_ids: Iterable[str], *, reader: Reader, upstream: bool
) -> list[Entity]:
    """Return the entities that a change of these affects, or whose changes affect these, one edge away."""
    visible = Visible.of(reader)
    asked = {"ids": as_list(entity_ids), **visible.params}
    edge = visible.edge("n", "e")
    return [
        entity
        for sql in (_UPSTREAM if upstream else _DOWNSTREAM)
        for entity in tx.rows(Entity, sql.format(edge=edge), asked)
    ]
