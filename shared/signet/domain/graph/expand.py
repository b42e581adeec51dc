"""Everything that is known of one entity, within a budget: constraints, aspects, edges, memories (KG-29).

What does not fit is left out. With a question, attributes and memories that are near it come first.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from signet import clock
from signet.db import ReadTx, Row, fts, vectors
from signet.db.visibility import Reader
from signet.domain.graph import names
from signet.domain.graph.models import UnknownEntity
from signet.domain.graph.sql.visible import Visible as Sight

#: A token is taken as this many characters, rounded up.
TOKEN_CHARS = 4
#: Rows looked at for one entity; the budget is spent long before.
MOST_ATTRIBUTES = 1_000
MOST_MEMORIES = 500
MOST_EDGES = 200

_FOUND = "SELECT id, name, entity_type AS type, description FROM entities e WHERE e.agent_id = :agent AND {entity}"
_BY_NAME = (
    f"{_FOUND} AND e.canonical_name = :name",
    f"{_FOUND} AND e.name = :spelt ORDER BY e.mentions DESC, e.id LIMIT 1",
)
_BY_WORDS = """
SELECT e.id, e.name, e.entity_type AS type, e.description
FROM entities_fts f CROSS JOIN entities e ON e.seq = f.rowid
WHERE entities_fts MATCH :words AND e.agent_id = :agent AND {entity} ORDER BY f.rank, e.mentions DESC, e.id LIMIT 1
"""
_BY_PART = f"""
{_FOUND} AND instr(e.canonical_name, :name) > 0 ORDER BY length(e.canonical_name), e.mentions DESC, e.id LIMIT 1
"""
_ATTRIBUTES = """
SELECT a.aspect_id, a.attribute_value AS content, a.kind, a.importance, a.confidence, a.source_memory_id,
  s.aspect_name AS aspect, s.canonical_name, s.weight
FROM entity_attributes a LEFT JOIN entity_aspects s ON s.id = a.aspect_id
WHERE a.entity_id = :id AND a.status = 'active' AND {attribute}
ORDER BY s.weight DESC, s.id, a.importance DESC, a.created_at DESC LIMIT :most
"""
_EDGES = """
SELECT t.name AS target, d.dependency_type AS type, d.strength
FROM entity_dependencies d JOIN entities s ON s.id = d.source_entity_id JOIN entities t ON t.id = d.target_entity_id
WHERE d.source_entity_id = :id AND d.agent_id = :agent AND {edge} ORDER BY d.strength DESC, t.name LIMIT :most
"""
#: From the entity to its memories, never through all memories.
_LINKED = """
FROM (SELECT memory_id FROM memory_entity_mentions WHERE entity_id = :id
      UNION SELECT source_memory_id FROM entity_attributes WHERE entity_id = :id AND status = 'active') x
CROSS JOIN memories m ON m.id = x.memory_id WHERE {memory}
"""
_COUNT = f"SELECT count(*) {_LINKED}"
_MEMORIES = f"SELECT m.id, m.content {_LINKED} ORDER BY m.importance DESC, m.created_at DESC, m.seq LIMIT :most"
_VECTORS = """
SELECT source_id, vector FROM embeddings
WHERE source_type = 'memory' AND ordinal = 0 AND length(vector) = ?
  AND source_id IN (SELECT value FROM json_each(?))
"""
_SUMMARIES = """
SELECT s.id, s.session_key AS sessionKey, s.harness, s.earliest_at AS earliestAt, s.latest_at AS latestAt, s.content,
  count(*) OVER () AS total
FROM session_summaries s
WHERE s.agent_id = :agent AND (:project IS NULL OR s.project = :project) AND s.latest_at >= :since
  AND (:session IS NULL OR s.session_key = :session)
  AND (instr(lower(s.content), :name) > 0 OR EXISTS (
    SELECT 1 FROM session_summary_memories x JOIN memory_entity_mentions y ON y.memory_id = x.memory_id
    WHERE x.summary_id = s.id AND y.entity_id = :entity))
