"""Writes down what sessions were given."""

from collections.abc import Iterable
from datetime import datetime

from signet.db import ReadTx, WriteTx
from signet.domain.injections.models import Injection, Phase
from signet.domain.injections.sql import injections as sql
from signet.domain.injections.sql.injections import NewRow
from signet.domain.transcripts import steps
from signet.queue import BULK, Job, enqueue

#: The kind of job that looks at what a session used of what it was given (trace.py).
TRACE = "trace_use"
#: Items that are kept of one injection: a recall may ask for a thousand.
MOST_ITEMS = 100


def insert(tx: WriteTx, found: Iterable[Injection]) -> None:
    """Store injections."""
    for injection in found:
        is_prompt = injection.phase is Phase.PROMPT
        sql.insert(
            tx,
            injection,
            injection.items[:MOST_ITEMS],
            prompt=int(tx.value(sql.PROMPTS, (injection.agent_id, injection.key))) + is_prompt,
            prompt_hash=steps.hash_of(injection.prompt) if is_prompt else None,
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
    job = Job(
        kind=TRACE,
        dedupe_key=f"{agent_id}:{key}",
        agent_id=agent_id,
        payload={"session_key": key},
        priority=BULK,
    )
    enqueue(tx, job, now=now)


def last(tx: ReadTx) -> int:
    """Return the number of the newest injection, 0 for none."""
    return int(tx.value(sql.LAST))


def since(tx: ReadTx, seq: int, *, limit: int) -> list[NewRow]:
    """Return the injections that were committed behind a number, oldest first."""
    return tx.rows(NewRow, sql.SINCE, (min(seq, last(tx)), limit))


def delete_old(tx: WriteTx, before: str, limit: int) -> int:
    """Delete the oldest injections with their items and return how many."""
    return sql.delete_old(tx, before, limit)
