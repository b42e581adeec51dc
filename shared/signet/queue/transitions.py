"""Every state transition of a job, as named statements: claim, extend, release, finish, reap, requeue, cancel.

Each claim raises `lease_token`, the fence that every later write of the lease names: a worker that lost its lease
changes 0 rows. Attempts are counted at the claim; the death of a process uses up none, but MAX_CRASHES of them bury the
job. Each transition is one update, so that two callers may try the same one. The statements are SQL text because
composing them costs more than running them. (enqueue.py adds jobs to the table; circuit_breaker.py gives back attempts
used up by a provider's outage.)
"""

import json
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from signet import clock
from signet.db import ReadTx, WriteTx, dialect
from signet.db.dialect import LIST, at_most, list_of
from signet.observe import metrics
from signet.queue import circuit_breaker, retry
from signet.queue.enqueue import DUE
from signet.queue.kinds import CANCELLED, ERRORS_KEPT, FLUSHED, HAS_FAILED, RUN_ONCE
from signet.queue.retry import End, RunOutcome
from signet.text import json_text

#: A requeue moves at most this many rows.
REQUEUE_BATCH = 50
#: Leases of dead or hung processes ended in one transaction, so that other writers get their turn.
REAP_BATCH = 100
#: The monotonic clock restarts with the machine: an end further away than any lease lasts is from an earlier start. A
#: minute longer than the longest lease, because a reaper reads the clock before it waits for its turn to write.
LONGEST_LEASE_MS = 660_000
#: Jobs due later than this need no wake-up: workers check for commits once a second (dispatcher.LOOK_SECONDS).
UNNOTICED_MS = 1_000
#: Error texts are cut to this length: a row is for reading, and the log has the full text.
ERROR_CHARS = 2_000
_CRASHED = RunOutcome(end=End.CRASHED, code="crashed", error="the process that ran this job died")
HUNG = RunOutcome(end=End.EXPIRED, code="lease_expired", error="lease expired before completion")

#: One index seek per priority level, then the first k of all: a single scan ordered by (priority, due) would
#: walk every job that is scheduled for later. Jobs that were running at two process deaths run one at a time. The
#: limits are sums because SQLite plans a statement again whenever a bare one is bound (see recall/sql/reading.py).
_DUE = f"""
SELECT id, {{level}} AS level, due_ms FROM memory_jobs
 WHERE status = 'pending' AND queue = :queue AND priority = {{level}} AND due_ms <= :wall
   {{{{only}}}}AND (crashes < 2 OR NOT EXISTS (SELECT 1 FROM memory_jobs WHERE status = 'leased' AND crashes >= 2))
 ORDER BY due_ms, id {at_most(":count")}"""

_FIRST = f"""
SELECT id FROM (
       {" UNION ALL ".join(f"SELECT * FROM ({_DUE.format(level=level)})" for level in (0, 1, 2))}
       ) ORDER BY level, due_ms, id {at_most(":count")}"""
#: On a server, those that no other transaction is about to change.
_FREE = f"SELECT id FROM memory_jobs WHERE status = 'pending' AND id IN ({_FIRST}) FOR UPDATE SKIP LOCKED"

_CLAIM = """
UPDATE memory_jobs
   SET status = 'leased', attempts = attempts + 1, runs_total = runs_total + 1,
       lease_token = lease_token + 1, lease_owner = :owner, lease_until_ms = :until,
       leased_at = :now, updated_at = :now
 WHERE id IN ({due})
RETURNING id, job_type, queue, priority, due_ms, lease_token, attempts, max_attempts, crashes,
          memory_id, document_id, agent_id, created_at, CAST(payload AS BLOB)"""


def _claiming(only: str) -> str:
    first, free = (_CLAIM.format(due=due.format(only=only)) for due in (_FIRST, _FREE))
    return dialect.sql(first, postgres=free)


CLAIM = _claiming("")
#: Only jobs that have not failed before, for probes: some jobs fail with any provider.
_CLAIM_FRESH = _claiming("AND last_error_code IS NULL ")
_FRESH = """
SELECT 1 FROM memory_jobs WHERE status = 'pending' AND queue = ? AND priority IN (0, 1, 2) AND due_ms <= ?
   AND last_error_code IS NULL LIMIT 1"""

