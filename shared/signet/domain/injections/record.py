"""Store injections."""

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
from signet.domain.transcripts import steps, withheld
from signet.domain.transcripts.withheld import Statement
from signet.queue import BULK, Job, enqueue
from signet.queue.job_context import JobContext

#: The kind of job that finds used items (trace.py).
TRACE = "trace_use"
#: The kind of job that labels a session's memories (domain/learning).
LABEL = "label_session"
#: Items stored per injection: a recall may request a thousand.
MOST_ITEMS = 100


def insert(tx: WriteTx, found: Iterable[Injection]) -> None:
    """Store injections. Sections never contain erased statements, even if a user's file does."""
    gone = withheld.erased_statements(tx)
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
    """Queue the use check of a session with a new transcript and the steps of its log, if it received anything."""
    if tx.value(sql.KNOWN, (agent_id, key)) is not None:
        if logged:
            tx.run(sql.PUT_STEPS, (agent_id, key, logged))
        queue_trace(tx, agent_id, key, now=now)


def queue_trace(tx: WriteTx, agent_id: str, key: str, *, now: datetime) -> None:
    """Queue the use check of a session, unless it is queued."""
    _queue(tx, TRACE, agent_id, key, now)


def queue_label(tx: WriteTx, agent_id: str, key: str, *, now: datetime) -> None:
    """Queue the labels of an ended session, unless queued; a running session gets them at its end."""
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
    """Remove erased statements from start texts, and delete steps that contain them; return the number of changes."""
    steps = withheld.clean(job, withheld.Texts(sql.STEPS_SAYING, sql.DROP_STEPS), known)
    return steps + withheld.clean(
        job, withheld.Texts(sql.SECTIONS_SAYING, sql.CLEAN_SECTION), known
    )


def last(tx: ReadTx) -> int:
    """Return the number of the newest injection, 0 for none."""
    return int(tx.value(sql.LAST))


def since(tx: ReadTx, seq: int, *, limit: int) -> list[NewRow]:
    """Return the injections committed after a number, oldest first."""
    return tx.rows(NewRow, sql.SINCE, (min(seq, last(tx)), limit))


def delete_old_injections(tx: WriteTx, before: str, limit: int) -> int:
    """Delete the oldest injections with their items and return their number."""
    seqs = as_list(row[0] for row in tx.tuples(sql.OLD, (before, limit)))
    tx.run(sql.DELETE_ITEMS, (seqs,))
    gone = tx.run(sql.DELETE, (seqs,))
    if gone:
        tx.run(sql.DELETE_LOST_STEPS)
        tx.run(sql.DELETE_LOST_SECTIONS)
    return gone


def count(tx: ReadTx, agent_id: str, key: str) -> int:
    """Return a session's number of injections."""
    return len(tx.tuples(sql.OF_KEY, (agent_id, key)))


def forget(tx: WriteTx, agent_id: str, key: str) -> None:
    """Delete a session's injections and steps."""
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
