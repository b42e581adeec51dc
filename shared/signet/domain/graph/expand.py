"""Expand one entity within a budget: constraints, aspects, edges, memories (KG-29).

With a question, related attributes and memories rank first.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from signet import clock
from signet.db import ReadTx, fts, vectors
from signet.db.columns import part
from signet.db.dialect import as_list
from signet.db.visibility import Reader
from signet.domain.graph import browse, names
from signet.domain.graph.models import CHUNK_GROUP, SKILL, UnknownEntity
from signet.domain.graph.sql import browse as sql
from signet.domain.graph.sql.browse import Filed
from signet.domain.graph.sql.visible import Visible
from signet.wire import knowledge as wire
from signet.wire.knowledge import (
    AffectedEntity,
    DuplicateEntity,
    Hygiene,
    Impact,
    MentionCandidate,
    Ring,
    SuspiciousEntity,
)

#: A token is taken as this many characters, rounded up.
TOKEN_CHARS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question about an entity, and the function for its vector."""

    text: str = ""
    vector: Callable[[], bytes | None] = lambda: None


@dataclass(slots=True)
class Budget:
    """The remaining tokens."""

    tokens: int

    def take(self, *texts: str) -> bool:
        """Spend the cost of these texts; return False without spending if they do not fit."""
        cost = sum(-(-len(text) // TOKEN_CHARS) for text in texts)
        if cost > self.tokens:
            return False
        self.tokens -= cost
        return True


class _Summary(wire.EntitySession):
    total: int


def expand(
    tx: ReadTx, name: str, *, reader: Reader, aspect: str | None, question: Question, tokens: int
) -> wire.Expanded:
    """Return the facts about an entity within a token budget; raises UnknownEntity.

    `memoryCount` counts all visible memories of the entity.
    """
    visible = Visible(tx, reader)
    entity = sql.find(visible, name, names.canonical(name))
    if entity is None:
        raise nothing(name)
    budget, id_ = Budget(tokens), entity["id"]
    rows = visible.rows(Filed, sql.FILED_ATTRIBUTES, id=id_, most=sql.MOST_ATTRIBUTES)
    memories = visible.records(
        wire.LinkedMemory, sql.LINKED_MEMORIES, id=id_, most=sql.MOST_MEMORIES
    )
    edges = visible.records(wire.DependencyTarget, sql.OUTGOING_EDGES, id=id_, most=sql.MOST_EDGES)
    if question.text:
        near = _nearness(tx, question, [one["id"] for one in memories])
        rows.sort(key=lambda one: near(one.memory_id, one.content), reverse=True)
        memories.sort(key=lambda one: near(one["id"], one["content"]), reverse=True)
    constraints: list[wire.Constraint] = [
        {"entityName": entity["name"], "content": one.content, "importance": one.importance}
        for one in rows
        if one.kind == "constraint" and budget.take(one.content)
    ]
    return {
        "entity": entity,
        "constraints": constraints,
        "aspects": _aspects(rows, names.canonical(aspect or ""), budget),
        "dependencies": [one for one in edges if budget.take(one["target"], one["type"])],
        "memoryCount": int(visible.value(sql.COUNT_LINKED, id=id_)),
        "memories": [one for one in memories if budget.take(one["content"])],
    }


def nothing(name: str) -> UnknownEntity:
    """Return the refusal of an unknown name in the form of an empty answer."""
    return UnknownEntity(
        f'Entity "{name}" not found',
        entity=None,
        constraints=[],
        aspects=[],
        dependencies=[],
        memoryCount=0,
        memories=[],
    )


def sessions(
    tx: ReadTx, name: str, *, reader: Reader, session: str | None, since: str, limit: int
) -> wire.EntitySessions:
    """Return summaries of sessions that mention the entity, newest first, and their number."""
    entity = sql.find(Visible(tx, reader), name, names.canonical(name))
    if entity is None:
        return {"entityName": name, "summaries": [], "total": 0}
    asked = {
        "agent": reader.agent_id,
        "project": reader.project,
        "since": since,
        "session": session,
        "name": entity["name"].lower(),
        "entity": entity["id"],
        "limit": limit,
    }
    found = tx.records(_Summary, sql.SUMMARIES, asked)
    return {
        "entityName": entity["name"],
        "summaries": [part(wire.EntitySession, one) for one in found],
        "total": found[0]["total"] if found else 0,
    }


def beginning(named: str | None, now: datetime) -> str:
    """Return the start of a period: `last_week`, `last_month`, an ISO time or any; raises ValueError."""
    days = {"last_week": 7, "last_month": 30}
    if not named:
        return ""
    since = now - timedelta(days=days[named]) if named in days else clock.given(named)
    return clock.to_text(since)


def _aspects(rows: Sequence[Filed], wanted: str, budget: Budget) -> list[wire.ExpandedAspect]:
    """Return aspects whose name contains `wanted`, by weight, with the attributes within the budget."""
    found: dict[str, wire.ExpandedAspect] = {}
    for row in sorted(rows, key=lambda row: -(row.weight or 0.0)):
        if row.aspect_id is None or row.aspect is None or wanted not in (row.canonical_name or ""):
            continue
        if row.aspect_id not in found and not budget.take(row.aspect):
            continue
        view = found.setdefault(
            row.aspect_id, {"name": row.aspect, "weight": row.weight or 0.0, "attributes": []}
        )
        if row.kind == "constraint" or budget.take(row.content):
            view["attributes"].append(part(wire.ExpandedAttribute, row._asdict()))
    return [view for view in found.values() if view["attributes"]]


def _nearness(
    tx: ReadTx, question: Question, memory_ids: Sequence[str]
) -> Callable[[str | None, str], float]:
    """Return a function for the relevance of a memory's text: shared words, or the cosine if higher."""
    asked = set(fts.content_words(question.text))
    cosines = _cosines(tx, question.vector(), memory_ids)

    def near(memory_id: str | None, text: str) -> float:
        words = fts.words(text)
        found = sum(any(fts.stands_for(term, word) for word in words) for term in asked)
        shared = found / len(asked) if asked else 0.0
        return max(shared, cosines.get(memory_id or "", 0.0))

    return near


def _cosines(tx: ReadTx, vector: bytes | None, memory_ids: Sequence[str]) -> Mapping[str, float]:
    if vector is None:
        return {}
    found = tx.tuples(sql.VECTORS, (len(vector), as_list(memory_ids)))
    near = vectors.cosines(vector, [one for _, one in found])
    return {id_: cosine for (id_, _), cosine in zip(found, near, strict=True)}


#: By distance; what is farther away has the last one.
LABELS = ("WILL BREAK", "LIKELY AFFECTED", "MAY NEED TESTING")
#: Entities whose edges are read between two checks of the time limit.
AT_ONCE = 50


def impact(
    tx: ReadTx,
    entity_id: str,
    *,
    reader: Reader,
    direction: str,
    depth: int,
    expired: Callable[[], bool],
) -> Impact:
    """Return the entities affected by a change (`downstream`) or affecting this one; raises UnknownEntity.

    Each is in the ring of its distance, up to `depth`. The traversal ends early when `expired` returns True.
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


NO_HYGIENE: Hygiene = {
    "suspiciousEntities": [],
    "duplicateEntities": [],
    "attributeSummary": {"missingSourceMemory": 0, "missingAspect": 0},
    "safeMentionCandidates": [],
}


class Named(NamedTuple):
    id: str
    name: str
    canonical_name: str


def hygiene(tx: ReadTx, *, reader: Reader, limit: int, memories: int) -> Hygiene:
    """Return doubtful entries of the graph, at most `limit` of each kind, from the newest `memories`."""
    visible = Visible(tx, reader)
    entities = visible.rows(Named, sql.NAMES, group=CHUNK_GROUP, skill=SKILL)
    [(without_source, without_aspect)] = tx.tuples(sql.COUNT_UNFOUNDED, (reader.agent_id,))
    texts = visible.tuples(sql.NEWEST_TEXTS, limit=memories)
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
    found = ((row, names.problem(row.name)) for row in entities)
    return [{"id": row.id, "name": row.name, "reason": reason} for row, reason in found if reason]


def duplicates(entities: Iterable[Named]) -> list[DuplicateEntity]:
    """Return groups of entities whose names differ only in punctuation and spaces."""
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
    """Return certain names in memories that are not linked to them."""
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
