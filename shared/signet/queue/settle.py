"""Write the end of a run down, and what it says about the provider of its queue, in one transaction."""

from dataclasses import replace
from datetime import timedelta

from signet import clock
from signet.db import WriteTx
from signet.queue import circuit_breaker, finish
from signet.queue.finish import End, Outcome
from signet.queue.job_context import JobContext

_ATTEMPTS = "SELECT attempts FROM memory_jobs WHERE id = ?"


def settle(tx: WriteTx, run: JobContext, ended: Outcome) -> bool:
    """End a run's lease; False, and nothing changed, when the lease was lost.

    A provider that is down stops its queue; a probe that came through opens it again. A failure that is the
    provider's and not the job's is not charged.
    """
    lease, now = run.lease, run.clock.now()
    if ended.is_provider_failure and circuit_breaker.is_ill(
        tx, lease.queue, lease.job_id, ended.code, now=now
    ):
        ended = replace(ended, end=End.POSTPONED, is_provider_down=True)
    if ended.is_provider_down:
        retry_at = circuit_breaker.open_breaker(
            tx, lease.queue, lease.job_id, retry_after_ms=ended.wait_ms, now=now
        )
        wait = clock.ms_to_instant(retry_at) - now
        ended = replace(ended, wait_ms=max(int(wait / timedelta(milliseconds=1)), 0))
        # Earlier attempts may have been given back while it ran.
        lease = lease._replace(attempts=tx.value(_ATTEMPTS, (lease.job_id,)))
    elif run.is_probe:
        run.probed(tx, ended.end is End.COMPLETED, now=now)
    elif ended.end is End.COMPLETED:
        circuit_breaker.answered(tx, lease.queue, now=now)
    return finish.settle(tx, lease, ended, now=now)


def buries(run: JobContext, ended: Outcome) -> bool:
    """Return whether a job is dead after this end."""
    is_last = run.lease.attempts >= run.lease.max_attempts
    return ended.end in (End.PERMANENT, End.CANCELLED) or (ended.end is End.FAILED and is_last)


def of_unfinished(run: JobContext) -> Outcome:
    """Return the end of a run that its process leaves behind: given back, or failed when its time was over."""
    if run.expired:
        return Outcome(end=End.FAILED, code="timeout", error="did not end within its time limit")
    return Outcome(end=End.RELEASED)
