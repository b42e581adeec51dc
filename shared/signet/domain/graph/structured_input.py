"""Writing into the graph what a client says itself of a memory: things, relations, and what holds of a thing.

Names pass the same gate as those of a model (`names.clean`): what can be no name is passed over. Runs inside the
transaction of the save; the memory is new.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from signet import clock
from signet.db import WriteTx
from signet.domain.graph import names, relations, store
from signet.domain.graph.models import EXTRACTED, UNKNOWN

#: How sure a client is that does not say it: surer than the words alone make us (`linking.py`).
CONFIDENCE = 0.9
IMPORTANCE = 0.5

#: A longer name of an aspect is a sentence (KG-9).
MAX_ASPECT_CHARS = 60


class AttributeKind(StrEnum):
    """Whether something is so, or must be so."""

    ATTRIBUTE = "attribute"
    CONSTRAINT = "constraint"


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """A named thing that the memory speaks of."""

    name: str
    type: str = EXTRACTED


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """How one named thing relates to another; a `Triple` of `relations.py`."""

    source: str
    relationship: str
    target: str
    source_type: str = UNKNOWN
    target_type: str = UNKNOWN
    confidence: float = CONFIDENCE


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What holds of a thing under one of its aspects."""

    entity: str
    aspect: str
    content: str
    kind: AttributeKind = AttributeKind.ATTRIBUTE
    confidence: float = CONFIDENCE
    importance: float = IMPORTANCE


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Everything that a client says itself of one memory."""

    things: tuple[Thing, ...] = ()
    relations: tuple[Relation, ...] = ()
    statements: tuple[Statement, ...] = ()


def apply(tx: WriteTx, memory_id: str, told: Told, agent_id: str, now: datetime) -> int:
    """Write down what was told of a memory; return how many entities it names then, found by its words or told."""
    at = clock.to_text(now)
    for thing in told.things:
        _mention(tx, memory_id, thing.name, thing.type, agent_id, at)
    relations.write(tx, memory_id, told.relations, agent_id=agent_id, now=now)
    for said in told.statements:
        _state(tx, memory_id, said, agent_id, at)
    return store.mentioned(tx, memory_id)


def _state(tx: WriteTx, memory_id: str, said: Statement, agent_id: str, at: str) -> None:
    aspect, value = names.canonical(said.aspect), " ".join(said.content.split())
    entity_id = _mention(tx, memory_id, said.entity, EXTRACTED, agent_id, at)
    if entity_id is None or not value or not 0 < len(aspect) <= MAX_ASPECT_CHARS:
        return
    store.attribute(
        tx,
        aspect_id=store.aspect(tx, entity_id, aspect, agent_id=agent_id, at=at),
        entity_id=entity_id,
        value=value,
        normalized=value.lower(),
        kind=said.kind,
        confidence=said.confidence,
        importance=said.importance,
        memory_id=memory_id,
        agent_id=agent_id,
        at=at,
    )


def _mention(
    tx: WriteTx, memory_id: str, raw: str, type: str, agent_id: str, at: str
) -> str | None:
    """Tie the memory to the entity of this name and return its id; None when it can be no name."""
    name = names.clean(raw)
    if name is None:
        return None
    return store.mention(
        tx,
        memory_id,
        name=name,
        canonical=names.canonical(name),
        type=names.canonical(type) or EXTRACTED,
        text=name,
        confidence=CONFIDENCE,
        agent_id=agent_id,
        at=at,
    )
