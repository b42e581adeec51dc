"""Claim due jobs for this process inside the writer's transactions, and pass them to the threads of their queues.

The dispatcher is a commit hook of the writer: the commit that ends the last jobs claims the next ones. It claims no
more than this process can start: a queue's concurrency, and a few more while jobs are quick, so that threads do not
wait for the next commit. It learns of due jobs from notifications, from a timer at the next due time and from `PRAGMA
data_version` once a second.
"""

import queue as memory_queue
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from signet import clock
from signet.clock import Clock
from signet.db import Database, ReadTx, WriteTx
from signet.db.commits import Commits
from signet.db.driver import sqlite
from signet.observe import metrics
from signet.queue import circuit_breaker, pauses, transitions
from signet.queue.job_context import JobContext
from signet.queue.transitions import Lease
from signet.queue.wakeup import Listener
from signet_worker.lease_heartbeat import LeaseHeartbeat

#: Maximum sleep without due jobs, and maximum delay after a lost notification.
LOOK_SECONDS = 1.0
#: While a queue's mean job is shorter than this, one batch more than its concurrency is claimed.
QUICK_SECONDS = 0.05
#: Weight of the newest job in the running mean.
MEAN_WEIGHT = 0.05


@dataclass(slots=True)
class Lane:
    """One queue in this process."""

    name: str
    concurrency: int
    #: Claimed jobs that were not fetched; None ends a wait.
    ready: "memory_queue.SimpleQueue[JobContext | None]" = field(
        default_factory=memory_queue.SimpleQueue
    )
    in_flight: set[JobContext] = field(default_factory=set)
    maybe_due: bool = True
    due_at_ms: int | None = None
    mean_seconds: float = QUICK_SECONDS

    def room(self) -> int:
        """Return how many jobs may be claimed now."""
        factor = 4 if self.mean_seconds < QUICK_SECONDS / 4 else 1
        ahead = self.concurrency * factor if self.mean_seconds < QUICK_SECONDS else 0
        return self.concurrency + ahead - len(self.in_flight)