_BURY = """
UPDATE memory_jobs
   SET status = 'dead', failed_at = :now, updated_at = :now, attempts = attempts - 1,
       error = 'no attempts left', last_error_code = 'exhausted',
       lease_owner = NULL, lease_until_ms = NULL, leased_at = NULL
 WHERE id = :id AND lease_token = :token"""

_EXTEND = f"""
UPDATE memory_jobs SET lease_until_ms = ?
 WHERE lease_owner = ? AND status = 'leased' AND id IN {LIST}
RETURNING id, lease_token, cancel_requested"""

#: A lease that ends while a cancel is requested ends the job: it must not be claimed again.
_RELEASE = f"""
UPDATE memory_jobs
   SET status = CASE WHEN cancel_requested = 1 THEN 'dead' ELSE 'pending' END,
       failed_at = CASE WHEN cancel_requested = 1 THEN :now END,
       error = CASE WHEN cancel_requested = 1 THEN '{CANCELLED}' ELSE error END,
       last_error_code = CASE WHEN cancel_requested = 1 THEN '{CANCELLED}' ELSE last_error_code END,
       attempts = MAX(attempts - 1, 0), due_ms = :wall, updated_at = :now, cancel_requested = 0,
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

_COMPLETE = """
UPDATE memory_jobs
   SET status = 'completed', completed_at = :now, updated_at = :now, error = NULL, last_error_code = NULL,
       cancel_requested = 0,
       lease_owner = NULL, lease_until_ms = NULL, leased_at = NULL
 WHERE id = :id AND lease_token = :token AND status = 'leased'"""

_RESULT = "UPDATE memory_jobs SET result = ? WHERE id = ?"

#: The past errors and this one, newest last; values of other programs in their place are dropped.
_ERRORS = f"""
json_insert(CASE WHEN json_valid(errors) THEN
              CASE WHEN json_type(errors) <> 'array' THEN '[]'
                   WHEN json_array_length(errors) < {ERRORS_KEPT} THEN errors
                   ELSE json_remove(errors, '$[0]') END
            ELSE '[]' END,
            '$[#]', json_object('began', leased_at, 'at', :now, 'token', :token, 'code', :code, 'text', :error))"""

_END = f"""
UPDATE memory_jobs
   SET status = CASE WHEN cancel_requested = 1 THEN 'dead' ELSE :status END,
       failed_at = CASE WHEN cancel_requested = 1 OR :status = 'dead' THEN :now END,
       last_error_code = CASE WHEN cancel_requested = 1 THEN '{CANCELLED}' ELSE :code END,
       due_ms = COALESCE(:due, due_ms), queue = COALESCE(:queue, queue), updated_at = :now, cancel_requested = 0,
       attempts = :attempts, crashes = :crashes, error = :error, errors = {_ERRORS},
       lease_owner = NULL, lease_until_ms = NULL, leased_at = NULL
 WHERE id = :id AND lease_token = :token AND status = 'leased'"""

#: The columns of a `Leased`.
_LEASED = "id AS job_id, lease_token AS token, queue, attempts, max_attempts, crashes"
_OF_OWNER = f"SELECT {_LEASED} FROM memory_jobs WHERE lease_owner = ? AND status = 'leased' LIMIT {REAP_BATCH}"
_OVERDUE = f"""
SELECT {_LEASED} FROM memory_jobs WHERE status = 'leased'
   AND (lease_until_ms < :now OR lease_until_ms > :now + {LONGEST_LEASE_MS}) LIMIT {REAP_BATCH}"""

_REQUEUE = f"""
UPDATE memory_jobs
   SET status = 'pending', attempts = 0, crashes = 0, cancel_requested = 0, error = NULL, failed_at = NULL,
       last_error_code = NULL, due_ms = :wall, updated_at = :now,
       outage_since = NULL, outages = NULL, revived_at = NULL
 WHERE id IN (SELECT min(id) FROM memory_jobs WHERE status = 'dead' AND (:kind IS NULL OR job_type = :kind)
                 AND job_type NOT IN ({", ".join(f"'{kind}'" for kind in RUN_ONCE)})
                 AND (id IN {list_of(":ids")} OR (:ids IS NULL AND {HAS_FAILED}))
                 AND NOT EXISTS (SELECT 1 FROM memory_jobs open WHERE open.dedupe_key = memory_jobs.dedupe_key
                                    AND open.status IN ('pending', 'leased'))
               GROUP BY COALESCE(dedupe_key, id) ORDER BY min(failed_at), 1 LIMIT :limit)
