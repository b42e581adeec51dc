"""End a lease: complete, fail, postpone, cancel. Every statement carries the fence.

`Outcome` says how a run ended; `settle` turns it into one update of the row. The transaction in which a job's
effects are written completes it too, see `job_context.Run.commit`.
"""

import json
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple, Self

from signet import clock
from signet.db import Row, WriteTx
from signet.queue import backoff, circuit_breaker
from signet.queue.enqueue import DUE
from signet.queue.lease import Lease, release
from signet.queue.states import ERRORS_KEPT

#: What is due no sooner than this needs no wake-up: workers look for commits once a second (dispatcher.LOOK_SECONDS).
UNNOTICED_MS = 1_000
#: Error texts are cut here: a row is for reading, the log has the rest.
ERROR_CHARS = 2_000

_COMPLETE = """
UPDATE memory_jobs
   SET status = 'completed', completed_at = :now, updated_at = :now, error = NULL, last_error_code = NULL,
       lease_owner = NULL, lease_until_ms = NULL, leased_at = NULL
 WHERE id = :id AND lease_token = :token AND status = 'leased'"""

_RESULT = "UPDATE memory_jobs SET result = ? WHERE id = ?"

#: The past errors and this one, newest last; what another program has left there instead is dropped.
_ERRORS = f"""
json_insert(CASE WHEN json_valid(errors) THEN
              CASE WHEN json_type(errors) <> 'array' THEN '[]'
                   WHEN json_array_length(errors) < {ERRORS_KEPT} THEN errors
                   ELSE json_remove(errors, '$[0]') END
            ELSE '[]' END,
            '$[#]', json_object('at', :now, 'token', :token, 'code', :code, 'text', :error))"""

_END = f"""
UPDATE memory_jobs
   SET status = :status, due_ms = COALESCE(:due, due_ms), updated_at = :now,
       failed_at = CASE :status WHEN 'dead' THEN :now END,
       attempts = :attempts, crashes = :crashes, error = :error, last_error_code = :code,
       errors = {_ERRORS},
       lease_owner = NULL, lease_until_ms = NULL, leased_at = NULL
 WHERE id = :id AND lease_token = :token AND status = 'leased'"""


class End(StrEnum):
    """How a run of a job ended; also the `outcome` label of the metrics."""

    COMPLETED = "completed"
    FAILED = "failed"
    PERMANENT = "permanent"
    POSTPONED = "postponed"
    RELEASED = "released"
    CRASHED = "crashed"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    FENCED = "fenced"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The end of one run: what happened, why, and for a retry how long to wait (None: the usual backoff)."""

    end: End
    code: str = ""
    error: str = ""
    wait_ms: int | None = None
    #: Whether a provider refused work: its queue then stops (see circuit_breaker.py).
    is_provider_down: bool = False
    #: Whether a provider answered with an error, or not in time: its fault or the job's (see circuit_breaker.py).
    is_provider_failure: bool = False


class Leased(NamedTuple):
    """What of a leased row decides on its end; of a `Lease` the same is known since the claim."""

    job_id: str
    token: int
    queue: str
    attempts: int
    max_attempts: int
    crashes: int

    @classmethod
    def of(cls, row: Row) -> Self:
        """Return it from a row with these columns of `memory_jobs`."""
        return cls(
            row["id"],
            row["lease_token"],
            row["queue"],
            row["attempts"],
            row["max_attempts"],
            row["crashes"],
        )


def complete(tx: WriteTx, job_id: str, token: int, *, now: datetime) -> bool:
    """Complete a job; False, and nothing changed, when the lease was lost."""
    return tx.run(_COMPLETE, {"id": job_id, "token": token, "now": clock.to_text(now)}) == 1


def record_result(tx: WriteTx, job_id: str, result: object) -> None:
    """Keep what a completed job reports, as JSON."""
    tx.run(_RESULT, (json.dumps(result), job_id))


def settle(tx: WriteTx, lease: Lease | Leased, outcome: Outcome, *, now: datetime) -> bool:
    """End a lease as the outcome says; False, and nothing changed, when the lease was lost."""
    if outcome.end is End.COMPLETED:
        return complete(tx, lease.job_id, lease.token, now=now)
    if outcome.end is End.RELEASED:
        given_back = release(tx, lease.job_id, lease.token, now=now)
        tx.signal(DUE)
        return given_back
    return _fail(tx, lease, outcome, now)


def _fail(tx: WriteTx, lease: Lease | Leased, outcome: Outcome, now: datetime) -> bool:
    """Move a leased row to pending or dead; its attempts, which nobody changes while it is leased, decide which."""
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
            crashes += 1
            dead = attempts >= lease.max_attempts
            wait_ms = backoff.after_crash(crashes)
        case _:
            dead = attempts >= lease.max_attempts
            wait_ms = backoff.after_failure(attempts) if wait_ms is None else wait_ms
    # A file name or a model's answer may hold half a surrogate pair, which the database cannot.
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
        },
    )
    if moved and not dead and (wait_ms or 0) < UNNOTICED_MS:
        tx.signal(DUE)
    return moved == 1
