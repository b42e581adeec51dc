"""What is doubtful in a graph: names that are none, names that are one, attributes without ground. Reads only."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from signet.db import ReadTx, Row
from signet.db.visibility import Reader, readable
from signet.domain.graph import names
from signet.domain.graph.models import CHUNK_GROUP, SKILL
from signet.domain.graph.sql.visible import Visible as Sight

_ENTITIES = """
SELECT id, name, canonical_name, mentions FROM entities e
WHERE agent_id = :agent AND entity_type NOT IN (:group, :skill) AND {entity} ORDER BY mentions DESC, id
"""
_ATTRIBUTES = """
SELECT coalesce(sum(NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = a.source_memory_id)), 0) AS source,
  coalesce(sum(NOT EXISTS (SELECT 1 FROM entity_aspects s WHERE s.id = a.aspect_id)), 0) AS aspect
FROM entity_attributes a WHERE a.agent_id = ? AND a.status = 'active'
"""
_MEMORIES = """
SELECT m.id, m.content FROM memories m INDEXED BY idx_memories_created
WHERE m.is_deleted = 0 AND m.agent_id = ? AND {where} ORDER BY m.created_at DESC, m.seq DESC LIMIT ?
"""
_MENTIONED = "SELECT entity_id FROM memory_entity_mentions WHERE memory_id = ?"
_NO_LETTERS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicious:
    """An entity whose name is doubtful, and why."""

    id: str
    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicate:
    """Entities whose names differ in marks and spaces alone; the most mentioned first."""

    canonical: str
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A memory that names an entity and is not linked to it."""

    memory_id: str
    entity_id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything doubtful, each list bounded."""

    suspicious: Sequence[Suspicious] = ()
    duplicates: Sequence[Duplicate] = ()
    missing_source: int = 0
    missing_aspect: int = 0
    candidates: Sequence[Candidate] = ()


def report(tx: ReadTx, *, reader: Reader, limit: int, memories: int) -> Report:
    """Return what is doubtful in the graph of the reader's agent; the newest `memories` are looked through."""
    sight = Sight.of(reader)
    asked = {"agent": reader.agent_id, "group": CHUNK_GROUP, "skill": SKILL, **sight.params}
    entities = tx.all(_ENTITIES.format(entity=sight.entity()), asked)
    lost = tx.one(_ATTRIBUTES, (reader.agent_id,))
    assert lost is not None  # an aggregate
    return Report(
        suspicious=suspicious(entities)[:limit],
        duplicates=duplicates(entities)[:limit],
        missing_source=lost["source"],
        missing_aspect=lost["aspect"],
        candidates=_candidates(tx, entities, reader, memories)[:limit],
    )


def suspicious(entities: Iterable[Row]) -> list[Suspicious]:
    """Return the entities whose names no writer would make today."""
    found = ((row, names.problem(row["name"])) for row in entities)
    return [
        Suspicious(id=row["id"], name=row["name"], reason=reason) for row, reason in found if reason
    ]


def duplicates(entities: Iterable[Row]) -> list[Duplicate]:
    """Return the groups of entities that are written alike but for marks and spaces."""
    alike: defaultdict[str, list[Row]] = defaultdict(list)
    for row in entities:
        key = _NO_LETTERS.sub("", row["canonical_name"])
        if key:
            alike[key].append(row)
    return [
        Duplicate(canonical=rows[0]["canonical_name"], ids=tuple(row["id"] for row in rows))
        for rows in alike.values()
        if len(rows) > 1
    ]


def _candidates(
    tx: ReadTx, entities: Sequence[Row], reader: Reader, memories: int
) -> list[Candidate]:
    """Return where a name that proves itself stands in a memory that is not linked to it."""
    known = {row["canonical_name"]: row for row in entities}
    where = readable(reader)
    sql = _MEMORIES.format(where=where.sql)
    found: list[Candidate] = []
    for memory_id, text in tx.all(sql, (reader.agent_id, *where.params, memories)):
        named = {name.canonical for name in names.find(text) if name.is_certain} & known.keys()
        if not named:
            continue
        linked = {row[0] for row in tx.all(_MENTIONED, (memory_id,))}
        found += [
            Candidate(memory_id=memory_id, entity_id=row["id"], name=row["name"])
            for row in (known[name] for name in sorted(named))
            if row["id"] not in linked
        ]
    return found
