"""Marking facts for a closer look: which aspect of an entity they tell of, and on what it depends (PIP-29).

A stub is an attribute that has no aspect yet; `domain/structural` finds it one. Each fact gets one stub, and one job of
each kind, whatever a second run does.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from signet import clock, ids
from signet.db import WriteTx
from signet.domain.graph import names
from signet.domain.graph.models import Triple
from signet.queue import MAX_ATTEMPTS, Job, enqueue

IMPORTANCE = 0.5

_ENTITY = "SELECT id FROM entities WHERE agent_id = ? AND canonical_name = ?"
_TOLD = "SELECT 1 FROM entity_attributes WHERE source_memory_id = ? LIMIT 1"
_STUB = """
INSERT INTO entity_attributes (id, entity_id, agent_id, attribute_value, normalized_value, kind, confidence,
    importance, source_memory_id, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, 'attribute', 0, ?, ?, ?, ?)"""


def leave(
    tx: WriteTx,
    facts: Sequence[tuple[str, str]],
    triples: Sequence[Triple],
    *,
    agent_id: str,
    delay_ms: int,
    attempts: int = MAX_ATTEMPTS,
    now: datetime,
) -> int:
    """Leave a stub and the jobs for each fact, given as (memory id, text), that tells of a known entity.

    Return how many stubs are new. The jobs wait `delay_ms`, so that facts of one entity meet.
    """
    left = 0
    for memory_id, text in facts:
        triple = _first(text, triples)
        entity_id = triple and _known(tx, triple.source, agent_id)
        if not triple or not entity_id:
            continue
        if tx.one(_TOLD, (memory_id,)) is None:
            attribute_id = _stub(tx, entity_id, memory_id, text, agent_id, now)
            payload = {"entity_id": entity_id, "attribute_id": attribute_id}
            job = _job("structural_classify", memory_id, payload, agent_id, delay_ms)
            enqueue(tx, job, now=now, max_attempts=attempts)
            left += 1
        if _known(tx, triple.target, agent_id):
            payload = {"entity_id": entity_id}
            job = _job("structural_dependency", memory_id, payload, agent_id, delay_ms)
            enqueue(tx, job, now=now, max_attempts=attempts)
    return left


def mark(
    tx: WriteTx,
    entity_id: str,
    memory_id: str,
    text: str,
    *,
    agent_id: str,
    attempts: int,
    now: datetime,
) -> None:
    """Leave a stub of one fact for an entity, and the job that finds it an aspect."""
    attribute_id = _stub(tx, entity_id, memory_id, text, agent_id, now)
    payload = {"entity_id": entity_id, "attribute_id": attribute_id}
    job = _job("structural_classify", memory_id, payload, agent_id)
    enqueue(tx, job, now=now, max_attempts=attempts)


def _first(text: str, triples: Sequence[Triple]) -> Triple | None:
    """Return the first triple whose source the fact names."""
    told = names.canonical(text)
    for triple in triples:
        source = names.clean(triple.source)
        if source and re.search(rf"(?<!\w){re.escape(names.canonical(source))}(?!\w)", told):
            return triple
    return None


def _known(tx: WriteTx, raw: str, agent_id: str) -> str | None:
    name = names.clean(raw)
    found: str | None = name and tx.value(_ENTITY, (agent_id, names.canonical(name)))
    return found


def _stub(
    tx: WriteTx, entity_id: str, memory_id: str, text: str, agent_id: str, now: datetime
) -> str:
    attribute_id, at = ids.new_ordered_id(), clock.to_text(now)
    row = (attribute_id, entity_id, agent_id, text, names.canonical(text), IMPORTANCE, memory_id)
    tx.run(_STUB, (*row, at, at))
    return attribute_id


def _job(
    kind: str, memory_id: str, payload: Mapping[str, object], agent_id: str, delay_ms: int = 0
) -> Job:
    return Job(
        kind=kind, memory_id=memory_id, agent_id=agent_id, payload=payload, delay_ms=delay_ms
    )
