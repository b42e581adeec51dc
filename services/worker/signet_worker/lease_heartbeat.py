"""Extend the leases of this process: one thread, one statement for all of them.

A lease that is not extended is lost: the job's `lost` becomes true and its writes are refused.
"""

import threading
from collections.abc import Iterable

from signet.clock import Clock
from signet.db import Database
from signet.errors import SignetError
from signet.observe import logs
from signet.queue import transitions
from signet.queue.job_context import JobContext
from signet.queue.retry import End, RunOutcome

log = logs.get("pipeline")

#: Maximum interval: a cancel is noticed at the next beat, so it beats faster than a long lease needs.
LONGEST_BEAT_MS = 5_000

_RELEASED = RunOutcome(end=End.RELEASED)
TIMED_OUT = RunOutcome(end=End.FAILED, code="timeout", error="did not end within its time limit")


class LeaseHeartbeat:
    """Every job of this process between claim and end; thread-safe."""

    def __init__(self, db: Database, owner: str, *, lease_ms: int, clock: Clock) -> None:
        self._db = db
        self._owner = owner
        self._lease_ms = lease_ms
        self._clock = clock
        self._jobs: dict[str, JobContext] = {}
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._every_seconds = min(lease_ms / 3, LONGEST_BEAT_MS) / 1000
        self._thread = threading.Thread(target=self._beat, name="lease-heartbeat", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def add(self, jobs: Iterable[JobContext]) -> None:
        """Extend the leases of these jobs from now on."""
        with self._lock:
            self._jobs.update((job.lease.job_id, job) for job in jobs)

    def drop(self, job: JobContext) -> None:
        with self._lock:
            if self._jobs.get(job.lease.job_id) is job:
                del self._jobs[job.lease.job_id]

    def jobs(self) -> list[JobContext]:
        with self._lock:
            return list(self._jobs.values())

    def extend(self) -> None:
        """Extend all leases once; mark the jobs that lost theirs and those to be cancelled."""
        with self._lock:
            mine = dict(self._jobs)
        if not mine:
            return
        kept = self._db.write_quick(
            transitions.extend,
            list(mine),
            owner=self._owner,
            monotonic_ms=self._clock.monotonic_ms(),
            lease_ms=self._lease_ms,
        )
        for job_id, job in mine.items():
            token, cancelled = kept.get(job_id, (None, False))
            job.lost = job.lost or (token != job.lease.token and not job.is_finished)
            job.cancelled = job.cancelled or cancelled

    def release_all(self) -> int:
        """End every held lease and return the number; runs that continue can write nothing more."""
        jobs = self.jobs()
        for job in jobs:
            job.lost = True
            try:
                self._db.write_quick(job.finish, TIMED_OUT if job.is_over_time else _RELEASED)
            except SignetError as error:  # the rescuer ends it when this process is gone
                log.warning("job.release_failed", job_id=job.lease.job_id, code=error.code)
            self.drop(job)
        return len(jobs)

    def stop(self) -> None:
        """End the thread; held leases are not touched."""
        self._stop.set()
        self._thread.join()

    def _beat(self) -> None:
        while not self._stop.wait(self._every_seconds):
            try:
                self.extend()
            except Exception as error:  # busy or full disk: the leases last for two more beats
                log.warning("lease.not_extended", error=type(error).__name__)
            for job in self.jobs():
                again, job.write_again = job.write_again, None
                if again is not None:
                    again()
