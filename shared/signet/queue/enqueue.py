"""Add a job in the caller's transaction: a row and the job that it causes are one commit."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from signet import clock, ids
from signet.db import WriteTx
from signet.observe.tracing import TRACES
from signet.queue.kinds import queue_of

#: The signal of a transaction after which a job may be due (see wakeup.py).
DUE = "jobs"

#: Dedupe key of scheduled jobs: at most one of a kind is open, however long its queue is paused.
PERIODIC = "periodic"
#: Priorities are few on purpose: a claim searches each level with one index seek.
NOW, NORMAL, BULK = 0, 1, 2
MAX_ATTEMPTS = 3

_INSERT = """
INSERT INTO memory_jobs (id, memory_id, document_id, job_type, status, payload, attempts, max_attempts,
    created_at, updated_at, queue, priority, due_ms, dedupe_key, agent_id, parent_id)
VALUES (?, ?, ?, ?, 'pending', ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewJob:
    """A job to be done. At most one job per target is open: see `unique_key`."""

    kind: str
    memory_id: str | None = None
    document_id: str | None = None
    payload: Mapping[str, object] | None = None
    priority: int = NORMAL
    delay_ms: int = 0
    agent_id: str | None = None
    parent_id: str | None = None
    #: Distinguishes jobs without a memory or document, such as `retention:2026-05-01T06:00`.
    dedupe_key: str | None = None
    queue: str | None = None
    job_id: str | None = None

    @property
    def unique_key(self) -> str | None:
        """Return the key that only one open job may have; None if the job has no target."""
        target = self.memory_id or self.document_id or self.dedupe_key
        return f"{self.kind}:{target}" if target else None


def enqueue(
    tx: WriteTx, job: NewJob, *, now: datetime, max_attempts: int = MAX_ATTEMPTS
) -> str | None:
    """Insert the job and return its ID; None if an open one for the same target exists.

    Workers see it, and are woken, when the caller's transaction commits.
    """
    job_id = job.job_id or ids.new_ordered_id()
    text = clock.to_text(now)
    due_ms = int(now.timestamp() * 1000) + job.delay_ms
    given = TRACES.carried(job.payload)
    payload = None if given is None else json.dumps(dict(given))
    inserted = tx.run(
        _INSERT,
        (
            job_id,
            job.memory_id,
            job.document_id,
            job.kind,
            payload,
            max_attempts,
            text,
            text,
            job.queue or queue_of(job.kind),
            job.priority,
            due_ms,
            job.unique_key,
            job.agent_id,
            job.parent_id,
        ),
    )
    if not inserted:
        return None
    tx.signal(DUE)
    return job_id
