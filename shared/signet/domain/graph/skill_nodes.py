"""Skills as entities of the graph, and their edges: to what their texts mention, and to each other.

Rows that a skill adds name it in their metadata, so that removing the skill leaves the rows of memories unchanged.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from signet import clock, ids
from signet.db import WriteTx
from signet.db.dialect import as_list
from signet.domain.graph import names
from signet.domain.graph.models import SKILL, Dependency, Triple
from signet.domain.graph.sql import entities

#: Origins of edges: mentions in a skill's text, and relations to other skills.
TEXT, SKILLS = "skill-body", "skill-relation"
#: The relation of a skill to an entity in its text, and how many such entities it may have.
MENTIONS = "mentions"
MOST_MENTIONED = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Adopted:
    """An entity's fields before it became a skill."""

    name: str
    type: str
    description: str | None


def put(
    tx: WriteTx,
    entity_id: str,
    *,
    name: str,
    title: str,
    description: str,
    is_new: bool,
    agent_id: str,
    now: datetime,
) -> None:
    """Create the entity of a skill, or turn an existing one into a skill."""
    at = clock.to_text(now)
    if is_new:
        canonical = names.canonical(name)
        tx.run(
            entities.INSERT, (entity_id, title, canonical, SKILL, description, 0, agent_id, at, at)
        )
    else:
        tx.run(entities.UPDATE, (title, SKILL, description, at, entity_id))


def describe(tx: WriteTx, entity_id: str, description: str, *, now: datetime) -> None:
    tx.run(entities.DESCRIBE, (description, clock.to_text(now), entity_id))


def remove(tx: WriteTx, entity_id: str, was: Adopted | None, *, now: datetime) -> None:
    """Delete the entity of a skill or restore its former fields, and delete entities that only its text mentions."""
    mentioned = tx.column(entities.TARGETS, (entity_id, TEXT))
    if was is None:
        entities.delete(tx, [entity_id])
    else:
        entities.delete_of_origin(tx, entity_id, TEXT, SKILLS)
        tx.run(
            entities.UPDATE, (was.name, was.type, was.description, clock.to_text(now), entity_id)
        )
    entities.delete_orphans(tx, tx.column(entities.UNRELATED, (as_list(mentioned),)))


def mention(
    tx: WriteTx,
    entity_id: str,
    triples: Sequence[Triple],
    *,
    skill: str,
    agent_id: str,
    now: datetime,
) -> int:
    """Replace a skill's links by links to the entities in these triples of its text; return their number."""
    at = clock.to_text(now)
    before = tx.column(entities.TARGETS, (entity_id, TEXT))
    entities.delete_of_origin(tx, entity_id, TEXT)
    joined = 0
    for name, type, confidence in _ends(triples)[:MOST_MENTIONED]:
        target = tx.value(
            entities.FIND_OR_INSERT,
            (ids.new_ordered_id(), name, names.canonical(name), type, None, 0, agent_id, at, at),
        )
        if target != entity_id:
            reason = f"the text of {skill} speaks of {name}"
            edge = Dependency(entity_id, target, MENTIONS, confidence, reason)
            metadata = json.dumps({"origin": TEXT})
            row = (ids.new_ordered_id(), *edge[:3], edge.strength, metadata, at, at)
            tx.run(entities.RELATE_OF_ORIGIN, row)
            entities.insert_edge(
                tx, edge, confidence=edge.strength, origin=TEXT, agent_id=agent_id, at=at
            )
            joined += 1
    entities.delete_orphans(tx, tx.column(entities.UNRELATED, (as_list(before),)))
    return joined


def join(tx: WriteTx, wanted: Collection[Dependency], *, agent_id: str, now: datetime) -> None:
    """Replace the edges between the agent's skills."""
    there = set(tx.rows(Dependency, entities.OF_ORIGIN, (agent_id, SKILLS)))
    tx.many(
        entities.DELETE_ONE, [(agent_id, *edge[:3], SKILLS) for edge in there.difference(wanted)]
    )
    at = clock.to_text(now)
    for edge in set(wanted) - there:
        entities.insert_edge(tx, edge, confidence=1.0, origin=SKILLS, agent_id=agent_id, at=at)


def _ends(triples: Sequence[Triple]) -> list[tuple[str, str, float]]:
    """Return the distinct named ends of triples as (name, type, confidence)."""
    found: dict[str, tuple[str, str, float]] = {}
    for triple in triples:
        ends = ((triple.source, triple.source_type), (triple.target, triple.target_type))
        for raw, type in ends:
            name = names.clean(raw)
            if name is not None:
                found.setdefault(names.canonical(name), (name, type, triple.confidence))
    return list(found.values())
