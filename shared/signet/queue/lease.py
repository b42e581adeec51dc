"""Take the oldest due jobs, keep them, give them back.

Every claim raises `lease_token`, the fence that each later write of the lease names: a worker that lost its
lease changes 0 rows. Attempts are counted here, at the claim, so that a crash counts. The statements are SQL
text on the driver connection because composing them costs more than running them (design/queue.md §3).
"""

import json
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.db.transaction import Params

#: One index seek per priority level, then the first k of all: a single scan ordered by (priority, due) would
#: walk every job that is scheduled for later. Jobs that were running at two process deaths run one at a time. The
#: limits are sums because SQLite plans a statement anew whenever a bare one is bound (see recall/store.py).
_DUE = """
SELECT id, {level} AS level, due_ms FROM memory_jobs
 WHERE status = 'pending' AND queue = :queue AND priority = {level} AND due_ms <= :wall
   {{only}}AND (crashes < 2 OR NOT EXISTS (SELECT 1 FROM memory_jobs WHERE status = 'leased' AND crashes >= 2))
 ORDER BY due_ms, id LIMIT :count + 0"""

_CLAIM = f"""
UPDATE memory_jobs
   SET status = 'leased', attempts = attempts + 1, runs_total = runs_total + 1,
       lease_token = lease_token + 1, lease_owner = :owner, lease_until_ms = :until,
       leased_at = :now, updated_at = :now
 WHERE id IN (SELECT id FROM (
       {" UNION ALL ".join(f"SELECT * FROM ({_DUE.format(level=level)})" for level in (0, 1, 2))}
       ) ORDER BY level, due_ms, id LIMIT :count + 0)
RETURNING id, job_type, queue, priority, due_ms, lease_token, attempts, max_attempts, crashes,
          memory_id, document_id, agent_id, created_at, CAST(payload AS BLOB)"""
CLAIM = _CLAIM.format(only="")
#: Only what has not failed before: a probe that is not one of a few jobs that every provider fails.
_CLAIM_FRESH = _CLAIM.format(only="AND last_error_code IS NULL ")
_FRESH = """
SELECT 1 FROM memory_jobs WHERE status = 'pending' AND queue = ? AND priority IN (0, 1, 2) AND due_ms <= ?
   AND last_error_code IS NULL LIMIT 1"""

_BURY = """
UPDATE memory_jobs
   SET status = 'dead', failed_at = :now, updated_at = :now, attempts = attempts - 1,
       error = 'no attempts left', last_error_code = 'exhausted',
       lease_owner = NULL, lease_until_ms = NULL, leased_at = NULL
 WHERE id = :id AND lease_token = :token"""

_EXTEND = """
UPDATE memory_jobs SET lease_until_ms = ?
 WHERE lease_owner = ? AND status = 'leased' AND id IN (SELECT value FROM json_each(?))
RETURNING id, lease_token, cancel_requested"""

_RELEASE = """
UPDATE memory_jobs
   SET status = 'pending', attempts = MAX(attempts - 1, 0), due_ms = :wall, updated_at = :now,
       lease_owner = NULL, lease_until_ms = NULL, leased_at = NULL
 WHERE id = :id AND lease_token = :token AND status = 'leased'"""

_HELD = "SELECT 1 FROM memory_jobs WHERE id = ? AND lease_token = ? AND status = 'leased'"

_NEXT_DUE = """
SELECT MIN(due_ms) FROM (
    SELECT * FROM (SELECT due_ms FROM memory_jobs WHERE status = 'pending' AND queue = :queue
                      AND priority = 0 ORDER BY due_ms, id LIMIT 1)
    UNION ALL SELECT * FROM (SELECT due_ms FROM memory_jobs WHERE status = 'pending' AND queue = :queue
                      AND priority = 1 ORDER BY due_ms, id LIMIT 1)
    UNION ALL SELECT * FROM (SELECT due_ms FROM memory_jobs WHERE status = 'pending' AND queue = :queue
                      AND priority = 2 ORDER BY due_ms, id LIMIT 1))"""