RETURNING id"""
_FLUSH = f"""
UPDATE memory_jobs SET status = 'dead', failed_at = :now, updated_at = :now, error = '{FLUSHED}',
       last_error_code = '{FLUSHED}' WHERE queue = :queue AND status = 'pending'"""
_CANCEL_PENDING = f"""
UPDATE memory_jobs SET status = 'dead', failed_at = :now, updated_at = :now, error = '{CANCELLED}',
       last_error_code = '{CANCELLED}' WHERE id = :id AND status = 'pending'"""
_CANCEL_LEASED = "UPDATE memory_jobs SET cancel_requested = 1, updated_at = :now WHERE id = :id AND status = 'leased'"


class Lease(NamedTuple):
    """One worker's right to run one job; the columns that a claim returns, in their order.

    A tuple, because a frozen dataclass with these fields takes 4 µs to make, a twentieth of a quick job.
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


class Leased(NamedTuple):
    """The columns of a leased row that decide its end; a `Lease` has the same since the claim."""

    job_id: str
    token: int
    queue: str
    attempts: int
    max_attempts: int
    crashes: int


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

    A probe is a job that has not failed yet, if there is one. A row from outside without attempts left is buried
    instead (dead, code `exhausted`).
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
    """Extend the leases that are still ours; return for each its token and whether to cancel it."""
    rows = tx.all(_EXTEND, (monotonic_ms + lease_ms, owner, json.dumps(list(job_ids))))
    return {row["id"]: (row["lease_token"], bool(row["cancel_requested"])) for row in rows}


def release(tx: WriteTx, job_id: str, token: int, *, now: datetime) -> bool:
    """Give a job back without running it: due now, without using an attempt; False if the lease was lost."""
    wall = int(now.timestamp() * 1000)
    fence = {"id": job_id, "token": token, "wall": wall, "now": clock.to_text(now)}
    return tx.run(_RELEASE, fence) == 1


def is_held(tx: ReadTx, job_id: str, token: int) -> bool:
    """Return whether this lease is still valid."""
    return tx.one(_HELD, (job_id, token)) is not None


def next_due_ms(tx: ReadTx, queue: str) -> int | None:
    """Return the next due time of a queue's pending jobs (wall clock), or None."""
    value = tx.value(_NEXT_DUE, {"queue": queue})
    return None if value is None else int(value)


def has_due_fresh(tx: ReadTx, queue: str, *, wall_ms: int) -> bool:
    """Return whether a due job of a queue has not failed yet."""
    return tx.one(_FRESH, (queue, wall_ms)) is not None


def complete(tx: WriteTx, job_id: str, token: int, *, now: datetime) -> bool:
    """Complete a job; False, with nothing changed, if the lease was lost."""
    return tx.run(_COMPLETE, {"id": job_id, "token": token, "now": clock.to_text(now)}) == 1


def record_result(tx: WriteTx, job_id: str, result: object) -> None:
    """Store the result of a completed job, as JSON."""
    tx.run(_RESULT, (json.dumps(result), job_id))


def finish(tx: WriteTx, lease: Lease | Leased, outcome: RunOutcome, *, now: datetime) -> bool:
    """End a lease with this outcome; False, with nothing changed, if the lease was lost."""
    if outcome.end is End.COMPLETED:
        return complete(tx, lease.job_id, lease.token, now=now)
    if outcome.end is End.RELEASED:
        given_back = release(tx, lease.job_id, lease.token, now=now)
        tx.signal(DUE)
        return given_back
    return _fail(tx, lease, outcome, now)


