"""Aspects of entities, and the attributes filed under them. Each write is safe to repeat.

An attribute without an aspect is pending: a model is to find it one (`classify.py`).
"""

from collections.abc import Sequence
from typing import NamedTuple

from signet import ids
from signet.db import ReadTx, WriteTx
from signet.db.dialect import LIST, THEN_JOIN, as_list, at_most, by_index, list_of, list_rows
from signet.domain.graph.models import StatementSource, Subject

_ASPECTS = f"""
SELECT entity_id, canonical_name, id, updated_at FROM entity_aspects
WHERE entity_id IN {LIST} AND canonical_name IN {LIST}"""
_NEW_ASPECT = """
INSERT INTO entity_aspects (id, entity_id, agent_id, aspect_name, canonical_name, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?)"""
_TOUCH_ASPECT = "UPDATE entity_aspects SET updated_at = ? WHERE id = ?"
#: The hour of a time that is stored as text.
_HOUR = len("2026-01-01T00")
ASPECTS = "SELECT canonical_name FROM entity_aspects WHERE entity_id = ? ORDER BY weight DESC, canonical_name"
_INSERT = """
INSERT INTO entity_attributes (id, aspect_id, entity_id, agent_id, attribute_value, normalized_value, kind, confidence,
    importance, source_memory_id, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"""
HAS_ATTRIBUTE = "SELECT 1 FROM entity_attributes WHERE source_memory_id = ? LIMIT 1"
PENDING = f"""
SELECT a.id, a.attribute_value AS text, m.id AS memory_id FROM {list_rows()} j
  JOIN entity_attributes a ON a.id = j.value JOIN memories m ON m.id = a.source_memory_id AND m.is_deleted = 0
 WHERE a.entity_id = ? AND a.aspect_id IS NULL AND a.status = 'active' ORDER BY j.key"""
CLASSIFY = """
UPDATE OR IGNORE entity_attributes SET aspect_id = :aspect, kind = :kind, confidence = :confidence,
       importance = CASE :kind WHEN 'constraint' THEN max(importance, :bound) ELSE importance END, updated_at = :at
 WHERE id = :id AND aspect_id IS NULL AND status = 'active'"""
#: The aspect has an active attribute of this text, which replaces the pending one.
GIVE_WAY = """
UPDATE entity_attributes AS pending SET status = 'superseded', updated_at = :at, superseded_by = (
       SELECT a.id FROM entity_attributes a
        WHERE a.aspect_id = :aspect AND a.status = 'active' AND a.normalized_value = pending.normalized_value)
 WHERE id = :id AND aspect_id IS NULL AND status = 'active'"""
SUPERSEDE_OF = f"""
UPDATE entity_attributes SET source_memory_id = NULL, status = 'superseded', updated_at = ?2
WHERE source_memory_id IN {list_of("?1")}"""
MOVE = f"""
UPDATE entity_attributes SET source_memory_id = ?2, updated_at = ?3 WHERE source_memory_id IN {list_of("?1")}"""
REVIVE = """
UPDATE OR IGNORE entity_attributes SET status = 'active', updated_at = ?
WHERE source_memory_id = ? AND status = 'superseded' AND superseded_by IS NULL"""
DELETE_OF = "DELETE FROM entity_attributes WHERE source_memory_id = ?"
DELETE_LEFT = (
    "DELETE FROM entity_attributes WHERE source_memory_id IS NULL AND status <> 'active'",
    "DELETE FROM entity_aspects AS s WHERE NOT EXISTS (SELECT 1 FROM entity_attributes a WHERE a.aspect_id = s.id)",
    "UPDATE entity_communities SET name = NULL WHERE name IS NOT NULL",
)
SAID_BY = f"""
SELECT a.entity_id, e.name, a.attribute_value
FROM entity_attributes a JOIN entities e ON e.id = a.entity_id
WHERE a.source_memory_id IN {LIST} AND a.status = 'active' AND a.kind = 'attribute'"""
#: `said_at` is when the source of a fact was said, however late it is read.
NEWEST = f"""
SELECT a.id, a.attribute_value AS text, e.name AS entity_name, s.aspect_name AS aspect, a.source_memory_id AS memory_id,
       m.scope, m.visibility, coalesce(p.created_at, m.created_at) AS said_at
FROM entity_attributes a JOIN entities e ON e.id = a.entity_id
JOIN memories m ON m.id = a.source_memory_id AND m.is_deleted = 0
LEFT JOIN memories p ON m.source_type = 'pipeline-v2' AND p.id = m.source_id
LEFT JOIN entity_aspects s ON s.id = a.aspect_id
WHERE a.entity_id = ? AND a.status = 'active' AND a.kind = 'attribute'
ORDER BY said_at DESC, a.rowid DESC {at_most()}"""
SUPERSEDE = """
UPDATE entity_attributes SET status = 'superseded', superseded_by = ?, updated_at = ?
WHERE id = ? AND status = 'active'
  AND EXISTS (SELECT 1 FROM entity_attributes WHERE id = ? AND source_memory_id IS NOT NULL)"""
