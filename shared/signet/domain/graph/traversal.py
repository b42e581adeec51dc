"""A bounded traversal of the graph: from the words of a question to memories of the entities that it names.

Phase one collects the memories of the entities that the words name (constraints first, then attributes of the
aspects that weigh most, then mentions), phase two those of entities one strong edge away. The traversal ends at its
budget of memories or when `expired` is true, and returns the memories found until then.

It returns ids only; who may read the memories is decided by the caller.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import PurePath
from typing import NamedTuple

from signet import clock
from signet.db import ReadTx, WriteTx, fts, runtime_settings
from signet.db.dialect import as_list
from signet.db.visibility import Reader
from signet.domain.graph import names
from signet.domain.graph.models import Entity
from signet.domain.graph.sql import traversal as sql
from signet.domain.graph.sql.visible import Visible
from signet.text import orders
from signet.wire.origin import Origin

#: Entities that the words of a question may name; more come from common words.
MAX_FOCAL = 20

#: Importance of a memory without one.
DEFAULT_IMPORTANCE = 0.5

#: Default weight of a pinned entity's memories.
PIN_WEIGHT = 1.25

#: Constraints of one entity may exceed the budget, up to this number.
MAX_CONSTRAINTS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class TraversalBounds:
    """The default limits of a traversal."""

    aspects_per_entity: int = 10
    attributes_per_aspect: int = 20
    branching: int = 4
    hops: int = 10
    memories: int = 50
    min_strength: float = 0.3
    min_confidence: float = 0.5


@dataclass(slots=True)
class Traversal:
    """The result of a traversal: memory IDs with their importance 0..1, the start, and the visited entities."""

    focal: list[Entity] = field(default_factory=list)
    memories: dict[str, float] = field(default_factory=dict)
    #: Those of them that state a constraint of an entity.
    constraints: set[str] = field(default_factory=set)
    visited: int = 0
    timed_out: bool = False

    def add(self, memory_id: str, importance: float | None, *, weight: float = 1.0) -> None:
        """Add a memory with its highest importance times the weight of the entity's pin (KG-20)."""
        value = weight * (DEFAULT_IMPORTANCE if importance is None else importance)
        kept = max(min(1.0, max(0.0, value)), self.memories.get(memory_id, 0.0))
        self.memories[memory_id] = kept


def focal(tx: ReadTx, terms: Sequence[str], *, agent_id: str) -> list[Entity]:
    """Return at most `MAX_FOCAL` entities named by a question, pinned first.

    Pinned entities must match too; suppressed ones are excluded (KG-10, KG-11).
    """
    asked = [term for term in terms if len(term) > 2 or not term.isascii()]
    if not asked:
        return []
    found = tx.rows(Entity, sql.BY_TEXT, (fts.any_of(asked), agent_id, MAX_FOCAL))
    parts = [term.partition("*")[0] for term in asked]
    return found or sql.by_part(tx, parts, agent_id=agent_id, limit=MAX_FOCAL)


def paths(
    tx: ReadTx, memory_ids: Iterable[str], start: Sequence[Entity], *, reader: Reader
) -> dict[str, tuple[str, ...]]:
    """Return the visible names on the path from the entities to each memory.

    The named entity is first, and an aspect is last.
    """
    found: dict[str, tuple[str, ...]] = {}
    asked = {"memories": as_list(memory_ids), "focal": as_list(entity.id for entity in start)}
    for memory_id, *path in Visible(tx, reader).tuples(sql.PATHS, **asked):
        found.setdefault(memory_id, tuple(filter(None, path)))
    return found


def traverse(
    tx: ReadTx, start: Sequence[Entity], *, bounds: TraversalBounds, expired: Callable[[], bool]
) -> Traversal:
    """Return the memories around the entities; `timed_out` if `expired` ended it early."""
    found = Traversal(focal=list(start))
    ids = [entity.id for entity in start]
    if not _collect(tx, found, ids, bounds, expired) or not ids:
        return found
    near = tx.column(
        sql.NEIGHBOURS,
        {
            "ids": as_list(ids),
            "min_confidence": bounds.min_confidence,
            "min_strength": bounds.min_strength,
            "edges": min(bounds.hops, bounds.branching * len(ids)),
        },
    )
    _collect(tx, found, near, bounds, expired)
    return found


def _collect(
    tx: ReadTx,
    found: Traversal,
    ids: Iterable[str],
    bounds: TraversalBounds,
    expired: Callable[[], bool],
) -> bool:
    """Add the memories of each entity, constraints beyond the budget too (KG-4); False at the end of the traversal."""
    for entity_id in ids:
        if expired():
            found.timed_out = True
            return False
        found.visited += 1
        weight: float | None = tx.value(sql.WEIGHT, (PIN_WEIGHT, entity_id))
        weight = 1.0 if weight is None else weight
        if weight == 0:
            continue
        for memory_id, importance in tx.tuples(sql.CONSTRAINTS, (entity_id, MAX_CONSTRAINTS)):
            found.constraints.add(memory_id)
            found.add(memory_id, importance, weight=weight)
        if len(found.memories) < bounds.memories:
            _add_attributes(tx, found, entity_id, bounds, weight)
        room = bounds.memories - len(found.memories)
        mentions = (
            tx.tuples(sql.MENTIONS, (entity_id, sql.MAX_MENTIONS_READ, room)) if room > 0 else []
        )
        for memory_id, importance in mentions:
            found.add(memory_id, importance, weight=weight)
    return len(found.memories) < bounds.memories


