"""A running job as its actor sees it, and the end of that run.

An actor writes with `job.commit`: its effects and the completion of the job are one transaction. Nothing is ever raised
into a running thread: an actor calls `job.check()` between its stages. Once its lease is lost, or was ended because the
run exceeded its time limit, its writes are rejected.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TypeVar

from signet import clock
from signet.clock import Clock
from signet.db import Database, WriteTx
from signet.observe import metrics
from signet.queue import circuit_breaker, transitions
from signet.queue.kinds import time_limit_of
from signet.queue.retry import Cancelled, End, LeaseLost, RunOutcome
from signet.queue.transitions import Lease

T = TypeVar("T")

_ATTEMPTS = "SELECT attempts FROM memory_jobs WHERE id = ?"


@dataclass(slots=True, eq=False)
class JobContext:
    """One run of one job, as its actor sees it."""

    lease: Lease
    db: Database = field(repr=False)
    clock: Clock = field(default=clock.SYSTEM, repr=False)
    #: Jobs that count as running in its queue; when this one leaves, the dispatcher claims the next.
    in_flight: "set[JobContext]" = field(default_factory=set, repr=False)
    #: Whether this run tests if its queue's provider has recovered (see circuit_breaker.py).
    is_probe: bool = False
    #: Start and deadline, in monotonic seconds.
    started_at: float = 0.0
    ends_at: float = math.inf
    lost: bool = False
    cancelled: bool = False
    #: Set if its lease was ended for exceeding the time limit while it kept running.
    is_abandoned: bool = False
    #: Set once the row has left the leased state; then there is no end to write.
    is_finished: bool = False
    #: Writes an end that could not be written; called at the next heartbeat.
    write_again: Callable[[], None] | None = field(default=None, repr=False)

    def start(self) -> None:
        """Start the clock of the run."""
        self.started_at = time.monotonic()
        self.ends_at = self.started_at + time_limit_of(self.lease.kind)

    def allow(self, seconds: float) -> None:
        """Restart the time limit with `seconds` for a model call: it limits the time between two calls."""
        limit = seconds + time_limit_of(self.lease.kind)
        self.ends_at = max(self.ends_at, time.monotonic() + limit)

    @property
    def is_over_time(self) -> bool:
        """Whether the run has exceeded the time limit of its kind."""
        return time.monotonic() >= self.ends_at

    def check(self) -> None:
        """Raise LeaseLost, Cancelled or TimeoutError when this run should stop; call it between stages."""
        if self.lost:
            raise LeaseLost(job_id=self.lease.job_id)
        if self.cancelled:
            raise Cancelled(job_id=self.lease.job_id)
        if self.is_over_time:
            raise TimeoutError(f"{self.lease.kind} ran longer than its time limit")

    def commit(self, effects: Callable[[WriteTx], T], *, durable: bool = True) -> T:
        """Write the job's effects and complete it in one transaction; return the result of `effects`.

        A returned dict is stored as the job's result. Raises LeaseLost, with nothing written, if another worker has the
        job now. Without `durable` it does not wait for the disk, and a power cut undoes the effects and the completion
        together. This suits jobs that only derive rows from other rows, because they repeat the work.
        """
        self.leave_queue()
        write = self.db.write if durable else self.db.write_quick
        value = write(self._complete_with, effects)
        self.is_finished = True
        return value

    def progress(self, change: Callable[[WriteTx], T]) -> T:
        """Write something that may be seen before the job is done; raises LeaseLost when the lease is lost.

        Does not wait for the disk: what a power cut undoes, the next run of the job does again.
        """
        return self.db.write_quick(self._fenced, change)

    def leave_queue(self) -> None:
        """Count no longer as running, so that the commit that ends this job can claim the next one; safe twice."""
        self.in_flight.discard(self)

    def finish(self, tx: WriteTx, outcome: RunOutcome) -> bool:
        """End the lease and record its outcome for the provider; False, with nothing changed, if it is lost.

        A provider that is down stops its queue; a probe that succeeded starts it again. A failure that is the
        provider's and not the job's is not charged.
        """
        lease, now = self.lease, self.clock.now()
        if outcome.is_provider_failure and circuit_breaker.is_ill(
            tx, lease.queue, lease.job_id, outcome.code, now=now
        ):
            outcome = replace(outcome, end=End.POSTPONED, is_provider_down=True)
        is_exhausted = outcome.is_provider_failure and outcome.wait_ms is not None
        if outcome.is_provider_down or is_exhausted:
            retry_at = circuit_breaker.open_breaker(
                tx, lease.queue, lease.job_id, retry_after_ms=outcome.wait_ms, now=now
            )
            wait = clock.ms_to_instant(retry_at) - now
            outcome = replace(outcome, wait_ms=max(int(wait / timedelta(milliseconds=1)), 0))
            # Earlier attempts may have been given back while it ran.
            attempts = tx.value(_ATTEMPTS, (lease.job_id,))
            if attempts is None:
                return False  # the lease was lost, and then the row was deleted
            lease = lease._replace(attempts=attempts)
        elif self.is_probe or outcome.end is End.COMPLETED:
            self._note_answer(tx, outcome.end is End.COMPLETED, now)
        return transitions.finish(tx, lease, outcome, now=now)

    def is_buried_by(self, outcome: RunOutcome) -> bool:
        """Return whether the job is dead after this end."""
        is_last = self.lease.attempts >= self.lease.max_attempts
        buries = outcome.end in (End.PERMANENT, End.CANCELLED)
        return buries or (outcome.end is End.FAILED and is_last)

    def _complete_with(self, tx: WriteTx, effects: Callable[[WriteTx], T]) -> T:
        now = self.clock.now()
        if not transitions.complete(tx, self.lease.job_id, self.lease.token, now=now):
            metrics.FENCED.inc()
            raise LeaseLost(job_id=self.lease.job_id)
        value = effects(tx)
        if isinstance(value, dict):
            transitions.record_result(tx, self.lease.job_id, value)
        # A job that was skipped has asked no provider.
        self._note_answer(tx, not (isinstance(value, dict) and "skipped" in value), now)
        return value

    def _note_answer(self, tx: WriteTx, has_answer: bool, now: datetime) -> None:
        """Note whether this run has heard from the provider: a probe that has not lets another one go."""
        if self.is_probe and has_answer:
            circuit_breaker.close_breaker(tx, self.lease.queue, now=now)
        elif self.is_probe:
            circuit_breaker.probe_lost(tx, self.lease.queue, self.lease.job_id, now=now)
        elif has_answer:
            circuit_breaker.note_answer(tx, self.lease.queue, now=now)

    def _fenced(self, tx: WriteTx, change: Callable[[WriteTx], T]) -> T:
        if not transitions.is_held(tx, self.lease.job_id, self.lease.token):
            metrics.FENCED.inc()
            raise LeaseLost(job_id=self.lease.job_id)
        return change(tx)
