"""A bounded walk of the graph: from the words of a question to memories that hang on what it names.

Phase one collects the memories of the entities that the words name (constraints first, then attributes of the
weightiest aspects, then mentions), phase two those of entities one strong edge away. The walk ends at its
budget of memories or when `expired` says so, with what it has.

Gives ids only; who may read the memories is decided by the caller. Limits are `? + 0` (see recall/store.py).
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from signet.db import ReadTx, fts

#: Entities a question may name; more are noise of common words.
MAX_FOCAL = 20

#: Mention rows looked at for one entity, so that a hub does not cost a sort of the whole store.
MAX_MENTIONS_READ = 200

#: Entities whose names are looked through for a part of a word, those that most memories mention.
MAX_NAMES_READ = 2_000

#: Importance of a memory without one.
DEFAULT_IMPORTANCE = 0.5

#: What a pinned entity's memories count when its pin does not say.
PIN_WEIGHT = 1.25

#: Constraints of one entity always count, but not without end.
MAX_CONSTRAINTS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class TraversalBounds:
    """How far a walk may go; the defaults are those of recall.md §2."""

    aspects_per_entity: int = 10
    attributes_per_aspect: int = 20
    branching: int = 4
    hops: int = 10
    memories: int = 50
    min_strength: float = 0.3
    min_confidence: float = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A named thing where a walk began."""

    id: str
    name: str
    type: str


@dataclass(slots=True)
class Traversal:
    """What a walk found: memory id to structural importance 0..1, where it began, and how much it saw."""

    focal: list[Entity] = field(default_factory=list)
    memories: dict[str, float] = field(default_factory=dict)
    #: Those of them that state a constraint of an entity.
    constraints: set[str] = field(default_factory=set)
    visited: int = 0
    timed_out: bool = False

    def add(self, memory_id: str, importance: float | None, *, weight: float = 1.0) -> None:
        """Keep a memory with the highest importance seen, times what the pin of its entity weighs (KG-20)."""
        value = weight * (DEFAULT_IMPORTANCE if importance is None else importance)
        kept = max(min(1.0, max(0.0, value)), self.memories.get(memory_id, 0.0))
        self.memories[memory_id] = kept


_SHOWN = """
NOT EXISTS (SELECT 1 FROM entity_pinning p
            WHERE p.agent_id = e.agent_id AND p.entity_id = e.id AND p.pin_type = 'suppress')
"""
_BY_TEXT = f"""
SELECT e.id, e.name, e.entity_type FROM entities_fts f CROSS JOIN entities e ON e.seq = f.rowid
WHERE entities_fts MATCH ? AND e.agent_id = ? AND {_SHOWN}
ORDER BY e.pinned DESC, f.rank LIMIT ? + 0
"""
_BY_NAME = f"""
SELECT e.id, e.name, e.entity_type FROM (
  SELECT seq, canonical_name FROM entities WHERE agent_id = ? ORDER BY mentions DESC LIMIT {MAX_NAMES_READ}) n
CROSS JOIN entities e ON e.seq = n.seq
WHERE ({{names_one}}) AND {_SHOWN} ORDER BY e.pinned DESC, e.mentions DESC LIMIT ? + 0
"""
_NAMES_ONE = "instr(n.canonical_name, ?) > 0"
_WEIGHT = """
SELECT coalesce(weight_override, ?) FROM entity_pinning WHERE entity_id = ? AND pin_type = 'pin'
"""
_CONSTRAINTS = """
SELECT source_memory_id, max(importance) FROM entity_attributes
WHERE entity_id = ? AND kind = 'constraint' AND status = 'active' AND source_memory_id IS NOT NULL
GROUP BY source_memory_id ORDER BY 2 DESC LIMIT ? + 0
"""
_ASPECTS = "SELECT id FROM entity_aspects WHERE entity_id = ? ORDER BY weight DESC, id LIMIT ? + 0"
_ATTRIBUTES = """
SELECT source_memory_id, importance FROM entity_attributes
WHERE aspect_id = ? AND status = 'active' ORDER BY importance DESC LIMIT ? + 0
"""
_MENTIONS = """
SELECT m.id, m.importance
FROM (SELECT memory_id, confidence FROM memory_entity_mentions WHERE entity_id = ? LIMIT ? + 0) x
JOIN memories m ON m.id = x.memory_id AND m.is_deleted = 0
ORDER BY x.confidence DESC, m.importance DESC LIMIT ? + 0
"""
_EDGES = f"""
SELECT d.target_entity_id FROM entity_dependencies d JOIN entities e ON e.id = d.target_entity_id
WHERE d.source_entity_id IN (SELECT value FROM json_each(:focal))
  AND d.target_entity_id NOT IN (SELECT value FROM json_each(:focal))
  AND coalesce(d.confidence, 0.7) >= :min_confidence
  AND coalesce(d.confidence, 0.7) * d.strength >= :min_strength AND {_SHOWN}
GROUP BY d.target_entity_id ORDER BY max(coalesce(d.confidence, 0.7) * d.strength) DESC LIMIT :edges + 0
"""


