"""Find memories without a current vector and queue their embedding."""

from datetime import datetime, timedelta

from signet import clock
from signet.db import WriteTx
from signet.domain.embeddings import store
from signet.queue import BULK, Job, enqueue

#: How many are queued at once; the next look finds the rest.
BATCH = 500
#: How long a memory whose embedding has died is left alone, so that it costs little and stands in no one's way.
REST = timedelta(days=1)


def enqueue_missing(tx: WriteTx, *, model: str | None, now: datetime, limit: int = BATCH) -> int:
    """Queue the embedding of memories that lack a vector of this model; return how many were queued.

    A memory whose embedding is queued already, or has died within a day, is left alone.
    """
    died_after = clock.to_text(now - REST)
    found = store.untried(tx, limit, model=model, died_after=died_after)
    for memory_id in found:
        enqueue(tx, Job(kind="embed", memory_id=memory_id, priority=BULK), now=now)
    return len(found)