ORDER BY s.latest_at DESC, s.id LIMIT :limit
"""


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


@dataclass(slots=True, kw_only=True)
class AspectView:
    """One side of the entity, with what fits of it."""

    name: str
    weight: float
    attributes: list[Row] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expanded:
    """What fits; `memory_count` counts all memories of the entity that the reader may see."""

    entity: Row
    constraints: Sequence[Row]
    aspects: Sequence[AspectView]
    dependencies: Sequence[Row]
    memory_count: int
    memories: Sequence[Row]


def find(tx: ReadTx, name: str, *, reader: Reader) -> Row | None:
    """Return the entity of this name, else the one whose name fits best, None when none does."""
    sight, words = Sight.of(reader), fts.words(name)
    asked = {
        "agent": reader.agent_id,
        "name": names.canonical(name),
        "spelt": name.strip(),
        "words": fts.all_of(words),
        **sight.params,
    }
    for sql in (*_BY_NAME, *([_BY_WORDS] if words else []), _BY_PART):
        if (row := tx.one(sql.format(entity=sight.entity()), asked)) is not None:
            return row
    return None


def expand(
    tx: ReadTx,
    name: str,
    *,
    reader: Reader,
    aspect: str | None,
    question: Question,
    tokens: int,
) -> Expanded:
    """Return what is known of the entity of this name; raises UnknownEntity."""
    entity = find(tx, name, reader=reader)
    if entity is None:
        raise nothing(name)
    sight, budget = Sight.of(reader), Budget(tokens)
    asked = {"id": entity["id"], "agent": reader.agent_id, **sight.params}
    most = asked | {"most": MOST_ATTRIBUTES}
    rows = tx.all(_ATTRIBUTES.format(attribute=sight.attribute()), most)
    memories = tx.all(_MEMORIES.format(memory=sight.memory), asked | {"most": MOST_MEMORIES})
    edges = tx.all(_EDGES.format(edge=sight.edge("s", "t")), asked | {"most": MOST_EDGES})
    if question.text:
        near = _nearness(tx, question, [row["id"] for row in memories])
        rows.sort(key=lambda r: near(r["source_memory_id"], r["content"]), reverse=True)
        memories.sort(key=lambda r: near(r["id"], r["content"]), reverse=True)
    constraints = [r for r in rows if r["kind"] == "constraint" and budget.take(r["content"])]
    return Expanded(
        entity=entity,
        constraints=constraints,
        aspects=_aspects(rows, names.canonical(aspect or ""), budget),
        dependencies=[row for row in edges if budget.take(row["target"], row["type"])],
        memory_count=int(tx.value(_COUNT.format(memory=sight.memory), asked)),
        memories=[row for row in memories if budget.take(row["content"])],
    )


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
) -> tuple[str, list[Row], int]:
    """Return the entity's name, summaries of sessions that speak of it, newest first, and how many there are."""
    entity = find(tx, name, reader=reader)
    if entity is None:
        return name, [], 0
    asked = {
        "agent": reader.agent_id,
        "project": reader.project,
        "since": since,
        "session": session,
        "name": entity["name"].lower(),
        "entity": entity["id"],
        "limit": limit,
    }
    rows = tx.all(_SUMMARIES, asked)
    return entity["name"], rows, rows[0]["total"] if rows else 0


def beginning(named: str | None, now: datetime) -> str:
    """Return from when on sessions count: `last_week`, `last_month`, an ISO time or any; raises ValueError."""
    days = {"last_week": 7, "last_month": 30}
    if not named:
        return ""
    since = now - timedelta(days=days[named]) if named in days else clock.parse(named)
    return clock.to_text(since)


def _aspects(rows: Sequence[Row], wanted: str, budget: Budget) -> list[AspectView]:
    """Return the aspects whose name holds `wanted`, weightiest first, with the attributes that fit."""
    found: dict[str, AspectView] = {}
    named = [row for row in rows if row["aspect"] is not None and wanted in row["canonical_name"]]
    for row in sorted(named, key=lambda row: -row["weight"]):
        if row["aspect_id"] not in found and not budget.take(row["aspect"]):
            continue
        view = found.setdefault(
            row["aspect_id"], AspectView(name=row["aspect"], weight=row["weight"])
        )
        if row["kind"] == "constraint" or budget.take(row["content"]):
            view.attributes.append(row)
    return [view for view in found.values() if view.attributes]


def _nearness(
    tx: ReadTx, question: Question, memory_ids: Sequence[str]
) -> Callable[[str | None, str], float]:
    """Return how near a text of a memory is to the question: the share of its words, or the cosine if that is more."""
    asked = set(fts.content_words(question.text))
    cosines = _cosines(tx, question.vector(), memory_ids)

    def near(memory_id: str | None, text: str) -> float:
        said = fts.words(text)
        held = sum(any(fts.stands_for(term, word) for word in said) for term in asked)
        shared = held / len(asked) if asked else 0.0
        return max(shared, cosines.get(memory_id or "", 0.0))

    return near


def _cosines(tx: ReadTx, vector: bytes | None, memory_ids: Sequence[str]) -> Mapping[str, float]:
    if vector is None:
        return {}
    rows = tx.all(_VECTORS, (len(vector), json.dumps(list(memory_ids))))
    near = vectors.cosines(vector, [row["vector"] for row in rows])
    return {row["source_id"]: cosine for row, cosine in zip(rows, near, strict=True)}
