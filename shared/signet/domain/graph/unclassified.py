"""Facts that a model is to look at: under which aspect they belong, and on what their entity depends (PIP-29).

Each fact becomes one pending attribute, without an aspect, and gets one job of each kind, whatever a second run does;
`classify.py` has these jobs.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from signet import clock
from signet.db import WriteTx
from signet.domain.graph import names
from signet.domain.graph.models import IMPORTANCE, StatementSource, Triple
from signet.domain.graph.sql import attributes, entities
from signet.queue import MAX_ATTEMPTS, NewJob, enqueue


def add_pending(
    tx: WriteTx,
    facts: Sequence[tuple[str, str]],
    triples: Sequence[Triple],
    *,
    agent_id: str,
    delay_ms: int,
    attempts: int = MAX_ATTEMPTS,
    now: datetime,
) -> int:
    """Add a pending attribute and jobs for each fact (memory ID, text) about a known entity; return how many.

    The jobs wait `delay_ms`, so that facts of one entity are processed together.
    """
    added = 0
    for memory_id, text in facts:
        triple = _first(text, triples)
        entity_id = triple and _known(tx, triple.source, agent_id)
        if not triple or not entity_id:
            continue
        if tx.value(attributes.HAS_ATTRIBUTE, (memory_id,)) is None:
            add_to(
                tx,
                entity_id,
                memory_id,
                text,
                agent_id=agent_id,
                delay_ms=delay_ms,
                attempts=attempts,
                now=now,
            )
            added += 1
        if _known(tx, triple.target, agent_id):
            payload = {"entity_id": entity_id}
            job = _job("structural_dependency", memory_id, payload, agent_id, delay_ms)
            enqueue(tx, job, now=now, max_attempts=attempts)
    return added


def add_to(
    tx: WriteTx,
    entity_id: str,
    memory_id: str,
    text: str,
    *,
    agent_id: str,
    delay_ms: int = 0,
    attempts: int,
    now: datetime,
) -> None:
    """Add a pending attribute to an entity, and the job that files it under an aspect."""
    attribute_id = attributes.insert(
        tx,
        StatementSource(memory_id, agent_id, clock.to_text(now)),
        entity_id,
        None,
        text,
        names.canonical(text),
        importance=IMPORTANCE,
    )
    payload = {"entity_id": entity_id, "attribute_id": attribute_id}
    job = _job("structural_classify", memory_id, payload, agent_id, delay_ms)
    enqueue(tx, job, now=now, max_attempts=attempts)


def _first(text: str, triples: Sequence[Triple]) -> Triple | None:
    """Return the first triple whose source occurs in the fact."""
    said = names.canonical(text)
    for triple in triples:
        source = names.clean(triple.source)
        if source and re.search(rf"(?<!\w){re.escape(names.canonical(source))}(?!\w)", said):
            return triple
    return None


def _known(tx: WriteTx, raw: str, agent_id: str) -> str | None:
    name = names.clean(raw)
    known = name and entities.find(tx, names.canonical(name), agent_id=agent_id)
    return known.id if known else None


def _job(
    kind: str, memory_id: str, payload: Mapping[str, object], agent_id: str, delay_ms: int
) -> NewJob:
    return NewJob(
        kind=kind, memory_id=memory_id, agent_id=agent_id, payload=payload, delay_ms=delay_ms
    )
