"""Linking memories to the entities they mention, and unlinking them.

A new memory is linked by its words alone, which `analysis.py` reads. All of this
runs inside the transaction that changes the memory.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from signet import clock, ids
from signet.db import WriteTx
from signet.db.dialect import as_list
from signet.domain.graph import analysis, names
from signet.domain.graph.models import (
    CHUNK_GROUP,
    EXTRACTED,
    IMPORTANCE,
    MAX_ASPECT_CHARS,
    StatementSource,
    Triple,
)
from signet.domain.graph.sql import attributes, entities


def apply(tx: WriteTx, memory_id: str, text: str, agent_id: str, now: datetime) -> int:
    """Link a new memory to the entities it mentions and return their number."""
    stored: dict[str, str] = {}

    def known(canonicals: Iterable[str]) -> Collection[str]:
        stored.update(entities.named(tx, canonicals, agent_id=agent_id))
        return stored

    linked = analysis.analyse(text, known)
    if not linked.entities:
        return 0
    source = StatementSource(memory_id, agent_id, clock.to_text(now))
    spelt = {entity.canonical: entity.name for entity in linked.entities}
    entity_ids = entities.mention_new(
        tx, source, spelt, stored, type=EXTRACTED, confidence=analysis.MENTION_CONFIDENCE
    )
    told = [(entity_ids[one.entity], one.aspect, one.content) for one in linked.attributes]
    of = attributes.aspects(tx, [one[:2] for one in told], agent_id=agent_id, at=source.at)
    weight = (analysis.ATTRIBUTE_CONFIDENCE, linked.importance)
    attributes.insert_all(
        tx,
        source,
        [(of[entity, aspect], entity, text, linked.kind, *weight) for entity, aspect, text in told],
    )
    said = (analysis.EDGE_STRENGTH, analysis.EDGE_CONFIDENCE, "named together in one memory")
    pairs = [
        (ids.new_ordered_id(), agent_id, entity_ids[one], entity_ids[other], *said, source.at)
        for one, other in linked.pairs
    ]
    tx.many(entities.COMPANIONS, pairs)
    return len(entity_ids)


def relink(tx: WriteTx, memory_id: str, text: str, agent_id: str, now: datetime) -> int:
    """Link a changed memory to the entities it mentions now, and return their number.

    Attributes of the old text are superseded; edges are deleted unless another memory names both ends. An entity that
    is mentioned again keeps its ID.
    """
    joined = [(row[0], row[1]) for row in tx.tuples(entities.JOINED, (as_list([memory_id]),))]
    lost = _unmention(tx, [memory_id], clock.to_text(now))
    linked = apply(tx, memory_id, text, agent_id, now)
    entities.separate(tx, joined)
    entities.delete_orphans(tx, list(lost))
    return linked


def group(
    tx: WriteTx, group_id: str, memory_ids: Iterable[str], *, agent_id: str, now: datetime
) -> None:
    """Link the pieces of one long text to a common entity (MEM-12)."""
    name = f"chunk-group:{group_id}"
    for memory_id in memory_ids:
        entities.mention(
            tx,
            StatementSource(memory_id, agent_id, clock.to_text(now)),
            name=name,
            canonical=name,
            type=CHUNK_GROUP,
            confidence=1.0,
            text="chunk",
        )


def unlink(tx: WriteTx, memory_ids: Sequence[str], *, now: datetime) -> tuple[int, int]:
    """Unlink memories before their deletion; return the numbers of deleted mentions and entities.

    Deletes orphaned entities (KG-27), and edges whose ends no other memory names together.
    """
    joined = [(row[0], row[1]) for row in tx.tuples(entities.JOINED, (as_list(memory_ids),))]
    lost = _unmention(tx, memory_ids, clock.to_text(now))
    entities.separate(tx, joined)
    return sum(lost.values()), entities.delete_orphans(tx, list(lost))


def unname(tx: WriteTx, entity_id: str) -> bool:
    """Remove a mention of an imported entity whose memory is left out; True if that deleted the entity."""
    return (
        tx.run(entities.UNNAME, (entity_id,)) > 0 and entities.delete_orphans(tx, [entity_id]) > 0
    )


def hand_over(tx: WriteTx, memory_ids: Sequence[str], keeper_id: str, *, now: datetime) -> None:
    """Move mentions and attributes of merged memories to the remaining one (KG-28)."""
    others = [memory_id for memory_id in memory_ids if memory_id != keeper_id]
    at = clock.to_text(now)
    listed = as_list(others)
    surplus = tx.tuples(entities.SURPLUS, (listed, keeper_id))
    tx.run(entities.MOVE_MENTIONS, (listed, keeper_id))
    tx.run(entities.UNMENTION, (listed,))
    tx.many(entities.UNCOUNT, [(count, at, entity_id) for entity_id, count in surplus])
    tx.run(attributes.MOVE, (as_list(others), keeper_id, at))


def revive(tx: WriteTx, memory_id: str, *, now: datetime) -> None:
    """Reactivate the attributes of a recovered memory, unless something else replaced them."""
    tx.run(attributes.REVIVE, (clock.to_text(now), memory_id))


def erase(tx: WriteTx, memory_id: str, *, now: datetime) -> None:
    tx.run(attributes.DELETE_OF, (memory_id,))
    unlink(tx, [memory_id], now=now)


def erase_left(tx: WriteTx) -> None:
    """Delete texts whose memory is unknown: superseded attributes, unused aspects, names of communities."""
    for statement in attributes.DELETE_LEFT:
        tx.run(statement)


def _unmention(tx: WriteTx, memory_ids: Sequence[str], at: str) -> dict[str, int]:
    """Delete mentions and supersede attributes of memories; map entities to the number of lost mentions."""
    listed = (as_list(memory_ids),)
    lost: dict[str, int] = dict(tx.tuples(entities.LOST, listed))
    tx.run(entities.UNMENTION, listed)
    tx.many(entities.UNCOUNT, [(count, at, entity_id) for entity_id, count in lost.items()])
    tx.run(attributes.SUPERSEDE_OF, (as_list(memory_ids), at))
    return lost


def write_triples(
    tx: WriteTx,
    memory_id: str,
    triples: Sequence[Triple],
    *,
    facts: Sequence[tuple[str, str]] = (),
    agent_id: str,
    now: datetime,
) -> int:
    """Write the triples found in a memory and return the number of valid ones.

    Both ends are linked to the memory, and to each derived fact (given as ID and text) that names them.
    """
    by = StatementSource(memory_id, agent_id, clock.to_text(now))
    kept = 0
    for triple in triples:
        source, target = names.clean(triple.source), names.clean(triple.target)
        relationship = names.canonical(triple.relationship)
        if not (source and target and relationship):
            continue
        if names.canonical(source) == names.canonical(target):
            continue
        edge = {
            "source": _mention_end(tx, by, facts, source, triple.source_type, triple.confidence),
            "target": _mention_end(tx, by, facts, target, triple.target_type, triple.confidence),
            "type": relationship,
            "at": by.at,
        }
        mean = tx.value(
            entities.RELATE, {**edge, "id": ids.new_ordered_id(), "confidence": triple.confidence}
        )
        edge |= {"agent": by.agent_id, "reason": f"{source} {relationship} {target}"}
        tx.run(entities.DEPEND, {**edge, "id": ids.new_ordered_id(), "confidence": mean})
        kept += 1
    return kept


def _mention_end(
    tx: WriteTx,
    by: StatementSource,
    facts: Sequence[tuple[str, str]],
    name: str,
    type: str,
    confidence: float,
) -> str:
    """Link one end of a triple to the facts that name it and to their source; return the entity's ID."""
    canonical = names.canonical(name)
    word = re.compile(rf"(?<!\w){re.escape(canonical)}(?!\w)")
    memory_ids = [id_ for id_, text in facts if word.search(names.canonical(text))]
    entity_id = ""
    for memory_id in (*memory_ids, by.memory_id):
        entity_id = entities.mention(
            tx,
            by._replace(memory_id=memory_id),
            name=name,
            canonical=canonical,
            type=type,
            confidence=confidence,
        )
    return entity_id