def _fail(tx: WriteTx, lease: Lease | Leased, outcome: RunOutcome, now: datetime) -> bool:
    """Move a leased row to pending or dead, depending on its attempts, which do not change while it is leased."""
    attempts, crashes = lease.attempts, lease.crashes
    dead, wait_ms = False, outcome.wait_ms
    match outcome.end:
        case End.PERMANENT | End.CANCELLED:
            dead = True
        case End.POSTPONED:
            attempts = max(attempts - 1, 0)
            wait_ms = wait_ms or 0
        case End.CRASHED:
            circuit_breaker.probe_lost(tx, lease.queue, lease.job_id, now=now)
            attempts, crashes = max(attempts - 1, 0), crashes + 1
            dead = crashes >= retry.MAX_CRASHES
            wait_ms = retry.after_crash(crashes)
        case _:
            dead = attempts >= lease.max_attempts
            if wait_ms is None:
                wait_ms = retry.after_failure(attempts, is_provider=outcome.is_provider_failure)
    # A file name or a model's answer may contain half a surrogate pair, which the database rejects.
    error = outcome.error[:ERROR_CHARS].encode("utf-8", "replace").decode()
    moved = tx.run(
        _END,
        {
            "id": lease.job_id,
            "token": lease.token,
            "now": clock.to_text(now),
            "status": "dead" if dead else "pending",
            "due": None if dead else int(now.timestamp() * 1000) + (wait_ms or 0),
            "attempts": attempts,
            "crashes": crashes,
            "error": error,
            "code": outcome.code,
            "queue": outcome.queue,
        },
    )
    if moved and not dead and (wait_ms or 0) < UNNOTICED_MS:
        tx.signal(DUE)
    return moved == 1


def reap_owner(tx: WriteTx, owner: str, *, now: datetime) -> int:
    """End up to REAP_BATCH leases of a dead process and return their number; repeat while full."""
    return _reap(tx, tx.rows(Leased, _OF_OWNER, (owner,)), _CRASHED, now)


def reap_expired(tx: WriteTx, *, monotonic_ms: int, now: datetime) -> int:
    """End up to REAP_BATCH leases that were not extended in time and return their number; repeat while full."""
    return _reap(tx, tx.rows(Leased, _OVERDUE, {"now": monotonic_ms}), HUNG, now)


def _reap(tx: WriteTx, rows: list[Leased], outcome: RunOutcome, now: datetime) -> int:
    for leased in rows:
        finish(tx, leased, outcome, now=now)
    metrics.REAPED.labels(outcome.code).inc(len(rows))
    return len(rows)


def requeue(
    tx: WriteTx,
    *,
    now: datetime,
    kind: str | None = None,
    job_ids: list[str] | None = None,
    limit: int = REQUEUE_BATCH,
) -> list[str]:
    """Restart dead jobs, oldest first, and return their IDs.

    Attempts restart at zero; the token, the number of runs and the past errors stay. Skips a job whose target has an
    open job, or whose kind runs once.
    """
    rows = tx.all(
        _REQUEUE,
        {
            "kind": kind,
            "ids": None if job_ids is None else json.dumps(job_ids),
            "limit": limit,
            "wall": int(now.timestamp() * 1000),
            "now": clock.to_text(now),
        },
    )
    tx.signal(DUE)
    return [row["id"] for row in rows]


def cancel(tx: WriteTx, job_id: str, *, now: datetime) -> bool:
    """Cancel an open job: a pending one dies now, a running one is asked to stop; False if it is not open."""
    params = {"id": job_id, "now": clock.to_text(now)}
    return tx.run(_CANCEL_PENDING, params) == 1 or tx.run(_CANCEL_LEASED, params) == 1


def flush(tx: WriteTx, queue: str, *, now: datetime) -> int:
    """Bury every waiting job of a queue with code `flushed` and return their number."""
    return tx.run(_FLUSH, {"queue": queue, "now": clock.to_text(now)})


def _payload(stored: bytes | None) -> Mapping[str, Any]:
    """Return the payload as a mapping; any other value goes under `undecodable` for the actor's refusal."""
    if not stored:
        return {}
    # As bytes: text that another program broke would stop the whole claim.
    text = stored.decode("utf-8", "replace")
    found = json_text.an_object(text)
    return {"undecodable": text} if found is None else found
