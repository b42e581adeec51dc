"""The leases this process holds, and what an actor sees of its own run.

One heartbeat prolongs all of them in one statement. A lease that does not come back from it is lost: the actor's
`run.lost` becomes true and nothing it writes will be accepted. `run.commit` is how an actor writes: its effects
and the completion of the job are one transaction.
"""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from signet import clock
from signet.clock import Clock
from signet.db import Database, WriteTx
from signet.errors import SignetError
from signet.observe import logs, metrics
from signet.queue import circuit_breaker, finish, lease
from signet.queue.finish import Outcome
from signet.queue.lease import Lease

T = TypeVar("T")

log = logs.get("pipeline")


class LeaseLost(SignetError):
    """Another worker has this job now; nothing was written."""

    code = "lease_lost"


class Cancelled(SignetError):
    """This job was cancelled."""

    code = "cancelled"


@dataclass(slots=True, eq=False)
class JobContext:
    """One run of one job, as its actor sees it."""

    lease: Lease
    db: Database = field(repr=False)
    clock: Clock = field(default=clock.SYSTEM, repr=False)
    #: Takes the slot of a run back. It holds no run: each would be a cycle, left for Python's collector to find.
    take_back: "Callable[[JobContext], None]" = field(default=lambda run: None, repr=False)
    has_slot: bool = False
    #: Whether this run went to see if the provider of its queue is back (see circuit_breaker.py).
    is_probe: bool = False
    lost: bool = False
    cancelled: bool = False
    expired: bool = False
    #: Set once the row has left the leased state; the broker then has nothing left to do.
    settled: bool = False
    outcome: Outcome | None = None
    #: Writes an end that could not be written; called at the next beat.
    again: Callable[[], None] | None = field(default=None, repr=False)

    def free(self) -> None:
        """Free this run's slot, so that the commit that ends it can claim the next job; safe to call twice."""
        self.take_back(self)

    def check(self) -> None:
        """Raise LeaseLost or Cancelled when this run should stop; call it between stages."""
        if self.lost:
            raise LeaseLost(job_id=self.lease.job_id)
        if self.cancelled:
            raise Cancelled(job_id=self.lease.job_id)
        if self.expired:
            raise TimeoutError(f"{self.lease.kind} ran longer than its time limit")

    def commit(self, effects: Callable[[WriteTx], T]) -> T:
        """Write the job's effects and complete it in one synced transaction; return what `effects` returns.

        A dict that comes back is kept as the job's result. Raises LeaseLost, with nothing written, when the
        lease is not ours any more.
        """
        self.free()
        value = self.db.write(self._complete_with, effects)
        self.settled = True
        return value

    def progress(self, change: Callable[[WriteTx], T]) -> T:
        """Write something that may be seen before the job is done; raises LeaseLost when the lease is lost.

        Does not wait for the disk: what a power cut undoes, the next run of the job does again.
        """
        return self.db.write_quick(self._fenced, change)

    def _complete_with(self, tx: WriteTx, effects: Callable[[WriteTx], T]) -> T:
        now = self.clock.now()
        if not finish.complete(tx, self.lease.job_id, self.lease.token, now=now):
            metrics.FENCED.inc()
            raise LeaseLost(job_id=self.lease.job_id)
        value = effects(tx)
        if isinstance(value, dict):
            finish.record_result(tx, self.lease.job_id, value)
        # A job that was skipped has asked nobody.
        has_answer = not (isinstance(value, dict) and "skipped" in value)
        if self.is_probe:
            self.probed(tx, has_answer, now=now)
        elif has_answer:
            circuit_breaker.answered(tx, self.lease.queue, now=now)
        return value

    def probed(self, tx: WriteTx, has_answer: bool, *, now: datetime) -> None:
        """Close the breaker of the queue if this probe has heard from the provider, else let another one go."""
        if has_answer:
            circuit_breaker.close_breaker(tx, self.lease.queue, now=now)
        else:
            circuit_breaker.probe_lost(tx, self.lease.queue, self.lease.job_id, now=now)

    def _fenced(self, tx: WriteTx, change: Callable[[WriteTx], T]) -> T:
        if not lease.is_held(tx, self.lease.job_id, self.lease.token):
            metrics.FENCED.inc()
            raise LeaseLost(job_id=self.lease.job_id)
        return change(tx)


class Held:
    """Every run of this process between claim and end; for all threads."""

    def __init__(self, db: Database, owner: str, *, lease_ms: int, clock: Clock) -> None:
        self._db = db
        self._owner = owner
        self._lease_ms = lease_ms
        self._clock = clock
        self._runs: dict[str, JobContext] = {}
        self._lock = threading.Lock()
        self._stop = threading.Event()
        #: A cancel is noticed at the next beat, so it beats faster than a long lease would need.
        self._every = min(lease_ms / 3, 5_000) / 1000
        self._thread = threading.Thread(target=self._beat, name="lease-heartbeat", daemon=True)

    def start(self) -> None:
        """Start the heartbeat."""
        self._thread.start()

    def add(self, runs: Iterable[JobContext]) -> None:
        """Keep the leases of these runs alive."""
        with self._lock:
            self._runs.update((run.lease.job_id, run) for run in runs)

    def drop(self, run: JobContext) -> None:
        """Stop keeping the lease of this run alive."""
        with self._lock:
            if self._runs.get(run.lease.job_id) is run:
                del self._runs[run.lease.job_id]

    def runs(self) -> list[JobContext]:
        """Return every run that is held."""
        with self._lock:
            return list(self._runs.values())

    def extend(self) -> None:
        """Prolong all leases once and tell the runs that lost theirs or are to be cancelled."""
        with self._lock:
            mine = dict(self._runs)
        if not mine:
            return
        kept = self._db.write_quick(
            lease.extend,
            list(mine),
            owner=self._owner,
            monotonic_ms=self._clock.monotonic_ms(),
            lease_ms=self._lease_ms,
        )
        for job_id, run in mine.items():
            token, cancelled = kept.get(job_id, (None, False))
            run.lost = run.lost or (token != run.lease.token and not run.settled)
            run.cancelled = run.cancelled or cancelled

    def stop(self) -> None:
        """End the heartbeat."""
        self._stop.set()
        self._thread.join()

    def _beat(self) -> None:
        while not self._stop.wait(self._every):
            try:
                self.extend()
            except Exception as error:  # busy or full disk: the leases last for two more beats
                log.warning("lease.not_extended", error=type(error).__name__)
            for run in self.runs():
                again, run.again = run.again, None
                if again is not None:
                    again()
