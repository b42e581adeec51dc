"""Claims jobs for this process inside the writer's own transactions, and hands them out.

The dispatcher is the writer's passenger: the commit that ends the last jobs claims the next ones. It never takes more
than a process can start: free slots of the queue, and while jobs are quick a little more, so that threads do
not wait for the next commit. It learns that something may be due from the listener, from a timer at the next due
time and from `PRAGMA data_version` once a second.
"""

import queue as memory_queue
import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from signet import clock
from signet.clock import Clock
from signet.db import Database, ReadTx, WriteTx
from signet.db.driver import connect
from signet.errors import SignetError
from signet.observe import logs, metrics
from signet.queue import admin, circuit_breaker, lease
from signet.queue.job_context import Held, JobContext
from signet.queue.settle import of_unfinished, settle
from signet.queue.wakeup import Listener

log = logs.get("pipeline")

#: Longest sleep when nothing is due; also the worst case after a lost signal is LOOK_SECONDS.
LOOK_SECONDS = 1.0
#: While the mean job of a queue is shorter than this, one more batch than there are slots is claimed.
QUICK_SECONDS = 0.05
#: Weight of the newest job in the running mean.
MEAN_WEIGHT = 0.05


@dataclass(slots=True)
class Lane:
    """One queue as this process works on it."""

    name: str
    slots: int
    ready: "memory_queue.SimpleQueue[JobContext]" = field(default_factory=memory_queue.SimpleQueue)
    in_flight: set[str] = field(default_factory=set)
    maybe_due: bool = True
    due_at_ms: int | None = None
    mean_seconds: float = QUICK_SECONDS
    running: int = 0
    #: Runs that met no free slot; handed out again one by one as slots get free.
    parked: deque[JobContext] = field(default_factory=deque)

    def room(self) -> int:
        """Return how many jobs may be claimed now."""
        ahead = self.slots * 4 if self.mean_seconds < QUICK_SECONDS / 4 else self.slots
        allowed = self.slots + (ahead if self.mean_seconds < QUICK_SECONDS else 0)
        return allowed - len(self.in_flight)


