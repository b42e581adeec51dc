"""Counts and reports on the graph of one agent: how much there is, what is doubtful, what a change affects."""

from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from signet.db import ReadTx
from signet.db.dialect import as_list
from signet.db.visibility import Reader, readable
from signet.domain.graph.models import CHUNK_GROUP, SKILL, Entity
from signet.domain.graph.sql.visible import Visible

N = TypeVar("N")

_TOTALS = """
SELECT (SELECT count(*) FROM entities WHERE agent_id = :agent) AS entities,
  (SELECT count(*) FROM entity_dependencies WHERE agent_id = :agent) AS dependencies"""
_ASPECTS = """
SELECT count(*) AS aspects, coalesce(round(avg(weight), 3), 0) AS average_weight,
  coalesce(sum(updated_at >= :recent), 0) AS recent, coalesce(sum(weight >= :high), 0) AS at_most,
  coalesce(sum(weight <= :low), 0) AS at_least
FROM entity_aspects WHERE agent_id = :agent"""
_ATTRIBUTES = """
SELECT coalesce(sum(kind = 'attribute'), 0) AS attributes, coalesce(sum(kind = 'constraint'), 0) AS constraints
FROM entity_attributes WHERE agent_id = :agent AND status = 'active'"""
_COVERAGE = """
SELECT count(*) AS mentioning, coalesce(sum(EXISTS (
    SELECT 1 FROM entity_attributes a
    WHERE a.source_memory_id = m.id AND a.agent_id = :agent AND a.status = 'active')), 0) AS covered
FROM memories m WHERE m.agent_id = :agent AND m.is_deleted = 0
  AND EXISTS (SELECT 1 FROM memory_entity_mentions x WHERE x.memory_id = m.id)"""
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
_MENTIONED = "SELECT entity_id FROM memory_entity_mentions WHERE memory_id = ?"
#: A change runs along edges that block or inform, and against all others.
_NEXT = """
SELECT DISTINCT e.id, e.name, e.entity_type AS type
FROM json_each(:ids) j CROSS JOIN entity_dependencies d INDEXED BY idx_entity_dependencies_{near}
  ON d.{near}_entity_id = j.value
CROSS JOIN entities n ON n.id = d.{near}_entity_id
CROSS JOIN entities e ON e.id = d.{far}_entity_id
WHERE d.agent_id = :agent AND d.dependency_type {is_with} IN ('blocks', 'informs') AND {{edge}}"""
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


class Totals(NamedTuple):
    """How many entities and dependencies there are."""

    entities: int
    dependencies: int


class AspectTotals(NamedTuple):
    """How many aspects there are, what they weigh, and how many changed lately or reached a bound."""

    aspects: int
    average_weight: float
    recent: int
    at_most: int
    at_least: int


class AttributeTotals(NamedTuple):
    """How many active attributes there are."""

    attributes: int
    constraints: int


class Coverage(NamedTuple):
    """How many memories mention an entity, and of how many of them an entity has an attribute."""

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


class Unfounded(NamedTuple):
    """How many active attributes have no source memory or no aspect."""

    source: int
    aspect: int


def totals(tx: ReadTx, agent_id: str) -> Totals:
    """Return how many entities and dependencies an agent has."""
    return _only(tx.rows(Totals, _TOTALS, {"agent": agent_id}))


def aspect_totals(
    tx: ReadTx, agent_id: str, *, recent: str, high: float, low: float
) -> AspectTotals:
    """Return what an agent's aspects weigh; `recent` is since when a change is lately."""
    asked = {"agent": agent_id, "recent": recent, "high": high, "low": low}
    return _only(tx.rows(AspectTotals, _ASPECTS, asked))


def attribute_totals(tx: ReadTx, agent_id: str) -> AttributeTotals:
    """Return how many active attributes an agent's entities have."""
    return _only(tx.rows(AttributeTotals, _ATTRIBUTES, {"agent": agent_id}))


def coverage(tx: ReadTx, agent_id: str) -> Coverage:
    """Return how many of an agent's memories are in its graph."""
    return _only(tx.rows(Coverage, _COVERAGE, {"agent": agent_id}))


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


def unfounded(tx: ReadTx, agent_id: str) -> Unfounded:
    """Return how many active attributes lack a source memory or an aspect."""
    return _only(tx.rows(Unfounded, _UNFOUNDED, (agent_id,)))


def newest_memories(tx: ReadTx, *, reader: Reader, limit: int) -> list[tuple[str, str]]:
    """Return the newest memories of the reader's agent as (id, text)."""
    where = readable(reader)
    sql = _MEMORIES.format(where=where.sql)
    return tx.tuples(sql, (reader.agent_id, *where.params, limit))


def mentioned(tx: ReadTx, memory_id: str) -> set[str]:
    """Return the entities that a memory mentions."""
    return {row[0] for row in tx.tuples(_MENTIONED, (memory_id,))}


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


def _only(rows: list[N]) -> N:
    return rows[0]
