"""How many jobs of a queue may start now: the breaker of a queue whose provider is down.

When a run ends with `ProviderDown` its queue stops claiming until the provider may be asked again; then one job
goes through as a probe. Its success closes the breaker, its failure opens it again, and an end that says nothing
of the provider lets the next one go. The state is a row, so that it holds across processes and restarts: while a
provider is down, at most one call a probe interval is made.
"""

import json
from dataclasses import dataclass
from datetime import datetime

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.errors import NotNow, ProviderDown
from signet.queue.enqueue import DUE
from signet.queue.kinds import breaker_of, queues_behind

#: Waits between probes: doubled with each failure, at most this, so that work starts within five seconds of a
#: provider's recovery (design F-15). A provider may ask for longer.
FIRST_PROBE_MS = 1_000
LAST_PROBE_MS = 4_000
#: A probe that has not come back within this time is given up and another may go.
PROBE_MS = 120_000

_READ = "SELECT failures, retry_at_ms, probe FROM provider_breakers WHERE provider = ?"
_WRITE = """
INSERT INTO provider_breakers (provider, state, failures, retry_at_ms, updated_at) VALUES (?, 'open', ?, ?, ?)
ON CONFLICT (provider) DO UPDATE SET state = excluded.state, failures = excluded.failures,
       retry_at_ms = excluded.retry_at_ms, probe = NULL, updated_at = excluded.updated_at"""
_PROBE = """
UPDATE provider_breakers SET state = 'half_open', probe = ?, retry_at_ms = ?, updated_at = ? WHERE provider = ?"""
_PROBE_LOST = """
UPDATE provider_breakers SET state = 'open', probe = NULL, retry_at_ms = ?, updated_at = ?
 WHERE provider = ? AND probe = ?"""
_DUE_NOW = """
UPDATE memory_jobs SET due_ms = ?, updated_at = ?
 WHERE queue IN (SELECT value FROM json_each(?)) AND status = 'pending' AND last_error_code = ? AND due_ms > ?"""
_CLOSE = "DELETE FROM provider_breakers WHERE provider = ?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """How many jobs may be claimed, and when to look again if that is fewer than asked for."""

    jobs: int
    again_at_ms: int | None = None
    is_probe: bool = False


def allowance(tx: ReadTx, queue: str, room: int, *, now_ms: int) -> Allowance:
    """Return how many of `room` jobs may start; behind a breaker whose wait is over it is one, the probe."""
    row = tx.one(_READ, (breaker_of(queue),))
    if row is None:
        return Allowance(jobs=room)
    if row["retry_at_ms"] > now_ms:
        return Allowance(jobs=0, again_at_ms=row["retry_at_ms"])
    return Allowance(jobs=1, is_probe=True)


def note_probe(tx: WriteTx, queue: str, job_id: str, *, now_ms: int) -> int:
    """Note that this job has gone to see; return until when (ms since 1970) no other one may."""
    again = now_ms + PROBE_MS
    tx.run(_PROBE, (job_id, again, clock.ms_to_text(now_ms), breaker_of(queue)))
    return again


def probe_lost(tx: WriteTx, queue: str, job_id: str, *, now: datetime) -> None:
    """Let another probe start now if this job was the last one: it has come back without an answer."""
    now_ms = int(now.timestamp() * 1000)
    tx.run(_PROBE_LOST, (now_ms, clock.to_text(now), breaker_of(queue), job_id))


def reset(tx: WriteTx, queue: str, *, now: datetime) -> None:
    """Close the breaker and make what waits behind it due: who answers for this queue has changed."""
    close_breaker(tx, queue)
    _call(tx, queue, ProviderDown.code, now)


def allowed(tx: WriteTx, queue: str, *, now: datetime) -> None:
    """Make what waits for the settings due: they allow it now."""
    _call(tx, queue, NotNow.code, now)


def _call(tx: WriteTx, queue: str, code: str, now: datetime) -> None:
    """Make the waiting jobs with this last error due, of all queues that stand together with this one."""
    now_ms = int(now.timestamp() * 1000)
    together = json.dumps(queues_behind(breaker_of(queue)))
    tx.run(_DUE_NOW, (now_ms, clock.to_text(now), together, code, now_ms))
    tx.signal(DUE)


def open_breaker(
    tx: WriteTx, queue: str, job_id: str, *, retry_after_ms: int | None, now: datetime
) -> int:
    """Stop the queue until its provider may be asked again; return when (ms since 1970) this job may try.

    A job that was running already when the breaker opened changes nothing.
    """
    row = tx.one(_READ, (breaker_of(queue),))
    now_ms = int(now.timestamp() * 1000)
    if row is not None and row["retry_at_ms"] > now_ms and row["probe"] != job_id:
        # While a probe is out, what the row holds is only when it is given up.
        return now_ms + FIRST_PROBE_MS if row["probe"] else int(row["retry_at_ms"])
    failures = (row["failures"] if row else 0) + 1
    wait: int = min(FIRST_PROBE_MS * 2 ** min(failures - 1, 10), LAST_PROBE_MS)
    retry_at = now_ms + max(wait, retry_after_ms or 0)
    tx.run(_WRITE, (breaker_of(queue), failures, retry_at, clock.to_text(now)))
    return retry_at


def close_breaker(tx: WriteTx, queue: str) -> None:
    """Let the queue run again: its provider has answered."""
    tx.run(_CLOSE, (breaker_of(queue),))


def breaker_retry_at(tx: ReadTx, queue: str) -> int | None:
    """Return until when the queue is stopped, None when it is not."""
    row = tx.one(_READ, (breaker_of(queue),))
    return None if row is None else int(row["retry_at_ms"])
