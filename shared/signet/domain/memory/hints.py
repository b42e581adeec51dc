"""Hints: questions that somebody may have later and that a memory answers.

They are written in the background by a model. A memory that has hints, given with it or written before, gets no others;
a change of its text drops them (MEM-27).
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from signet import clock, ids
from signet.db import ReadTx, WriteTx
from signet.db.dialect import as_list
from signet.domain.memory.sql import hints as sql
from signet.queue import Job, enqueue


def add(tx: WriteTx, memory_id: str, hints: Iterable[str], *, agent_id: str, at: datetime) -> int:
    """Give a memory hints and return how many are new."""
    text = clock.to_text(at)
    return sum(
        tx.run(sql.INSERT, (ids.new_ordered_id(), memory_id, agent_id, hint, text))
        for hint in hints
    )


def drop(tx: WriteTx, memory_id: str) -> int:
    """Delete the hints of a memory and return how many there were."""
    return tx.run(sql.DELETE, (memory_id,))


def has_any(tx: ReadTx, memory_id: str) -> bool:
    """Return whether a memory has hints."""
    return tx.value(sql.ANY, (memory_id,)) is not None


def want(
    tx: WriteTx,
    memory_ids: Sequence[str],
    *,
    agent_id: str,
    now: datetime,
    attempts: int,
) -> None:
    """Queue a job for each of these memories that has no hints."""
    wanted = as_list(dict.fromkeys(memory_ids))
    for (memory_id,) in tx.tuples(sql.WITHOUT, (wanted,)):
        job = Job(kind="prospective_index", memory_id=memory_id, agent_id=agent_id)
        enqueue(tx, job, now=now, max_attempts=attempts)
