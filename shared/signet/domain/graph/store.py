"""The only SQL of the graph. Each write is safe to repeat.

`entities.mentions` is the number of memories that name the entity: it grows only with a new mention row, and the
purge takes off what it removes.
"""

import json
from collections.abc import Sequence

from signet import ids
from signet.db import ReadTx, WriteTx
from signet.domain.graph.models import EXTRACTED, UNKNOWN

#: Types that tell nothing.
_UNTOLD = frozenset({EXTRACTED, UNKNOWN})

_ENTITY = "SELECT id, entity_type FROM entities WHERE agent_id = ? AND canonical_name = ?"
_NEW_ENTITY = (
    "INSERT INTO entities (id, name, canonical_name, entity_type, mentions, agent_id, created_at, updated_at)"
    " VALUES (?, ?, ?, ?, 1, ?, ?, ?)"
)
_COUNT = "UPDATE entities SET mentions = mentions + ?, updated_at = ? WHERE id = ?"
_TYPE = "UPDATE entities SET entity_type = ? WHERE id = ?"
_MENTION = (
    "INSERT INTO memory_entity_mentions (memory_id, entity_id, mention_text, confidence, created_at)"
    " VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
)
_MENTIONED = "SELECT count(*) FROM memory_entity_mentions WHERE memory_id = ?"
_ASPECT = "SELECT id FROM entity_aspects WHERE entity_id = ? AND canonical_name = ?"
_NEW_ASPECT = (
    "INSERT INTO entity_aspects (id, entity_id, agent_id, aspect_name, canonical_name, created_at, updated_at)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_TOUCH_ASPECT = "UPDATE entity_aspects SET updated_at = ? WHERE id = ?"
_ATTRIBUTE = (
    "INSERT INTO entity_attributes (id, aspect_id, entity_id, agent_id, attribute_value, normalized_value, kind,"
    " confidence, importance, source_memory_id, created_at, updated_at)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
)
_COMPANIONS = (
    "INSERT INTO entity_dependencies (id, agent_id, source_entity_id, target_entity_id, dependency_type, strength,"
    " confidence, reason, created_at, updated_at)"
    " SELECT ?1, ?2, ?3, ?4, 'related_to', ?5, ?6, ?7, ?8, ?8 WHERE NOT EXISTS ("
    "SELECT 1 FROM entity_dependencies WHERE agent_id = ?2 AND source_entity_id = ?4"
    " AND target_entity_id = ?3 AND dependency_type = 'related_to') ON CONFLICT DO NOTHING"
)
_RELATION = """
INSERT INTO relations (id, source_entity_id, target_entity_id, relation_type, strength, mentions, confidence,
    created_at, updated_at)
VALUES (:id, :source, :target, :type, 1.0, 1, :confidence, :at, :at)
ON CONFLICT (source_entity_id, target_entity_id, relation_type) DO UPDATE SET
    confidence = (confidence * mentions + excluded.confidence) / (mentions + 1),
    mentions = mentions + 1,
    updated_at = excluded.updated_at
RETURNING confidence
"""
#: An edge that the walk of recall follows; as strong as the model is sure.
_DEPENDENCY = """
INSERT INTO entity_dependencies (id, agent_id, source_entity_id, target_entity_id, dependency_type, strength,
    confidence, reason, created_at, updated_at)
VALUES (:id, :agent, :source, :target, :type, :confidence, :confidence, :reason, :at, :at)
ON CONFLICT (agent_id, source_entity_id, target_entity_id, dependency_type) DO UPDATE SET
    strength = excluded.strength, confidence = excluded.confidence, reason = excluded.reason,
    updated_at = excluded.updated_at
"""

_LISTED = "IN (SELECT value FROM json_each(?1))"
_COUNT_MENTIONS = f"SELECT entity_id, count(*) FROM memory_entity_mentions WHERE memory_id {_LISTED} GROUP BY entity_id"
_UNMENTION = f"DELETE FROM memory_entity_mentions WHERE memory_id {_LISTED}"
_SUPERSEDE = (
    "UPDATE entity_attributes SET source_memory_id = NULL, status = 'superseded', updated_at = ?2"
    f" WHERE source_memory_id {_LISTED}"
)
#: Entities that several of the memories name, and how many mentions are too many when one memory has them all.
_TWICE = f"""
SELECT entity_id, count(*) - 1 FROM memory_entity_mentions WHERE memory_id {_LISTED} OR memory_id = ?2
GROUP BY entity_id HAVING count(*) > 1
"""
_MOVE_MENTIONS = (
    f"UPDATE OR IGNORE memory_entity_mentions SET memory_id = ?2 WHERE memory_id {_LISTED}"
)
_MOVE_ATTRIBUTES = f"""
UPDATE entity_attributes SET source_memory_id = ?2, updated_at = ?3 WHERE source_memory_id {_LISTED}
"""
_REVIVE = (
    "UPDATE OR IGNORE entity_attributes SET status = 'active', updated_at = ?"
    " WHERE source_memory_id = ? AND status = 'superseded' AND superseded_by IS NULL"
)
_DISCOUNT = "UPDATE entities SET mentions = max(0, mentions - ?), updated_at = ? WHERE id = ?"
_ORPHANS = f"""
SELECT id FROM entities e WHERE id {_LISTED} AND mentions = 0 AND pinned = 0
   AND entity_type NOT IN ('skill', 'task', 'chunk_group')
   AND NOT EXISTS (SELECT 1 FROM entity_pinning p WHERE p.entity_id = e.id)
   AND NOT EXISTS (SELECT 1 FROM memory_entity_mentions m WHERE m.entity_id = e.id)
   AND NOT EXISTS (SELECT 1 FROM entity_attributes a WHERE a.entity_id = e.id AND a.status = 'active')
"""
#: An entity and all that hangs on it (schema-knowledge.md §6), leaves first.
_DROP_ENTITY = (
    *(
        f"DELETE FROM {table} WHERE {column} {_LISTED}"
        for table in ("relations", "entity_dependencies")
        for column in ("source_entity_id", "target_entity_id")
    ),
    *(
        f"DELETE FROM {table} WHERE entity_id {_LISTED}"
        for table in (
            "entity_attributes",
            "entity_aspects",
            "entity_pinning",
            "task_meta",
            "skill_meta",
        )
    ),
    f"DELETE FROM entities WHERE id {_LISTED}",
)


def is_known(tx: ReadTx, canonical: str, *, agent_id: str) -> bool:
    """Return whether the agent has an entity of this canonical name."""
    return tx.one(_ENTITY, (agent_id, canonical)) is not None


def mention(
    tx: WriteTx,
    memory_id: str,
    *,
    name: str,
    canonical: str,
    type: str,
    text: str,
    confidence: float,
    agent_id: str,
    at: str,
) -> str:
    """Find or make the entity, tie the memory to it, and return the entity's id.

    A type that tells something takes the place of one that does not.
    """
    known = tx.one(_ENTITY, (agent_id, canonical))
    entity_id: str = ids.new_ordered_id() if known is None else known["id"]
    if known is None:
        tx.run(_NEW_ENTITY, (entity_id, name, canonical, type, agent_id, at, at))
    elif known["entity_type"] in _UNTOLD and type not in _UNTOLD:
        tx.run(_TYPE, (type, entity_id))
    is_new = tx.run(_MENTION, (memory_id, entity_id, text, confidence, at))
    if known is not None:
        tx.run(_COUNT, (is_new, at, entity_id))
    return entity_id


def mentioned(tx: ReadTx, memory_id: str) -> int:
    """Return how many entities a memory names."""
    return int(tx.value(_MENTIONED, (memory_id,)))


def aspect(tx: WriteTx, entity_id: str, name: str, *, agent_id: str, at: str) -> str:
    """Find or make an aspect of an entity and return its id."""
    found: str | None = tx.value(_ASPECT, (entity_id, name))
    if found is not None:
        tx.run(_TOUCH_ASPECT, (at, found))
        return found
    aspect_id = ids.new_ordered_id()
    tx.run(_NEW_ASPECT, (aspect_id, entity_id, agent_id, name, name, at, at))
    return aspect_id


def attribute(
    tx: WriteTx,
    *,
    aspect_id: str,
    entity_id: str,
    value: str,
    normalized: str,
    kind: str,
    confidence: float,
    importance: float,
    memory_id: str,
    agent_id: str,
    at: str,
) -> None:
    """Write down what a memory says of an entity, unless the aspect says it already."""
    tx.run(
        _ATTRIBUTE,
        (
            ids.new_ordered_id(),
            aspect_id,
            entity_id,
            agent_id,
            value,
            normalized,
            kind,
            confidence,
            importance,
            memory_id,
            at,
            at,
        ),
    )


def companions(
    tx: WriteTx,
    source_id: str,
    target_id: str,
    *,
    strength: float,
    confidence: float,
    reason: str,
    agent_id: str,
    at: str,
) -> None:
    """Join two entities by `related_to`, unless an edge joins them in either direction."""
    edge = (ids.new_ordered_id(), agent_id, source_id, target_id, strength, confidence, reason, at)
    tx.run(_COMPANIONS, edge)


def relate(
    tx: WriteTx,
    source_id: str,
    target_id: str,
    *,
    type: str,
    confidence: float,
    reason: str,
    agent_id: str,
    at: str,
) -> None:
    """Write a relation and the edge that recall walks; told again, its confidence is the running mean."""
    edge = {"source": source_id, "target": target_id, "type": type, "at": at}
    mean = tx.value(_RELATION, edge | {"id": ids.new_ordered_id(), "confidence": confidence})
    tx.run(
        _DEPENDENCY,
        edge
        | {"id": ids.new_ordered_id(), "confidence": mean, "agent": agent_id, "reason": reason},
    )


def unmention(tx: WriteTx, memory_ids: Sequence[str], *, at: str) -> dict[str, int]:
    """Cut memories off the graph; return how many mentions each entity lost.

    What they said of an entity stays, superseded and without its source.
    """
    listed = json.dumps(memory_ids)
    lost: dict[str, int] = {row[0]: row[1] for row in tx.all(_COUNT_MENTIONS, (listed,))}
    tx.run(_UNMENTION, (listed,))
    tx.run(_SUPERSEDE, (listed, at))
    tx.many(_DISCOUNT, [(count, at, entity_id) for entity_id, count in lost.items()])
    return lost


def drop_attributes(tx: WriteTx, memory_id: str) -> None:
    """Delete what a memory said of entities."""
    tx.run("DELETE FROM entity_attributes WHERE source_memory_id = ?", (memory_id,))


def drop_orphans(tx: WriteTx, entity_ids: Sequence[str]) -> int:
    """Delete those entities that no memory names and nobody keeps, with all of theirs; return how many."""
    orphans = [row[0] for row in tx.all(_ORPHANS, (json.dumps(entity_ids),))]
    drop_entities(tx, orphans)
    return len(orphans)


def drop_entities(tx: WriteTx, entity_ids: Sequence[str]) -> None:
    """Delete entities with all that hangs on them."""
    if entity_ids:
        for statement in _DROP_ENTITY:
            tx.run(statement, (json.dumps(entity_ids),))


def hand_over(tx: WriteTx, memory_ids: Sequence[str], keeper_id: str, *, at: str) -> None:
    """Give one memory the mentions of others, and what they said (KG-28)."""
    listed = json.dumps(memory_ids)
    twice = tx.all(_TWICE, (listed, keeper_id))
    tx.run(_MOVE_MENTIONS, (listed, keeper_id))
    tx.run(_UNMENTION, (listed,))
    tx.many(_DISCOUNT, [(count, at, entity_id) for entity_id, count in twice])
    tx.run(_MOVE_ATTRIBUTES, (listed, keeper_id, at))


def revive(tx: WriteTx, memory_id: str, *, at: str) -> None:
    """Let what a memory said hold again, except where something else has taken its place."""
    tx.run(_REVIVE, (at, memory_id))
