"""Everything that is known of one entity, within a budget: constraints, aspects, edges, memories (KG-29).

What does not fit is left out. With a question, attributes and memories that are near it come first.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from signet import clock
from signet.db import ReadTx, fts, vectors
from signet.db.columns import part
from signet.db.dialect import as_list
from signet.db.visibility import Reader
from signet.domain.graph import names
from signet.domain.graph.models import UnknownEntity
from signet.domain.graph.sql import expand as sql
from signet.domain.graph.sql.expand import Filed
from signet.domain.graph.sql.visible import Visible
from signet.wire import knowledge as wire

#: A token is taken as this many characters, rounded up.
TOKEN_CHARS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What the caller wants to know of the entity, and what gives its vector when there is one."""

    text: str = ""
    vector: Callable[[], bytes | None] = lambda: None


@dataclass(slots=True)
class Budget:
    """Tokens that are left."""

    tokens: int

    def take(self, *texts: str) -> bool:
        """Spend what these texts cost; False, and nothing is spent, when they do not fit."""
        cost = sum(-(-len(text) // TOKEN_CHARS) for text in texts)
        if cost > self.tokens:
            return False
        self.tokens -= cost
        return True


class _Summary(wire.EntitySession):
    total: int


def expand(
    tx: ReadTx,
    name: str,
    *,
    reader: Reader,
    aspect: str | None,
    question: Question,
    tokens: int,
) -> wire.Expanded:
    """Return what is known of the entity of this name, as far as it fits; raises UnknownEntity.

    `memoryCount` counts all memories of the entity that the reader may see.
    """
    visible = Visible(tx, reader)
    entity = sql.find(visible, name, names.canonical(name))
    if entity is None:
        raise nothing(name)
    budget, id_ = Budget(tokens), entity["id"]
    rows = visible.rows(Filed, sql.ATTRIBUTES, id=id_, most=sql.MOST_ATTRIBUTES)
    memories = visible.records(wire.LinkedMemory, sql.MEMORIES, id=id_, most=sql.MOST_MEMORIES)
    edges = visible.records(wire.DependencyTarget, sql.EDGES, id=id_, most=sql.MOST_EDGES)
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
        "memoryCount": int(visible.value(sql.COUNT, id=id_)),
        "memories": [one for one in memories if budget.take(one["content"])],
    }


def nothing(name: str) -> UnknownEntity:
    """Return the refusal for a name that nothing has, in the form of an empty answer."""
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
    """Return summaries of sessions that mention the entity of this name, newest first, and how many there are."""
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
    """Return from when on sessions count: `last_week`, `last_month`, an ISO time or any; raises ValueError."""
    days = {"last_week": 7, "last_month": 30}
    if not named:
        return ""
    since = now - timedelta(days=days[named]) if named in days else clock.given(named)
    return clock.to_text(since)


def _aspects(rows: Sequence[Filed], wanted: str, budget: Budget) -> list[wire.ExpandedAspect]:
    """Return the aspects whose name has `wanted` in it, by weight, with the attributes that fit."""
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
    """Return how near a text of a memory is to the question: the share of its words, or the cosine if that is more."""
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
