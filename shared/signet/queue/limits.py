"""How many jobs of a queue may start now: the breaker of a queue whose provider is down.

When a run ends with `ProviderDown` its queue stops claiming until the provider may be asked again; then one job
goes through as a probe. Success closes the breaker, another failure opens it again. The state is a row, so that it
holds across processes and restarts: while a provider is down, at most one call a probe interval is made.
"""

from dataclasses import dataclass
from datetime import datetime

from signet import clock
from signet.db import ReadTx, WriteTx

#: Waits between probes: doubled with each failure, at most this.
FIRST_PROBE_MS = 2_000
LAST_PROBE_MS = 60_000
#: A probe that has not come back within this time is given up and another may go.
PROBE_MS = 120_000

_READ = "SELECT state, failures, retry_at_ms FROM provider_breakers WHERE provider = ?"
_WRITE = """
INSERT INTO provider_breakers (provider, state, failures, retry_at_ms, updated_at) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (provider) DO UPDATE SET state = excluded.state, failures = excluded.failures,
       retry_at_ms = excluded.retry_at_ms, updated_at = excluded.updated_at"""
_CLOSE = "DELETE FROM provider_breakers WHERE provider = ?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """How many jobs may be claimed, and when to look again if that is fewer than asked for."""

    jobs: int
    again_at_ms: int | None = None


def allowance(tx: WriteTx, queue: str, room: int, *, now_ms: int) -> Allowance:
    """Return how many of `room` jobs may start; a half-open breaker lets one through and notes the probe."""
    row = tx.one(_READ, (queue,))
    if row is None:
        return Allowance(jobs=room)
    if row["retry_at_ms"] > now_ms:
        return Allowance(jobs=0, again_at_ms=row["retry_at_ms"])
    again = now_ms + PROBE_MS
    tx.run(_WRITE, (queue, "half_open", row["failures"], again, clock.ms_to_text(now_ms)))
    return Allowance(jobs=1, again_at_ms=again)


def open_breaker(tx: WriteTx, queue: str, *, retry_after_ms: int | None, now: datetime) -> int:
    """Stop the queue until its provider may be asked again; return that instant in ms since 1970."""
    row = tx.one(_READ, (queue,))
    now_ms = int(now.timestamp() * 1000)
    if row is not None and row["state"] == "open" and row["retry_at_ms"] > now_ms:
        return int(row["retry_at_ms"])  # a job that was running when the breaker opened
    failures = (row["failures"] if row else 0) + 1
    wait: int = min(FIRST_PROBE_MS * 2 ** min(failures - 1, 10), LAST_PROBE_MS)
    retry_at = now_ms + max(wait, retry_after_ms or 0)
    tx.run(_WRITE, (queue, "open", failures, retry_at, clock.to_text(now)))
    return retry_at


def close_breaker(tx: WriteTx, queue: str) -> None:
    """Let the queue run again: its provider has answered."""
    tx.run(_CLOSE, (queue,))


def breaker_retry_at(tx: ReadTx, queue: str) -> int | None:
    """Return until when the queue is stopped, None when it is not."""
    row = tx.one(_READ, (queue,))
    return None if row is None else int(row["retry_at_ms"])
