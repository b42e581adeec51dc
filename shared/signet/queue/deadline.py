"""End a run that takes longer than its kind allows, without ever hitting the wrong code.

First a flag that the actor looks at between stages (`run.expired`), then, after a grace, an exception raised
inside its thread. An interrupt that landed after the actor had returned would end the worker thread for good, so
it is sent only under a lock while the run is marked as running, and leaving a run takes the same lock and absorbs
an interrupt that has not been delivered. A thread that is stuck in C code cannot be interrupted; `stuck` tells, and
the process then restarts itself. The stuck job is charged its attempt.
"""

import ctypes
import threading
import time
from dataclasses import dataclass, field

from signet.queue.job_context import JobContext
from signet.queue.kinds import KINDS

#: After the flag, how long an actor has to notice it before it is interrupted; then how long until its
#: thread is written off.
GRACE_SECONDS = 5.0
STUCK_SECONDS = 30.0
DEFAULT_LIMIT_SECONDS = 300
_TICK_SECONDS = 0.5


class DeadlineExceeded(BaseException):
    """The run took longer than its kind allows. Not an Exception, so that no actor swallows it."""


@dataclass(slots=True, eq=False)
class Watch:
    """One run under watch."""

    run: JobContext
    thread: int
    limit_at: float
    interrupted: bool = False
    done: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)


class Deadlines:
    """Watches the runs of one process."""

    def __init__(self) -> None:
        self._watches: set[Watch] = set()
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="deadlines", daemon=True)

    def start(self) -> None:
        """Start watching."""
        self._thread.start()

    def stop(self) -> None:
        """Stop watching."""
        self._stop.set()
        self._thread.join()

    def enter(self, run: JobContext) -> Watch:
        """Watch the run that the calling thread starts now, until `leave`."""
        kind = KINDS.get(run.lease.kind)
        limit = kind.time_limit_seconds if kind else DEFAULT_LIMIT_SECONDS
        watch = Watch(run, threading.get_ident(), time.monotonic() + limit)
        with self._lock:
            self._watches.add(watch)
        return watch

    def leave(self, watch: Watch) -> None:
        """Stop watching; absorbs an interrupt that is still on its way. Called by the watched thread."""
        is_flushed = False
        while True:
            try:
                with watch.lock:
                    watch.done = True
                with self._lock:
                    self._watches.discard(watch)
                if watch.interrupted and not is_flushed:
                    is_flushed = True
                    # A new one takes the place of one that is on its way. To withdraw that (NULL) would leave the
                    # interpreter looking for it at each step, in every thread, until there is another.
                    _interrupt(watch.thread)
                    while True:  # it arrives at the next step
                        pass
                return
            except DeadlineExceeded:
                continue

    def forget(self) -> None:
        """Drop any watch of the calling thread: an interrupt at the entry of `leave` may have kept one."""
        with self._lock:
            mine = [watch for watch in self._watches if watch.thread == threading.get_ident()]
        for watch in mine:
            self.leave(watch)

    def stuck(self) -> list[JobContext]:
        """Return the runs whose threads did not react to the interrupt."""
        late = time.monotonic() - GRACE_SECONDS - STUCK_SECONDS
        with self._lock:
            return [watch.run for watch in self._watches if watch.limit_at < late]

    def _loop(self) -> None:
        while not self._stop.wait(_TICK_SECONDS):
            self.tick(time.monotonic())

    def tick(self, at: float) -> None:
        """Flag the runs over their limit at this monotonic instant (seconds), interrupt those over the grace."""
        with self._lock:
            watches = list(self._watches)
        for watch in watches:
            if at < watch.limit_at:
                continue
            watch.run.expired = True
            with watch.lock:
                if (
                    not watch.done
                    and not watch.interrupted
                    and at >= watch.limit_at + GRACE_SECONDS
                ):
                    watch.interrupted = True
                    _interrupt(watch.thread)


def _interrupt(thread: int) -> None:
    """Raise DeadlineExceeded in a thread at its next step of Python."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread), ctypes.py_object(DeadlineExceeded)
    )
