"""What is doubtful in a graph: names that are none, names that are one, attributes without a source. Reads only."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from signet.db import ReadTx
from signet.db.visibility import Reader
from signet.domain.graph import names
from signet.domain.graph.sql import reports as sql
from signet.domain.graph.sql.reports import Named

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
    entities = sql.named(tx, reader=reader)
    without_source, without_aspect = sql.unfounded(tx, reader.agent_id)
    return Report(
        suspicious=suspicious(entities)[:limit],
        duplicates=duplicates(entities)[:limit],
        missing_source=without_source,
        missing_aspect=without_aspect,
        candidates=_candidates(tx, entities, reader, memories)[:limit],
    )


def suspicious(entities: Iterable[Named]) -> list[Suspicious]:
    """Return the entities whose names no writer would make today."""
    found = ((row, names.problem(row.name)) for row in entities)
    return [Suspicious(id=row.id, name=row.name, reason=reason) for row, reason in found if reason]


def duplicates(entities: Iterable[Named]) -> list[Duplicate]:
    """Return the groups of entities that are written alike but for marks and spaces."""
    alike: defaultdict[str, list[Named]] = defaultdict(list)
    for row in entities:
        key = _NO_LETTERS.sub("", row.canonical_name)
        if key:
            alike[key].append(row)
    return [
        Duplicate(canonical=rows[0].canonical_name, ids=tuple(row.id for row in rows))
        for rows in alike.values()
        if len(rows) > 1
    ]


def _candidates(
    tx: ReadTx, entities: Sequence[Named], reader: Reader, memories: int
) -> list[Candidate]:
    """Return where a name that proves itself stands in a memory that is not linked to it."""
    known = {row.canonical_name: row for row in entities}
    found: list[Candidate] = []
    for memory_id, text in sql.newest_memories(tx, reader=reader, limit=memories):
        named = {name.canonical for name in names.find(text) if name.is_certain} & known.keys()
        if not named:
            continue
        linked = {row[0] for row in tx.tuples(sql.MENTIONED, (memory_id,))}
        found += [
            Candidate(memory_id=memory_id, entity_id=row.id, name=row.name)
            for row in (known[name] for name in sorted(named))
            if row.id not in linked
        ]
    return found