#: How sure a client is that does not say it: surer than the words alone make us (`analysis.py`).
CONFIDENCE = 0.9


class AttributeKind(StrEnum):
    ATTRIBUTE = "attribute"
    CONSTRAINT = "constraint"


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityInput:
    name: str
    type: str = EXTRACTED


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeInput:
    entity: str
    aspect: str
    content: str
    kind: AttributeKind = AttributeKind.ATTRIBUTE
    confidence: float = CONFIDENCE
    importance: float = IMPORTANCE


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuredInput:
    """The client's own entities, relations and attributes of a memory."""

    entities: tuple[EntityInput, ...] = ()
    relations: tuple[Triple, ...] = ()
    attributes: tuple[AttributeInput, ...] = ()


def mapped(given: StructuredInput, change: Callable[[str], str]) -> StructuredInput:
    changed = (replace(one, content=change(one.content)) for one in given.attributes)
    return replace(given, attributes=tuple(changed))


def apply_input(
    tx: WriteTx, memory_id: str, given: StructuredInput, agent_id: str, now: datetime
) -> int:
    """Write the client's input for a memory; return the number of entities it mentions then."""
    source = StatementSource(memory_id, agent_id, clock.to_text(now))
    for entity in given.entities:
        _mention_named(tx, source, entity.name, entity.type)
    write_triples(tx, memory_id, given.relations, agent_id=agent_id, now=now)
    for attribute in given.attributes:
        _add(tx, source, attribute)
    return int(tx.value(entities.MENTIONED, (memory_id,)))


def _add(tx: WriteTx, source: StatementSource, given: AttributeInput) -> None:
    aspect, value = names.canonical(given.aspect), " ".join(given.content.split())
    entity_id = _mention_named(tx, source, given.entity, EXTRACTED)
    if entity_id is None or not value or not 0 < len(aspect) <= MAX_ASPECT_CHARS:
        return
    attributes.insert(
        tx,
        source,
        entity_id,
        attributes.aspect(tx, entity_id, aspect, agent_id=source.agent_id, at=source.at),
        value,
        value.lower(),
        kind=given.kind,
        confidence=given.confidence,
        importance=given.importance,
    )


def _mention_named(tx: WriteTx, source: StatementSource, raw: str, type: str) -> str | None:
    """Link the memory to the entity of this name and return its ID; None for an invalid name."""
    name = names.clean(raw)
    if name is None:
        return None
    return entities.mention(
        tx,
        source,
        name=name,
        canonical=names.canonical(name),
        type=names.canonical(type) or EXTRACTED,
        confidence=CONFIDENCE,
    )


def delete_entities(tx: WriteTx, entity_ids: Sequence[str]) -> None:
    entities.delete(tx, entity_ids)


def set_type(tx: WriteTx, entity_id: str, type: str, *, now: datetime) -> None:
    """Set the type of an entity without one (KG-5)."""
    tx.run(entities.FIRST_TYPE, (type, clock.to_text(now), entity_id))