class Dispatcher:
    """Moves due jobs from the table to the threads of this process."""

    def __init__(
        self,
        db: Database,
        listener: Listener,
        *,
        owner: str,
        slots: Mapping[str, int],
        lease_ms: int,
        clock: Clock = clock.SYSTEM,
    ) -> None:
        self._db = db
        self._wakeup = listener
        self._owner = owner
        self._lease_ms = lease_ms
        self._clock = clock
        self._lanes = {name: Lane(name, count) for name, count in slots.items()}
        self._lock = threading.Lock()
        self._claimed: list[JobContext] = []
        self._running = False
        self.held = Held(db, owner, lease_ms=lease_ms, clock=clock)
        self._listener = threading.Thread(target=self._listen, name="queue-bell", daemon=True)

    # -- life -----------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to claim."""
        self._running = True
        self.held.start()
        self._db.writer.add_hook(self)
        self._listener.start()

    def stop_claiming(self) -> None:
        """Take no new jobs; those already claimed can be fetched or given back."""
        self._running = False
        self._wakeup.nudge()

    def stop(self) -> None:
        """Stop claiming and end the threads; leases still held are not touched."""
        self.stop_claiming()
        self._listener.join()
        self.held.stop()

    def give_back(self) -> int:
        """End every lease that is still held and return how many; what runs on can write nothing more."""
        runs = self.held.runs()
        for run in runs:
            run.lost = True
            try:
                self._db.write_quick(settle, run, of_unfinished(run))
            except SignetError as error:  # the kernel will tell that this process is gone
                log.warning("job.not_given_back", job_id=run.lease.job_id, code=error.code)
            self.held.drop(run)
        return len(runs)

    # -- threads --------------------------------------------------------------------------------

    def fetch(self, queue: str, timeout_seconds: float) -> JobContext | None:
        """Return the next claimed run of a queue, None when there is none in time."""
        try:
            return self._lanes[queue].ready.get(timeout=timeout_seconds)
        except memory_queue.Empty:
            return None

    def take_slot(self, run: JobContext) -> bool:
        """Take a slot for a run; False when all are taken: it is handed out again when one is free.

        More are handed out than may run, because a thread that finds its next job waiting takes it without
        waking another.
        """
        lane = self._lanes[run.lease.queue]
        with self._lock:
            if lane.running == lane.slots:
                lane.parked.append(run)
                return False
            lane.running += 1
            run.has_slot = True
            return True

    def ran(self, run: JobContext, seconds: float) -> None:
        """Note how long a run took, for the read-ahead of its queue."""
        lane = self._lanes[run.lease.queue]
        lane.mean_seconds += (seconds - lane.mean_seconds) * MEAN_WEIGHT

    def _take_back(self, run: JobContext) -> None:
        lane = self._lanes[run.lease.queue]
        with self._lock:
            lane.in_flight.discard(run.lease.job_id)
            if run.has_slot:
                run.has_slot = False
                lane.running -= 1
                if lane.parked:
                    # Not popleft: what a call returns is lost when an interrupt (deadline.py) ends it.
                    first = lane.parked[0]
                    del lane.parked[0]
                    lane.ready.put(first)

    def poke(self) -> None:
        """Look for due jobs now."""
        for lane in self._lanes.values():
            lane.maybe_due = True
        self._db.writer.wake()

    # -- passenger of the writer ------------------------------------------------------------------

    def wants_commit(self, tx: ReadTx) -> bool:
        """Return whether a queue with room has something due; one cheap read."""
        if not self._running:
            return False
        if admin.is_paused(tx):
            return False  # the end of the pause wakes us
        wall = self._clock.wall_ms()
        for lane in self._lanes.values():
            if lane.maybe_due and lane.room() > 0:
                # Before looking: a ring that comes now must not be overwritten.
                lane.maybe_due = False
                try:
                    due = lease.next_due_ms(tx, lane.name)
                except BaseException:
                    lane.maybe_due = True
                    raise
                if due is not None and due <= wall:
                    lane.maybe_due = True
                    return True
                self._set_timer(lane, due)
        return False

    def before_commit(self, tx: WriteTx) -> None:
        """Claim for every queue that has room and may have something due."""
        if not self._running or admin.is_paused(tx):
            return
        now = self._clock.now()
        for lane in self._in_turn(tx):
            room = lane.room()
            if not lane.maybe_due or room <= 0:
                continue
            lane.maybe_due = False
            allowed = circuit_breaker.allowance(tx, lane.name, room, now_ms=self._clock.wall_ms())
            leases = (
                lease.claim(
                    tx,
                    lane.name,
                    allowed.jobs,
                    owner=self._owner,
                    now=now,
                    monotonic_ms=self._clock.monotonic_ms(),
                    lease_ms=self._lease_ms,
                    is_probe=allowed.is_probe,
                )
                if allowed.jobs
                else []
            )
            again_at = allowed.again_at_ms
            if allowed.is_probe and leases:
                probe = leases[0].job_id
                again_at = circuit_breaker.note_probe(
                    tx, lane.name, probe, now_ms=self._clock.wall_ms()
                )
            for taken in leases:
                run = JobContext(
                    lease=taken,
                    db=self._db,
                    clock=self._clock,
                    take_back=self._take_back,
                    is_probe=allowed.is_probe,
                )
                self._claimed.append(run)
            if len(leases) == room:
                lane.maybe_due = True
            else:
                self._set_timer(lane, again_at or lease.next_due_ms(tx, lane.name))

    def _in_turn(self, tx: ReadTx) -> list[Lane]:
        """Return the lanes; of those behind one breaker the one first whose job is to go and see."""
        lanes = list(self._lanes.values())
        if circuit_breaker.is_any_open(tx):
            wall = self._clock.wall_ms()

            def turn(lane: Lane) -> tuple[bool, int]:
                is_fresh = lease.has_due_fresh(tx, lane.name, wall_ms=wall)
                return not is_fresh, lease.next_due_ms(tx, lane.name) or 0

            lanes.sort(key=turn)
        return lanes

    def after_commit(self, committed: bool) -> None:
        """Hand out what was claimed, or forget it when the transaction was lost."""
        claimed, self._claimed = self._claimed, []
        if not committed:
            for lane in self._lanes.values():
                lane.maybe_due = True  # the disk refused; the listener looks again within a second
            return
        if not claimed:
            return
        wall = self._clock.wall_ms()
        with self._lock:
            for run in claimed:
                self._lanes[run.lease.queue].in_flight.add(run.lease.job_id)
        self.held.add(claimed)
        for run in claimed:
            self._lanes[run.lease.queue].ready.put(run)
        for run in claimed:
            waited = max(wall - run.lease.due_ms, 0) / 1000
            metrics.labelled(metrics.JOB_ATTEMPTS, run.lease.kind).inc()
            metrics.labelled(metrics.JOB_WAIT, run.lease.kind).observe(waited)

    def _set_timer(self, lane: Lane, due_ms: int | None) -> None:
        if due_ms is not None and due_ms <= self._clock.wall_ms():
            due_ms = (
                None  # due and not to be had now (no slot, a suspect): the next look tries again
            )
            lane.maybe_due = True
        sooner = due_ms is not None and (lane.due_at_ms is None or due_ms < lane.due_at_ms)
        lane.due_at_ms = due_ms
        if sooner:
            self._wakeup.nudge()

    # -- the listener ---------------------------------------------------------------------------------

    def _listen(self) -> None:
        """Wait for rings, due times and foreign commits; poke the writer. Order: arm, check, wait."""
        watcher = connect(self._db.path, read_only=True)

        def version() -> int:
            return int(watcher.execute("PRAGMA data_version").fetchone()[0])

        try:
            # The version is always read before the poke: what is committed after it is seen at the next look.
            seen = version()
            self.poke()
            looked = time.monotonic()
            while self._running:
                by = "bell" if self._wakeup.wait(self._sleep_seconds()) else None
                if by is None and self._timer_rang():
                    by = "timer"
                if time.monotonic() - looked >= LOOK_SECONDS:
                    looked = time.monotonic()
                    last, seen = seen, version()
                    waits = any(lane.maybe_due for lane in self._lanes.values())
                    by = by or ("data_version" if seen != last or waits else None)
                if by is not None:
                    metrics.WAKE.labels(by).inc()
                    self.poke()
        finally:
            watcher.close()

    def _sleep_seconds(self) -> float:
        wall = self._clock.wall_ms()
        dues = [due for lane in self._lanes.values() if (due := lane.due_at_ms) is not None]
        soonest = min((max(due - wall, 1) / 1000 for due in dues), default=LOOK_SECONDS)
        return min(soonest, LOOK_SECONDS)

    def _timer_rang(self) -> bool:
        """Return whether a due time has come, and forget it: what looks next sets a new one."""
        wall, rang = self._clock.wall_ms(), False
        for lane in self._lanes.values():
            if (due := lane.due_at_ms) is not None and due <= wall:
                lane.due_at_ms, rang = None, True
        return rang
