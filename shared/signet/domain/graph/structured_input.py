"""What a client says itself of a memory: entities, relations, and attributes of an entity.

Names are checked like those of a model (`names.clean`): what can be no name is passed over. Runs inside the
transaction of the save; the memory is new.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from signet import clock
from signet.db import WriteTx
from signet.domain.graph import names, relations
from signet.domain.graph.models import EXTRACTED, IMPORTANCE, MAX_ASPECT_CHARS, Source, Triple
from signet.domain.graph.sql import attributes, entities

#: How sure a client is that does not say it: surer than the words alone make us (`analysis.py`).
CONFIDENCE = 0.9


class AttributeKind(StrEnum):
    """Whether something is so, or must be so."""

    ATTRIBUTE = "attribute"
    CONSTRAINT = "constraint"


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityInput:
    """An entity that the memory mentions."""

    name: str
    type: str = EXTRACTED


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeInput:
    """What holds of an entity, under one of its aspects."""

    entity: str
    aspect: str
    content: str
    kind: AttributeKind = AttributeKind.ATTRIBUTE
    confidence: float = CONFIDENCE
    importance: float = IMPORTANCE


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuredInput:
    """Everything that a client says itself of one memory."""

    entities: tuple[EntityInput, ...] = ()
    relations: tuple[Triple, ...] = ()
    attributes: tuple[AttributeInput, ...] = ()


def apply(tx: WriteTx, memory_id: str, given: StructuredInput, agent_id: str, now: datetime) -> int:
    """Write what was given with a memory; return how many entities it mentions then, found by its words or given."""
    source = Source(memory_id, agent_id, clock.to_text(now))
    for entity in given.entities:
        _mention(tx, source, entity.name, entity.type)
    relations.write(tx, memory_id, given.relations, agent_id=agent_id, now=now)
    for attribute in given.attributes:
        _add(tx, source, attribute)
    return int(tx.value(entities.MENTIONED, (memory_id,)))


def _add(tx: WriteTx, source: Source, given: AttributeInput) -> None:
    aspect, value = names.canonical(given.aspect), " ".join(given.content.split())
    entity_id = _mention(tx, source, given.entity, EXTRACTED)
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


def _mention(tx: WriteTx, source: Source, raw: str, type: str) -> str | None:
    """Let the memory mention the entity of this name and return its id; None when it can be no name."""
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
