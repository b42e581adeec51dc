"""Writes down what sessions were given."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.db.dialect import as_list
from signet.domain.injections.models import Injection, Item, Kind, Phase, Spans, hash_of
from signet.domain.injections.sql import injections as sql
from signet.domain.injections.sql import session_memories
from signet.domain.injections.sql.injections import NewRow
from signet.domain.transcripts import erased, steps, withheld
from signet.domain.transcripts.withheld import Statement
from signet.queue import BULK, Job, enqueue
from signet.queue.job_context import JobContext

#: The kind of job that looks at what a session used of what it was given (trace.py).
TRACE = "trace_use"
#: The kind of job that says what a session shows of its memories (domain/learning).
LABEL = "label_session"
#: Items that are kept of one injection: a recall may ask for a thousand.
MOST_ITEMS = 100


def insert(tx: WriteTx, found: Iterable[Injection]) -> None:
    """Store injections. No section says what was erased, though a file that a person wrote may still say it."""
    gone = erased.of(tx)
    for injection in found:
        known = gone.get(injection.agent_id, ())
        items = [_without(item, known) for item in injection.items[:MOST_ITEMS]]
        is_prompt = injection.phase is Phase.PROMPT
        seq = tx.value(
            sql.INSERT,
            (
                injection.agent_id,
                injection.key,
                injection.harness,
                injection.project,
                injection.phase,
                int(tx.value(sql.PROMPTS, (injection.agent_id, injection.key))) + is_prompt,
                steps.hash_of(injection.prompt) if is_prompt else None,
                injection.chars,
                injection.best_score,
                injection.floor,
                clock.to_text(injection.at),
            ),
        )
        tx.many(
            sql.PUT_SECTION,
            [
                (injection.agent_id, hash_of(item.text), item.text)
                for item in items
                if item.kind is Kind.SECTION and item.text
            ],
        )
        tx.many(
            sql.INSERT_ITEM,
            [
                (seq, place, *_row(item, injection.spans.get(place)))
                for place, item in enumerate(items)
            ],
        )


def transcript_arrived(
    tx: WriteTx, agent_id: str, key: str, logged: str = "", *, now: datetime
) -> None:
    """Queue the look at a session whose transcript has come in, with the steps of its log, if it was given anything."""
    if tx.value(sql.KNOWN, (agent_id, key)) is not None:
        if logged:
            tx.run(sql.PUT_STEPS, (agent_id, key, logged))
        queue_trace(tx, agent_id, key, now=now)


def queue_trace(tx: WriteTx, agent_id: str, key: str, *, now: datetime) -> None:
    """Queue the look at what a session used of what it was given, unless it is queued."""
    _queue(tx, TRACE, agent_id, key, now)


def queue_label(tx: WriteTx, agent_id: str, key: str, *, now: datetime) -> None:
    """Queue the labels of a session that is over, unless they are queued; one that runs gets them at its end."""
    if not tx.value(sql.RUNS, (agent_id, key, clock.to_text(now))):
        _queue(tx, LABEL, agent_id, key, now)


def _queue(tx: WriteTx, kind: str, agent_id: str, key: str, now: datetime) -> None:
    job = Job(
        kind=kind,
        dedupe_key=f"{agent_id}:{key}",
        agent_id=agent_id,
        payload={"session_key": key},
        priority=BULK,
    )
    enqueue(tx, job, now=now)


def erase(job: JobContext, known: Mapping[str, Sequence[Statement]]) -> int:
    """Take what was erased out of the texts of starts, and delete steps that say it; return how many changed."""
    steps = erased.clean(job, erased.Texts(sql.STEPS_SAYING, sql.DROP_STEPS), known)
    return steps + erased.clean(job, erased.Texts(sql.SECTIONS_SAYING, sql.CLEAN_SECTION), known)


def last(tx: ReadTx) -> int:
    """Return the number of the newest injection, 0 for none."""
    return int(tx.value(sql.LAST))


def since(tx: ReadTx, seq: int, *, limit: int) -> list[NewRow]:
    """Return the injections that were committed behind a number, oldest first."""
    return tx.rows(NewRow, sql.SINCE, (min(seq, last(tx)), limit))


def delete_old(tx: WriteTx, before: str, limit: int) -> int:
    """Delete the oldest injections with their items and return how many."""
    seqs = as_list(row[0] for row in tx.tuples(sql.OLD, (before, limit)))
    tx.run(sql.DELETE_ITEMS, (seqs,))
    gone = tx.run(sql.DELETE, (seqs,))
    if gone:
        tx.run(sql.DELETE_LOST_STEPS)
        tx.run(sql.DELETE_LOST_SECTIONS)
    return gone


def count(tx: ReadTx, agent_id: str, key: str) -> int:
    """Return how often a session was given something."""
    return len(tx.tuples(sql.OF_KEY, (agent_id, key)))


def forget(tx: WriteTx, agent_id: str, key: str) -> None:
    """Delete what is known of what a session was given, and of what it did."""
    seqs = as_list(row[0] for row in tx.tuples(sql.OF_KEY, (agent_id, key)))
    tx.run(sql.DELETE_ITEMS, (seqs,))
    tx.run(sql.DELETE, (seqs,))
    tx.run(sql.DELETE_LOST_SECTIONS)
    tx.run(sql.DELETE_STEPS_OF, (agent_id, key))
    tx.run(session_memories.DELETE_OF, (agent_id, key))


def _without(item: Item, known: Sequence[Statement]) -> Item:
    is_section = item.kind is Kind.SECTION
    return replace(item, text=withheld.without(item.text, known)) if is_section else item


def _row(item: Item, spans: Spans | None) -> tuple[object, ...]:
    text_hash = hash_of(item.text) if item.text else None
    what = (item.kind, item.id, item.is_given, item.reason, item.score, item.said_at, item.chars)
    ranked = item.ranked or (None, None, None)
    return (*what, text_hash, json.dumps(spans) if spans else None, *ranked)
