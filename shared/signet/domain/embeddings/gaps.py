"""Find memories without a current vector and queue their embedding."""

from datetime import datetime

from signet.db import WriteTx
from signet.domain.embeddings import store
from signet.queue import BULK, Job, enqueue

#: How many are queued at once; the next look finds the rest.
BATCH = 500


def enqueue_missing(tx: WriteTx, *, model: str | None, now: datetime, limit: int = BATCH) -> int:
    """Queue the embedding of memories that lack a vector of this model; return how many were queued.

    A memory whose embedding is queued already, or has died, is left alone.
    """
    queued = 0
    for gap in store.missing(tx, limit, model=model):
        job = Job(kind="embed", memory_id=gap.memory_id, priority=BULK)
        queued += enqueue(tx, job, now=now) is not None
    return queued