def _add_attributes(
    tx: ReadTx, found: Traversal, entity_id: str, bounds: TraversalBounds, weight: float
) -> None:
    for aspect_id in tx.column(sql.ASPECTS, (entity_id, bounds.aspects_per_entity)):
        for memory_id, importance in tx.tuples(
            sql.ATTRIBUTES, (aspect_id, bounds.attributes_per_aspect)
        ):
            if len(found.memories) >= bounds.memories:
                return
            if memory_id is not None:
                found.add(memory_id, importance, weight=weight)


#: The newest traversal of each agent.
_PREFIX = "traversal:"


class Purpose(StrEnum):
    """The purpose of a traversal."""

    SESSION_START = "session_start"
    RECALL = "recall"


class TraversalOrigin(StrEnum):
    """The start of a traversal."""

    IDS = "ids"
    PROJECT = "project"
    QUERY = "query"
    SESSION = "session"


def drop(tx: WriteTx) -> None:
    """Delete the stored traversals of all agents, whose names may be deleted."""
    runtime_settings.drop_all(tx, _PREFIX)


def keep(
    tx: WriteTx,
    found: Traversal,
    phase: Purpose,
    origin: TraversalOrigin,
    *,
    agent_id: str,
    now: datetime,
) -> None:
    stored = {
        "phase": phase,
        "at": clock.to_text(now),
        "source": origin,
        "focalEntityNames": [entity.name for entity in found.focal],
        "focalEntities": len(found.focal),
        "traversedEntities": found.visited,
        "memoryCount": len(found.memories),
        "constraintCount": len(found.constraints),
        "timedOut": found.timed_out,
    }
    runtime_settings.put(tx, _PREFIX + agent_id, json.dumps(stored, ensure_ascii=False))


def newest(tx: ReadTx, *, reader: Reader) -> Mapping[str, object] | None:
    """Return the newest traversal with visible names only; None before the first."""
    text = runtime_settings.get(tx, _PREFIX + reader.agent_id)
    if text is None:
        return None
    stored = json.loads(text)
    named = as_list(names.canonical(name) for name in stored["focalEntityNames"])
    shown = Visible(tx, reader).tuples(sql.VISIBLE_NAMES, names=named)
    return {**stored, "focalEntityNames": [name for (name,) in shown]}


def last(tx: ReadTx, *, reader: Reader) -> Mapping[str, object] | None:
    """Return the newest traversal of all agents, without names for another agent's."""
    stored = {
        agent_id: json.loads(text)
        for agent_id, text in runtime_settings.get_all(tx, _PREFIX).items()
    }
    agent_id = max(stored, key=lambda one: str(stored[one]["at"]), default=reader.agent_id)
    if agent_id == reader.agent_id:
        return newest(tx, reader=reader)
    return {**stored[agent_id], "focalEntityNames": []}


#: Parts of a path that name a project, and how many entities they may name.
PATH_PARTS = 2
MOST_FOCAL = 5
MOST_PINNED = 20
#: More constraints than this fit into no context.
MOST_CONSTRAINTS = 100
MOST_ASPECTS = 20
#: A memory up to this length is shown whole if a clause of it is a constraint.
WHOLE_CHARS = 300


def session_focus(
    tx: ReadTx, reader: Reader, *, project: str | None, words: Sequence[str]
) -> list[Entity]:
    """Return the entities of a session: pinned ones, and those named by its project or else its words."""
    parts = PurePath(project or "").parts[-PATH_PARTS:]
    named = [names.canonical(part) for part in reversed(parts)]
    visible = Visible(tx, reader)
    found = visible.rows(Entity, sql.NAMED, names=as_list(named), limit=MOST_FOCAL)
    found = found or focal(tx, words, agent_id=reader.agent_id)
    pinned = visible.rows(Entity, sql.PINNED, limit=MOST_PINNED)
    return list({one.id: one for one in (*pinned, *found)}.values())


class EntityRule(NamedTuple):
    """A rule about an entity, and the origin of its memory."""

    entity: str
    text: str
    origin: Origin


def constraints(tx: ReadTx, reader: Reader, entities: Sequence[Entity]) -> list[EntityRule]:
    """Return distinct visible constraints on these entities, without attempts to steer an agent."""
    ids = as_list(one.id for one in entities)
    found = Visible(tx, reader).tuples(
        sql.CONSTRAINT_TEXTS, ids=ids, limit=MOST_CONSTRAINTS, chars=WHOLE_CHARS
    )
    by_text: dict[str, EntityRule] = {}
    for name, text, words in found:
        origin = Origin(words or Origin.IMPORTED)
        if origin is Origin.USER or not orders.steers(text):
            by_text.setdefault(text, EntityRule(name, text, origin))
    return list(by_text.values())


def top_aspects(tx: ReadTx, entities: Sequence[Entity]) -> list[str]:
    return tx.column(sql.TOP_ASPECTS, (as_list(one.id for one in entities), MOST_ASPECTS))