#: The place is the instant of the change and the row, so that a sweep gets on however many changed at once.
CHANGED = """
SELECT memory_id, place FROM (SELECT source_memory_id AS memory_id, updated_at || ' ' || printf('%020d', rowid) AS place
  FROM entity_attributes WHERE status = 'active' AND kind = 'attribute' AND source_memory_id IS NOT NULL)
WHERE place > ? ORDER BY place LIMIT ?"""
UNFOUNDED = f"""
SELECT a.id FROM memories m {by_index("idx_memories_deleted_at")}
{THEN_JOIN} entity_attributes a ON a.source_memory_id = m.id
WHERE m.is_deleted = 1 AND a.status = 'active'
UNION ALL
SELECT a.id FROM entity_attributes a WHERE a.status = 'active' AND a.source_memory_id IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = a.source_memory_id)"""
_RETIRE = f"""
UPDATE entity_attributes SET status = 'superseded', updated_at = ?1
WHERE id IN {list_of("?2")} AND status = 'active'
  AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = source_memory_id AND m.is_deleted = 0)"""


class Pending(NamedTuple):
    id: str
    text: str
    memory_id: str


class Compared(NamedTuple):
    """An active attribute with the fields that decide whether another may supersede it."""

    id: str
    text: str
    entity_name: str
    aspect: str | None
    memory_id: str
    scope: str | None
    visibility: str
    said_at: str


def aspect(tx: WriteTx, entity_id: str, name: str, *, agent_id: str, at: str) -> str:
    """Find or create an aspect of an entity and return its ID."""
    return aspects(tx, [(entity_id, name)], agent_id=agent_id, at=at)[entity_id, name]


def aspects(
    tx: WriteTx, wanted: Sequence[tuple[str, str]], *, agent_id: str, at: str
) -> dict[tuple[str, str], str]:
    """Find or create aspects, given as entity and name, and return their IDs.

    A use is noted once an hour: weights fade by days, and each note is a row for which other saves wait.
    """
    if not wanted:
        return {}
    listed = [as_list({one[place] for one in wanted}) for place in (0, 1)]
    rows = {(entity, name): (id_, used) for entity, name, id_, used in tx.tuples(_ASPECTS, listed)}
    known = {key: rows[key] for key in wanted if key in rows}
    new = {key: ids.new_ordered_id() for key in wanted if key not in known}
    tx.many(_TOUCH_ASPECT, [(at, id_) for id_, used in known.values() if used[:_HOUR] < at[:_HOUR]])
    tx.many(
        _NEW_ASPECT,
        [(id_, entity, agent_id, name, name, at, at) for (entity, name), id_ in new.items()],
    )
    return {**{key: id_ for key, (id_, _) in known.items()}, **new}


def insert(
    tx: WriteTx,
    source: StatementSource,
    entity_id: str,
    aspect_id: str | None,
    value: str,
    normalized: str,
    *,
    kind: str = "attribute",
    confidence: float = 0.0,
    importance: float,
) -> str:
    """Add an attribute, unless the aspect has it already; return its ID."""
    attribute_id = ids.new_ordered_id()
    what = (attribute_id, aspect_id, entity_id, source.agent_id, value, normalized, kind)
    tx.run(_INSERT, (*what, confidence, importance, source.memory_id, source.at, source.at))
    return attribute_id


def insert_all(
    tx: WriteTx, source: StatementSource, rows: Sequence[tuple[str, str, str, str, float, float]]
) -> None:
    """Add attributes that their aspects lack, given as aspect, entity, text, kind, confidence and importance."""
    by = (source.memory_id, source.at, source.at)
    every = [
        (
            ids.new_ordered_id(),
            aspect_id,
            entity_id,
            source.agent_id,
            text,
            text.lower(),
            *weight,
            *by,
        )
        for aspect_id, entity_id, text, *weight in rows
    ]
    tx.many(_INSERT, every)


