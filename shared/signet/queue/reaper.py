"""End leases for those who cannot: dead processes and hung ones.

Running it twice at once is harmless, because each row moves in one fenced statement. `end_owner` is for a
process whose death the kernel has confirmed (see process/liveness.py); `end_expired` for one that lives but has not
extended its leases, measured by the monotonic clock.
"""

from datetime import datetime

from signet.db import Row, WriteTx
from signet.observe import metrics
from signet.queue.finish import End, Leased, Outcome, settle

#: Rows moved in one transaction, so that other writers get their turn.
BATCH = 100

_COLUMNS = "SELECT id, lease_token, attempts, max_attempts, crashes, queue FROM memory_jobs"
_OF_OWNER = f"{_COLUMNS} WHERE lease_owner = ? AND status = 'leased' LIMIT {BATCH}"
#: The monotonic clock starts anew with the machine: an end further away than any lease lasts is of an earlier start.
LONGEST_LEASE_MS = 600_000
_EXPIRED = f"""{_COLUMNS} WHERE status = 'leased'
   AND (lease_until_ms < :now OR lease_until_ms > :now + {LONGEST_LEASE_MS}) LIMIT {BATCH}"""

_CRASHED = Outcome(end=End.CRASHED, code="crashed", error="the process that ran this job died")
_HUNG = Outcome(end=End.EXPIRED, code="lease_expired", error="lease expired before completion")


def end_owner(tx: WriteTx, owner: str, *, now: datetime) -> int:
    """End up to 100 leases of a dead process and return how many; call again while that many come back."""
    return _end(tx, tx.all(_OF_OWNER, (owner,)), _CRASHED, now)


def end_expired(tx: WriteTx, *, monotonic_ms: int, now: datetime) -> int:
    """End up to 100 leases whose time is over and return how many; call again while that many come back."""
    return _end(tx, tx.all(_EXPIRED, {"now": monotonic_ms}), _HUNG, now)


def _end(tx: WriteTx, rows: list[Row], outcome: Outcome, now: datetime) -> int:
    for row in rows:
        settle(tx, Leased.of(row), outcome, now=now)
    metrics.REAPED.labels(outcome.code).inc(len(rows))
    return len(rows)
