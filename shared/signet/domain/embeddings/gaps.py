"""Find memories without a current vector and queue their embedding: the tracker (EM-20, EM-21).

A vector is current when it is of this text and this model. Every save queues its own embedding; this finds those that
were saved while nobody made vectors, whose model has changed, or whose embedding has died.
"""

from collections.abc import Sequence
from datetime import datetime

from signet.db import ReadTx, WriteTx
from signet.domain.embeddings import vectors
from signet.domain.embeddings.models import Rest
from signet.queue import BULK, MAX_ATTEMPTS, Job, circuit_breaker, enqueue
from signet.queue.kinds import queue_of

#: How many are queued at once (15 to 30 ms); the next look finds the rest.
BATCH = 1_000
#: How long a text whose embedding has died (after three tries or more) is left alone, so that it costs little and
#: stands in no one's way: a minute, doubled with each death, at most a day.
REST = Rest(first_seconds=60, longest_seconds=86_400)


def find(tx: ReadTx, *, model: str | None, now: datetime, limit: int = BATCH) -> list[str]:
    """Return memories that lack a vector of this model, the last changed first; none while the provider is down.

    A memory whose embedding is queued already, or rests after its death, is left alone. Looks at every memory (250 ms
    for 200,000), so it is no part of a write transaction.
    """
    if _is_down(tx, now):
        return []
    return vectors.untried(tx, limit, model=model, now=now, rest=REST)


def fill(
    tx: WriteTx, memory_ids: Sequence[str], *, attempts: int = MAX_ATTEMPTS, now: datetime
) -> None:
    """Queue the embedding of memories, or count that this could not be because the provider is down."""
    if _is_down(tx, now):
        vectors.note_skipped(tx)
        return
    for memory_id in memory_ids:
        job = Job(kind="embed", memory_id=memory_id, priority=BULK)
        enqueue(tx, job, now=now, max_attempts=attempts)


def _is_down(tx: ReadTx, now: datetime) -> bool:
    """Return whether the provider is waited for. (After that wait a job must be there that goes to see.)"""
    retry_at_ms = circuit_breaker.breaker_retry_at(tx, queue_of("embed"))
    return retry_at_ms is not None and retry_at_ms > now.timestamp() * 1000