class Dispatcher:
    """Moves due jobs from the table to the threads of this process."""

    def __init__(
        self,
        db: Database,
        listener: Listener,
        *,
        owner: str,
        concurrency: Mapping[str, int],
        lease_ms: int,
        clock: Clock = clock.SYSTEM,
    ) -> None:
        """`concurrency` is the number of concurrent jobs per queue; other queues are ignored."""
        self._db = db
        self._wakeup = listener
        self._owner = owner
        self._lease_ms = lease_ms
        self._clock = clock
        self._lanes = {name: Lane(name, count) for name, count in concurrency.items()}
        self._claimed: list[JobContext] = []
        self._running = False
        self.concurrency = concurrency
        self.heartbeat = LeaseHeartbeat(db, owner, lease_ms=lease_ms, clock=clock)
        self._thread = threading.Thread(target=self._listen, name="dispatcher", daemon=True)

    # -- life -----------------------------------------------------------------------------------

    def start(self) -> None:
        self._running = True
        self.heartbeat.start()
        self._db.writer.add_hook(self)
        self._thread.start()

    def stop_claiming(self) -> None:
        """Claim no new jobs; those already claimed can be fetched or released."""
        self._running = False
        self._wakeup.nudge()

    def stop(self) -> None:
        """Stop claiming and end the threads; held leases are not touched."""
        self.stop_claiming()
        self._thread.join()
        self.heartbeat.stop()

    def is_alive(self) -> bool:
        """Return whether the wake-up and heartbeat threads are running."""
        return self._thread.is_alive() and self.heartbeat.is_alive()

    # -- threads --------------------------------------------------------------------------------

    def is_idle(self) -> bool:
        return not any(lane.in_flight for lane in self._lanes.values())

    def fetch(self, queue: str, timeout_seconds: float) -> JobContext | None:
        """Return the next claimed job of a queue, None after the timeout or when the wait was ended."""
        try:
            return self._lanes[queue].ready.get(timeout=timeout_seconds)
        except memory_queue.Empty:
            return None

    def end_wait(self, queue: str) -> None:
        """End the current or next wait of one thread in `fetch`."""
        self._lanes[queue].ready.put(None)

    def note_seconds(self, queue: str, seconds: float) -> None:
        """Record a job's duration for the read-ahead of its queue."""
        lane = self._lanes[queue]
        lane.mean_seconds += (seconds - lane.mean_seconds) * MEAN_WEIGHT

    def poke(self) -> None:
        """Check for due jobs now."""
        for lane in self._lanes.values():
            lane.maybe_due = True
        self._db.writer.wake()

    # -- commit hook of the writer ----------------------------------------------------------------

    def wants_commit(self, tx: ReadTx) -> bool:
        """Return whether a queue with capacity has a due job; one cheap read."""
        if not self._running:
            return False
        paused = pauses.paused_queues(tx)  # the end of a pause wakes us
        wall = self._clock.wall_ms()
        for lane in self._lanes.values():
            if lane.maybe_due and lane.room() > 0 and lane.name not in paused:
                # Before the check: a notification that arrives now must not be overwritten.
                lane.maybe_due = False
                try:
                    due = transitions.next_due_ms(tx, lane.name)
                except Exception:
                    lane.maybe_due = True
                    raise
                if due is not None and due <= wall:
                    lane.maybe_due = True
                    return True
                self._set_timer(lane, due)
        return False

    def before_commit(self, tx: WriteTx) -> None:
        """Claim jobs for every queue with capacity that may have due ones."""
        if not self._running:
            return
        paused = pauses.paused_queues(tx)
        for lane in self._in_turn(tx):
            room = lane.room()
            if lane.maybe_due and room > 0 and lane.name not in paused:
                lane.maybe_due = False
                claimed, again_at = self._claim(tx, lane, room)
                if claimed == room:
                    lane.maybe_due = True
                else:
                    self._set_timer(lane, again_at or transitions.next_due_ms(tx, lane.name))

    def after_commit(self, committed: bool) -> None:
        """Pass on the claimed jobs, or drop them if the transaction was rolled back."""
        claimed, self._claimed = self._claimed, []
        if not committed:
            for lane in self._lanes.values():
                lane.maybe_due = True  # the disk refused; the listener retries within a second
            return
        if not claimed:
            return
        wall = self._clock.wall_ms()
        self.heartbeat.add(claimed)
        for job in claimed:
            job.in_flight.add(job)
        for job in claimed:
            self._lanes[job.lease.queue].ready.put(job)
        for job in claimed:
            waited = max(wall - job.lease.due_ms, 0) / 1000
            metrics.labelled(metrics.JOB_ATTEMPTS, job.lease.kind).inc()
            metrics.labelled(metrics.JOB_WAIT, job.lease.kind).observe(waited)

    def _claim(self, tx: WriteTx, lane: Lane, room: int) -> tuple[int, int | None]:
        """Claim what the breaker allows; return the number, and when to check again (ms since 1970)."""
        wall = self._clock.wall_ms()
        allowed = circuit_breaker.allowance(tx, lane.name, room, now_ms=wall)
        if not allowed.jobs:
            return 0, allowed.again_at_ms
        leases = transitions.claim(
            tx,
            lane.name,
            allowed.jobs,
            owner=self._owner,
            now=self._clock.now(),
            monotonic_ms=self._clock.monotonic_ms(),
            lease_ms=self._lease_ms,
            is_probe=allowed.is_probe,
        )
        self._claimed += [self._context(lease, lane, allowed.is_probe) for lease in leases]
        if not (allowed.is_probe and leases):
            return len(leases), allowed.again_at_ms
        probe = leases[0].job_id
        return len(leases), circuit_breaker.note_probe(tx, lane.name, probe, now_ms=wall)

    def _context(self, lease: Lease, lane: Lane, is_probe: bool) -> JobContext:
        return JobContext(
            lease=lease, db=self._db, clock=self._clock, in_flight=lane.in_flight, is_probe=is_probe
        )

    def _in_turn(self, tx: ReadTx) -> list[Lane]:
        """Return the lanes; of those that share a breaker, the one with the next probe first."""
        lanes = list(self._lanes.values())
        if circuit_breaker.is_any_open(tx):
            wall = self._clock.wall_ms()

            def turn(lane: Lane) -> tuple[bool, int]:
                is_fresh = transitions.has_due_fresh(tx, lane.name, wall_ms=wall)
                return not is_fresh, transitions.next_due_ms(tx, lane.name) or 0

            lanes.sort(key=turn)
        return lanes

    def _set_timer(self, lane: Lane, due_ms: int | None) -> None:
        if due_ms is not None and due_ms <= self._clock.wall_ms():
            due_ms = None  # due but not claimable now (a suspect): retry at the next check
            lane.maybe_due = True
        sooner = due_ms is not None and (lane.due_at_ms is None or due_ms < lane.due_at_ms)
        lane.due_at_ms = due_ms
        if sooner:
            self._wakeup.nudge()

    # -- wake-up ----------------------------------------------------------------------------------

    def _listen(self) -> None:
        """Wait for notifications, due times and other programs' commits; wake the writer."""
        watcher = self._db.commits()
        try:
            # Always read the version before the poke: later commits are noticed by the next check.
            seen = self._version(watcher)
            self.poke()
            looked = time.monotonic()
            while self._running:
                by = "bell" if self._wakeup.wait(self._sleep_seconds()) else None
                if by is None and self._timer_rang():
                    by = "timer"
                if time.monotonic() - looked >= LOOK_SECONDS:
                    looked = time.monotonic()
                    last, seen = seen, self._version(watcher)
                    waits = any(lane.maybe_due for lane in self._lanes.values())
                    by = by or ("data_version" if seen != last or waits else None)
                if by is not None:
                    metrics.WAKE.labels(by).inc()
                    self.poke()
        finally:
            watcher.close()

    @staticmethod
    def _version(watcher: Commits) -> int | None:
        """Return the version of the data, None while it cannot be read."""
        try:
            return watcher.version()
        except sqlite.Error:
            return None

    def _sleep_seconds(self) -> float:
        wall = self._clock.wall_ms()
        dues = [due for lane in self._lanes.values() if (due := lane.due_at_ms) is not None]
        soonest = min((max(due - wall, 1) / 1000 for due in dues), default=LOOK_SECONDS)
        return min(soonest, LOOK_SECONDS)

    def _timer_rang(self) -> bool:
        """Return whether a due time has passed, and clear it: the next check sets a new one."""
        wall, rang = self._clock.wall_ms(), False
        for lane in self._lanes.values():
            if (due := lane.due_at_ms) is not None and due <= wall:
                lane.due_at_ms, rang = None, True
        return rang
