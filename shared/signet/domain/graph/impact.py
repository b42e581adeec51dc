"""What a change of an entity affects (a bounded traversal along dependencies), and what is doubtful in a graph.

One fixed sense, so that the labels are true: what uses, requires or otherwise depends on an entity is affected by its
change, and so is what it blocks or informs. Upstream is the other way round: whose changes affect this one.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from signet.db import ReadTx
from signet.db.dialect import as_list
from signet.db.visibility import Reader
from signet.domain.graph import browse, names
from signet.domain.graph.models import CHUNK_GROUP, SKILL
from signet.domain.graph.sql import reports as sql
from signet.domain.graph.sql.visible import Visible
from signet.wire.knowledge import (
    AffectedEntity,
    DuplicateEntity,
    Hygiene,
    Impact,
    MentionCandidate,
    Ring,
    SuspiciousEntity,
)

#: By distance; what is farther away has the last one.
LABELS = ("WILL BREAK", "LIKELY AFFECTED", "MAY NEED TESTING")
#: Entities whose edges are read before the clock is looked at again.
AT_ONCE = 50


def of(
    tx: ReadTx,
    entity_id: str,
    *,
    reader: Reader,
    direction: str,
    depth: int,
    expired: Callable[[], bool],
) -> Impact:
    """Return what a change of the entity affects (`downstream`), or whose change affects it; raises UnknownEntity.

    Each entity is in the ring of its distance, up to `depth`. When `expired` says so the traversal ends with what it
    has.
    """
    name = browse.name(tx, entity_id, reader=reader)
    seen, frontier, in_time = {entity_id}, [entity_id], True
    visible, statements = Visible(tx, reader), sql.NEXT[direction]
    rings: list[Ring] = []
    while frontier and len(rings) < depth and in_time:
        ring: dict[str, AffectedEntity] = {}
        for start in range(0, len(frontier), AT_ONCE):
            in_time = not expired()
            if not in_time:
                break
            ids = as_list(frontier[start : start + AT_ONCE])
            for statement in statements:
                for one in visible.records(AffectedEntity, statement, ids=ids):
                    if one["id"] not in seen:
                        ring.setdefault(one["id"], one)
        if ring:
            entities = sorted(ring.values(), key=lambda one: (one["name"], one["id"]))
            label = LABELS[min(len(rings), len(LABELS) - 1)]
            rings.append({"depth": len(rings) + 1, "label": label, "entities": entities})
        seen |= ring.keys()
        frontier = [one["id"] for one in rings[-1]["entities"]] if ring else []
    found: Impact = {
        "entityId": entity_id,
        "entityName": name,
        "direction": direction,
        "impact": rings,
    }
    return found if in_time else {**found, "timedOut": True}


_NO_LETTERS = re.compile(r"[\W_]+")


NOTHING: Hygiene = {
    "suspiciousEntities": [],
    "duplicateEntities": [],
    "attributeSummary": {"missingSourceMemory": 0, "missingAspect": 0},
    "safeMentionCandidates": [],
}


class Named(NamedTuple):
    """An entity and its name."""

    id: str
    name: str
    canonical_name: str


def report(tx: ReadTx, *, reader: Reader, limit: int, memories: int) -> Hygiene:
    """Return what is doubtful in the graph of the reader's agent; the newest `memories` are looked through.

    Each list has at most `limit` items.
    """
    visible = Visible(tx, reader)
    entities = visible.rows(Named, sql.NAMES, group=CHUNK_GROUP, skill=SKILL)
    [(without_source, without_aspect)] = tx.tuples(sql.UNFOUNDED, (reader.agent_id,))
    texts = visible.tuples(sql.MEMORIES, limit=memories)
    return {
        "suspiciousEntities": suspicious(entities)[:limit],
        "duplicateEntities": duplicates(entities)[:limit],
        "attributeSummary": {
            "missingSourceMemory": without_source,
            "missingAspect": without_aspect,
        },
        "safeMentionCandidates": _candidates(tx, entities, texts)[:limit],
    }


def suspicious(entities: Iterable[Named]) -> list[SuspiciousEntity]:
    """Return the entities whose names no writer would make today."""
    found = ((row, names.problem(row.name)) for row in entities)
    return [{"id": row.id, "name": row.name, "reason": reason} for row, reason in found if reason]


def duplicates(entities: Iterable[Named]) -> list[DuplicateEntity]:
    """Return the groups of entities that are written alike but for marks and spaces."""
    alike: defaultdict[str, list[Named]] = defaultdict(list)
    for row in entities:
        key = _NO_LETTERS.sub("", row.canonical_name)
        if key:
            alike[key].append(row)
    return [
        {"canonicalName": rows[0].canonical_name, "ids": [row.id for row in rows]}
        for rows in alike.values()
        if len(rows) > 1
    ]


def _candidates(
    tx: ReadTx, entities: Sequence[Named], memories: Iterable[tuple[str, str]]
) -> list[MentionCandidate]:
    """Return where a name that proves itself stands in a memory that is not linked to it."""
    known = {row.canonical_name: row for row in entities}
    found: list[MentionCandidate] = []
    for memory_id, text in memories:
        named = {name.canonical for name in names.find(text) if name.is_certain} & known.keys()
        if not named:
            continue
        linked = tx.column(sql.MENTIONED, (memory_id,))
        found += [
            {"memoryId": memory_id, "entityId": row.id, "name": row.name}
            for row in (known[name] for name in sorted(named))
            if row.id not in linked
        ]
    return found