def retire(tx: WriteTx, attribute_ids: Sequence[str], *, at: str) -> int:
    """Supersede attributes whose memory is forgotten or deleted; return their number."""
    return tx.run(_RETIRE, (at, as_list(attribute_ids)))


_HOLDS_CONSTRAINT = """
EXISTS (SELECT 1 FROM entity_attributes c
        WHERE c.aspect_id = s.id AND c.kind = 'constraint' AND c.status = 'active')"""
_WEIGHT = f"""
s.id, s.weight, s.updated_at, {_HOLDS_CONSTRAINT} AS holds_constraint,
NOT EXISTS (SELECT 1 FROM entity_pinning p
            WHERE p.agent_id = s.agent_id AND p.entity_id = s.entity_id AND p.pin_type = 'suppress') AS is_shown"""
OF_MEMORIES = f"""
SELECT DISTINCT a.source_memory_id, {_WEIGHT}
FROM entity_attributes a {THEN_JOIN} entity_aspects s ON s.id = a.aspect_id
WHERE a.source_memory_id IN {LIST} AND a.status = 'active' AND s.agent_id = ?"""
ONE_WEIGHT = f"SELECT {_WEIGHT} FROM entity_aspects s WHERE s.id = ? AND s.agent_id = ?"
STALE_WEIGHTS = f"""
SELECT {_WEIGHT} FROM entity_aspects s
WHERE s.updated_at < :before AND (:agent IS NULL OR s.agent_id = :agent)
  AND s.weight > CASE WHEN {_HOLDS_CONSTRAINT} THEN max(:low, :floor) ELSE :low END"""
SET_WEIGHT = "UPDATE entity_aspects SET weight = ?, updated_at = ? WHERE id = ?"
SET_UNTOUCHED_WEIGHT = f"{SET_WEIGHT} AND updated_at = ?"
STEP_EDGE = """
UPDATE entity_dependencies SET strength = min(1.0, max(0.0, strength + ?)),
       confidence = min(1.0, max(0.0, coalesce(confidence, 0.7) + ?)), updated_at = ?
 WHERE id = ? AND agent_id = ?"""


class Weight(NamedTuple):
    """The weight of an aspect and its limits (0 or 1)."""

    id: str
    weight: float
    updated_at: str
    holds_constraint: int
    is_shown: int


_SUBJECT = "SELECT id, name, entity_type, agent_id FROM entities WHERE id = ?"
FACT_MEMORIES = f"""
SELECT m.id, m.content FROM {list_rows()} j {THEN_JOIN} memories m ON m.id = j.value
 WHERE m.agent_id = ? AND m.is_deleted = 0 ORDER BY j.key"""
NEWEST_MEMORIES = f"""
SELECT m.id, m.content FROM memory_entity_mentions n {THEN_JOIN} memories m ON m.id = n.memory_id
 WHERE n.entity_id = ? AND m.is_deleted = 0 AND m.agent_id = ? AND m.type <> 'document_chunk'
 ORDER BY m.created_at DESC, m.seq DESC LIMIT ?"""
NEXT = """
SELECT id, agent_id FROM (
    SELECT id, agent_id, updated_at, last_synthesized_at,
           row_number() OVER (PARTITION BY agent_id ORDER BY mentions DESC, id) AS place
      FROM entities WHERE mentions > 1 AND entity_type NOT IN ('skill', 'chunk_group'))
 WHERE place <= ? AND (last_synthesized_at IS NULL OR last_synthesized_at < updated_at)
 ORDER BY last_synthesized_at, place, id LIMIT 1"""
SYNTHESIZED = "UPDATE entities SET last_synthesized_at = ? WHERE id = ?"


class MemoryText(NamedTuple):
    id: str
    content: str


def subject(tx: ReadTx, entity_id: str) -> Subject | None:
    row = tx.one(_SUBJECT, (entity_id,))
    if row is None:
        return None
    id_, name, type, agent_id = row
    known = tuple(tx.column(ASPECTS, (entity_id,)))
    return Subject(id=id_, name=name, type=type, agent_id=agent_id, aspects=known)
