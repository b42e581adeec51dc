"""Find memories without a current vector and queue their embedding: the tracker (EM-20, EM-21).

A vector is current when it is of this text and this model. Every save queues its own embedding; this finds those that
were saved while nobody made vectors, whose model has changed, or whose embedding has died.
"""

from datetime import datetime

from signet.db import WriteTx
from signet.domain.embeddings import store
from signet.domain.embeddings.models import Rest
from signet.queue import BULK, Job, enqueue, limits
from signet.queue.kinds import queue_of

#: How many are queued at once; the next look finds the rest.
BATCH = 500
#: How long a text whose embedding has died (after three tries or more) is left alone, so that it costs little and
#: stands in no one's way: a minute, doubled with each death, at most a day.
REST = Rest(first_seconds=60, longest_seconds=86_400)


def look(tx: WriteTx, *, model: str, now: datetime) -> int:
    """Queue what is missing unless the provider is down; return how many were queued."""
    if limits.breaker_retry_at(tx, queue_of("embed")) is not None:
        store.note_skipped(tx)
        return 0
    return enqueue_missing(tx, model=model, now=now)


def enqueue_missing(tx: WriteTx, *, model: str | None, now: datetime, limit: int = BATCH) -> int:
    """Queue the embedding of memories that lack a vector of this model; return how many were queued.

    A memory whose embedding is queued already, or rests after its death, is left alone.
    """
    found = store.untried(tx, limit, model=model, now=now, rest=REST)
    for memory_id in found:
        enqueue(tx, Job(kind="embed", memory_id=memory_id, priority=BULK), now=now)
    return len(found)
