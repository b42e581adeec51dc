"""Linking memories to the entities they mention, and unlinking them.

A new memory is linked by its words alone; what they say is decided by `analysis.py`. All of this
runs inside the transaction that changes the memory.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from signet import clock, ids
from signet.db import WriteTx
from signet.db.dialect import as_list
from signet.domain.graph import analysis
from signet.domain.graph.models import CHUNK_GROUP, EXTRACTED, Source
from signet.domain.graph.sql import attributes, edges, entities


def apply(tx: WriteTx, memory_id: str, text: str, agent_id: str, now: datetime) -> int:
    """Link a new memory to the entities it mentions and return how many there are."""
    linked = analysis.analyse(
        text, lambda name: entities.find(tx, name, agent_id=agent_id) is not None
    )
    if not linked.entities:
        return 0
    source = Source(memory_id, agent_id, clock.to_text(now))
    entity_ids = {
        entity.canonical: entities.mention(
            tx,
            source,
            name=entity.name,
            canonical=entity.canonical,
            type=EXTRACTED,
            confidence=analysis.MENTION_CONFIDENCE,
        )
        for entity in linked.entities
    }
    for found in linked.attributes:
        entity_id = entity_ids[found.entity]
        attributes.insert(
            tx,
            source,
            entity_id,
            attributes.aspect(tx, entity_id, found.aspect, agent_id=agent_id, at=source.at),
            found.content,
            found.content.lower(),
            kind=linked.kind,
            confidence=analysis.ATTRIBUTE_CONFIDENCE,
            importance=linked.importance,
        )
    for one, other in linked.pairs:
        ends = (source.agent_id, entity_ids[one], entity_ids[other])
        said = (analysis.EDGE_STRENGTH, analysis.EDGE_CONFIDENCE, "named together in one memory")
        tx.run(edges.COMPANIONS, (ids.new_ordered_id(), *ends, *said, source.at))
    return len(entity_ids)


def relink(tx: WriteTx, memory_id: str, text: str, agent_id: str, now: datetime) -> int:
    """Link a memory whose text has changed to what it mentions now, and to that alone; return how many there are.

    What the old text said of an entity is superseded, and of two together deleted, where no other memory names both.
    An entity that is mentioned again keeps its id.
    """
    joined = edges.joined(tx, [memory_id])
    lost = _unmention(tx, [memory_id], clock.to_text(now))
    linked = apply(tx, memory_id, text, agent_id, now)
    edges.separate(tx, joined)
    entities.delete_orphans(tx, list(lost))
    return linked


def group(
    tx: WriteTx, group_id: str, memory_ids: Iterable[str], *, agent_id: str, now: datetime
) -> None:
    """Link the pieces of one long text to an entity of their own (MEM-12)."""
    name = f"chunk-group:{group_id}"
    for memory_id in memory_ids:
        entities.mention(
            tx,
            Source(memory_id, agent_id, clock.to_text(now)),
            name=name,
            canonical=name,
            type=CHUNK_GROUP,
            confidence=1.0,
            text="chunk",
        )


def unlink(tx: WriteTx, memory_ids: Sequence[str], *, now: datetime) -> tuple[int, int]:
    """Unlink memories that are about to be deleted; return how many mentions and entities were deleted.

    An entity goes with its last mention, unless it is a skill, a task or a group of chunks, a person has pinned or
    suppressed it, or an active attribute is about it (KG-27). What joins two entities goes with the last memory that
    names both.
    """
    joined = edges.joined(tx, memory_ids)
    lost = _unmention(tx, memory_ids, clock.to_text(now))
    edges.separate(tx, joined)
    return sum(lost.values()), entities.delete_orphans(tx, list(lost))


def unname(tx: WriteTx, entity_id: str) -> bool:
    """Take a mention off an entity of an import whose memory is not taken in; True when the entity went with it.

    An entity that was here before has no more mentions than memories that name it, and stays.
    """
    return (
        tx.run(entities.UNNAME, (entity_id,)) > 0 and entities.delete_orphans(tx, [entity_id]) > 0
    )


def hand_over(tx: WriteTx, memory_ids: Sequence[str], keeper_id: str, *, now: datetime) -> None:
    """Give one memory the mentions and attributes of others that it is kept instead of (KG-28)."""
    others = [memory_id for memory_id in memory_ids if memory_id != keeper_id]
    at = clock.to_text(now)
    listed = as_list(others)
    surplus = tx.tuples(entities.SURPLUS, (listed, keeper_id))
    tx.run(entities.MOVE_MENTIONS, (listed, keeper_id))
    tx.run(entities.UNMENTION, (listed,))
    tx.many(entities.UNCOUNT, [(count, at, entity_id) for entity_id, count in surplus])
    tx.run(attributes.MOVE, (as_list(others), keeper_id, at))


def revive(tx: WriteTx, memory_id: str, *, now: datetime) -> None:
    """Let what a recovered memory says of entities hold again, except where something else has taken its place."""
    tx.run(attributes.REVIVE, (clock.to_text(now), memory_id))


def erase(tx: WriteTx, memory_id: str, *, now: datetime) -> None:
    """Unlink a memory and delete everything that it said of an entity."""
    tx.run(attributes.DELETE_OF, (memory_id,))
    unlink(tx, [memory_id], now=now)


def _unmention(tx: WriteTx, memory_ids: Sequence[str], at: str) -> dict[str, int]:
    """Delete what memories mention and supersede what they said; return how many mentions each entity lost."""
    listed = (as_list(memory_ids),)
    lost: dict[str, int] = dict(tx.tuples(entities.LOST, listed))
    tx.run(entities.UNMENTION, listed)
    tx.many(entities.UNCOUNT, [(count, at, entity_id) for entity_id, count in lost.items()])
    tx.run(attributes.SUPERSEDE_OF, (as_list(memory_ids), at))
    return lost