class Lease(NamedTuple):
    """One worker's right to run one job; the columns that a claim returns, in their order.

    A tuple, because a frozen dataclass of so many fields takes 4 µs to make, a twentieth of a quick job.
    """

    job_id: str
    kind: str
    queue: str
    priority: int
    due_ms: int
    token: int
    attempts: int
    max_attempts: int
    crashes: int
    memory_id: str | None
    document_id: str | None
    agent_id: str | None
    created_at: str
    payload: Mapping[str, Any]


def claim(
    tx: WriteTx,
    queue: str,
    count: int,
    *,
    owner: str,
    now: datetime,
    monotonic_ms: int,
    lease_ms: int,
    is_probe: bool = False,
) -> list[Lease]:
    """Lease up to `count` due jobs of a queue, highest priority and oldest first.

    A probe is a job that has not failed yet, if there is one. A row that came from outside with no attempt left
    is buried instead (dead, code `exhausted`).
    """
    has_fresh = is_probe and has_due_fresh(tx, queue, wall_ms=int(now.timestamp() * 1000))
    rows = tx.tuples(
        _CLAIM_FRESH if has_fresh else CLAIM,
        {
            "queue": queue,
            "count": count,
            "owner": owner,
            "now": clock.to_text(now),
            "wall": int(now.timestamp() * 1000),
            "until": monotonic_ms + lease_ms,
        },
    )
    taken = [Lease._make((*columns, _payload(stored))) for *columns, stored in rows]
    taken.sort(key=lambda lease: (lease.priority, lease.due_ms, lease.job_id))
    leases = []
    suspects = 0
    for lease in taken:
        suspects += lease.crashes >= 2
        if lease.crashes >= 2 and suspects > 1:  # the statement saw none of them running
            release(tx, lease.job_id, lease.token, now=now)
        elif lease.attempts > lease.max_attempts:
            tx.run(_BURY, {"id": lease.job_id, "token": lease.token, "now": clock.to_text(now)})
        else:
            leases.append(lease)
    return leases


def extend(
    tx: WriteTx, job_ids: Collection[str], *, owner: str, monotonic_ms: int, lease_ms: int
) -> dict[str, tuple[int, bool]]:
    """Prolong the leases that are still ours; return for each its token and whether to cancel it."""
    rows = tx.all(_EXTEND, (monotonic_ms + lease_ms, owner, json.dumps(list(job_ids))))
    return {row["id"]: (row["lease_token"], bool(row["cancel_requested"])) for row in rows}


def release(tx: WriteTx, job_id: str, token: int, *, now: datetime) -> bool:
    """Give a job back unrun: due now, the attempt is not counted; False when the lease was lost."""
    wall = int(now.timestamp() * 1000)
    return (
        tx.run(_RELEASE, {"id": job_id, "token": token, "wall": wall, "now": clock.to_text(now)})
        == 1
    )


def is_held(tx: ReadTx, job_id: str, token: int) -> bool:
    """Return whether this lease is still the job's one."""
    return tx.one(_HELD, (job_id, token)) is not None


def next_due_ms(tx: ReadTx, queue: str) -> int | None:
    """Return when the next pending job of a queue is due (wall clock), None when there is none."""
    params: Params = {"queue": queue}
    value = tx.value(_NEXT_DUE, params)
    return None if value is None else int(value)


def has_due_fresh(tx: ReadTx, queue: str, *, wall_ms: int) -> bool:
    """Return whether a due job of a queue has not failed yet."""
    return tx.one(_FRESH, (queue, wall_ms)) is not None


def _payload(stored: bytes | None) -> Mapping[str, Any]:
    """Return the payload as a mapping; what is not one is kept under `undecodable` for the actor's refusal."""
    if not stored:
        return {}
    # As bytes: text that another program broke would stop the whole claim.
    text = stored.decode("utf-8", "replace")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {"undecodable": text}
    return value if isinstance(value, dict) else {"undecodable": text}