def focal(tx: ReadTx, terms: Sequence[str], *, agent_id: str) -> list[Entity]:
    """Return the agent's entities that words of a question name, pinned first, at most `MAX_FOCAL`.

    Pinned entities count only when they match, suppressed ones never (KG-10, KG-11).
    """
    asked = [term for term in terms if len(term) > 2 or not term.isascii()]
    if not asked:
        return []
    rows = tx.all(_BY_TEXT, (fts.any_of(asked), agent_id, MAX_FOCAL))
    if not rows:
        names = [term.partition("*")[0] for term in asked]
        names_one = " OR ".join(_NAMES_ONE for _ in names)
        rows = tx.all(_BY_NAME.format(names_one=names_one), (agent_id, *names, MAX_FOCAL))
    return [Entity(id=row[0], name=row[1], type=row[2]) for row in rows]


def walk(
    tx: ReadTx, start: Sequence[Entity], *, bounds: TraversalBounds, expired: Callable[[], bool]
) -> Traversal:
    """Return the memories around the entities; `timed_out` when `expired` ended it early."""
    found = Traversal(focal=list(start))
    ids = [entity.id for entity in start]
    if not _collect(tx, found, ids, bounds, expired) or not ids:
        return found
    limits = {
        "focal": json.dumps(ids),
        "min_confidence": bounds.min_confidence,
        "min_strength": bounds.min_strength,
        "edges": min(bounds.hops, bounds.branching * len(ids)),
    }
    _collect(tx, found, (row[0] for row in tx.all(_EDGES, limits)), bounds, expired)
    return found


def _collect(
    tx: ReadTx,
    found: Traversal,
    ids: Iterable[str],
    bounds: TraversalBounds,
    expired: Callable[[], bool],
) -> bool:
    """Add the memories of each entity, constraints though there is no room (KG-4); False when the walk is over."""
    for entity_id in ids:
        if expired():
            found.timed_out = True
            return False
        found.visited += 1
        pinned: float | None = tx.value(_WEIGHT, (PIN_WEIGHT, entity_id))
        weight = 1.0 if pinned is None else pinned
        if weight == 0:
            continue
        for memory_id, importance in tx.all(_CONSTRAINTS, (entity_id, MAX_CONSTRAINTS)):
            found.constraints.add(memory_id)
            found.add(memory_id, importance, weight=weight)
        if len(found.memories) < bounds.memories:
            _add_attributes(tx, found, entity_id, bounds, weight)
        room = bounds.memories - len(found.memories)
        mentions = tx.all(_MENTIONS, (entity_id, MAX_MENTIONS_READ, room)) if room > 0 else ()
        for memory_id, importance in mentions:
            found.add(memory_id, importance, weight=weight)
    return len(found.memories) < bounds.memories


def _add_attributes(
    tx: ReadTx, found: Traversal, entity_id: str, bounds: TraversalBounds, weight: float
) -> None:
    for (aspect_id,) in tx.all(_ASPECTS, (entity_id, bounds.aspects_per_entity)):
        for memory_id, importance in tx.all(_ATTRIBUTES, (aspect_id, bounds.attributes_per_aspect)):
            if len(found.memories) >= bounds.memories:
                return
            if memory_id is not None:
                found.add(memory_id, importance, weight=weight)
