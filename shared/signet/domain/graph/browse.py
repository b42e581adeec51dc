"""Looking at entities: lists, what is known of one, and the picture of the whole graph."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from signet.db import ReadTx
from signet.db.visibility import Reader
from signet.domain.graph import names
from signet.domain.graph.models import UnknownEntity
from signet.domain.graph.sql import browse as sql
from signet.domain.graph.views import (
    Attribute,
    CountedAspect,
    CountedEntity,
    DrawnAspect,
    DrawnAttribute,
    DrawnEdge,
    DrawnEntity,
    Edge,
    Skill,
    Task,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """One entity with its counts, and what makes it a task or a skill."""

    entity: CountedEntity
    task: Task | None
    skill: Skill | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How much of the graph is drawn."""

    entities: int = 150
    aspects_per_entity: int = 6
    attributes_per_aspect: int = 4
    dependencies: int = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Constellation:
    """What is drawn; aspects are by the id of their entity, attributes by that of their aspect."""

    entities: Sequence[DrawnEntity] = ()
    aspects: Mapping[str, Sequence[DrawnAspect]] = field(default_factory=dict)
    attributes: Mapping[str, Sequence[DrawnAttribute]] = field(default_factory=dict)
    dependencies: Sequence[DrawnEdge] = ()


def entities(
    tx: ReadTx, *, reader: Reader, type: str | None, q: str | None, limit: int, offset: int
) -> tuple[list[CountedEntity], int]:
    """Return a page of the entities of the reader's agent with their counts, and how many there are in all."""
    part = names.canonical(q) if q else None
    return sql.page(tx, reader=reader, type=type, part=part, limit=limit, offset=offset)


def detail(tx: ReadTx, entity_id: str, *, reader: Reader) -> Detail:
    """Return one entity of the reader's agent; raises UnknownEntity."""
    entity = sql.one(tx, entity_id, reader=reader)
    if entity is None:
        raise UnknownEntity(entityId=entity_id)
    return Detail(
        entity=entity,
        task=tx.row(Task, sql.TASK, (entity_id,)),
        skill=tx.row(Skill, sql.SKILL, (entity_id,)),
    )


def aspects(tx: ReadTx, entity_id: str, *, reader: Reader) -> list[CountedAspect]:
    """Return the aspects of an entity, the one with the most weight first; raises UnknownEntity."""
    name(tx, entity_id, reader=reader)
    return sql.aspects(tx, entity_id, reader=reader)


def attributes(
    tx: ReadTx,
    entity_id: str,
    aspect_id: str,
    *,
    reader: Reader,
    kind: str | None,
    status: str | None,
    limit: int,
    offset: int,
) -> list[Attribute]:
    """Return a page of what is said under an aspect, most important first; nothing for another entity's aspect."""
    return sql.attributes(
        tx,
        entity_id,
        aspect_id,
        reader=reader,
        kind=kind,
        status=status,
        limit=limit,
        offset=offset,
    )


def dependencies(tx: ReadTx, entity_id: str, direction: str, *, reader: Reader) -> list[Edge]:
    """Return the `incoming`, `outgoing` or `both` edges of an entity, strongest first; raises UnknownEntity."""
    name(tx, entity_id, reader=reader)
    return sql.edges(tx, entity_id, direction, reader=reader)


def name(tx: ReadTx, entity_id: str, *, reader: Reader) -> str:
    """Return the name of an entity of the reader's agent; raises UnknownEntity where they may not know of it."""
    found = sql.name(tx, entity_id, reader=reader)
    if found is None:
        raise UnknownEntity(entityId=entity_id)
    return found


def draw(tx: ReadTx, extent: Extent, *, reader: Reader) -> Constellation:
    """Return the agent's most important entities with what this reader may see of them, and the edges between them."""
    entities = sql.drawn_entities(tx, reader=reader, most=extent.entities)
    ids = [one.id for one in entities]
    aspects = sql.drawn_aspects(tx, ids, reader=reader, most=extent.aspects_per_entity)
    under = [one.id for one in aspects]
    attributes = sql.drawn_attributes(tx, under, reader=reader, most=extent.attributes_per_aspect)
    of_entity: defaultdict[str, list[DrawnAspect]] = defaultdict(list)
    for aspect in aspects:
        of_entity[aspect.entity_id].append(aspect)
    of_aspect: defaultdict[str, list[DrawnAttribute]] = defaultdict(list)
    for attribute in attributes:
        of_aspect[attribute.aspect_id].append(attribute)
    return Constellation(
        entities=entities,
        aspects=of_entity,
        attributes=of_aspect,
        dependencies=sql.drawn_edges(tx, ids, reader=reader, most=extent.dependencies),
    )
