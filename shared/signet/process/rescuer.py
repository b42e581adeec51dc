"""Release the jobs of dead and hanging processes.

One thread per process waits for that process's kernel lock, without polling, and gets it at the moment of death. Leases
that a living process did not extend expire by the monotonic clock. A missing lock file proves nothing, so those leases
expire by time, too, unless a server knows which processes of other hosts have ended (coordination.py).
"""

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

from signet import clock
from signet.clock import Clock
from signet.db import Database, processes
from signet.db.processes import Process
from signet.observe import logs
from signet.process import liveness
from signet.queue import transitions

log = logs.get("scheduler")


class Rescuer:
    """Watches every announced process."""

    def __init__(
        self,
        db: Database,
        runtime_dir: Path,
        own: str,
        *,
        has_ended: Callable[[str], bool | None] = lambda owner: None,
        clock: Clock = clock.SYSTEM,
    ) -> None:
        """`has_ended` and the clock of leases are those of a `Coordination`."""
        self._db = db
        self._runtime_dir = runtime_dir
        self._own = own
        self._has_ended = has_ended
        self._clock = clock
        self._watched: set[str] = set()

    def poll(self) -> None:
        """Start watching new processes."""
        for row in self._db.read(processes.every):
            owner = row.owner
            if owner == self._own or owner in self._watched:
                continue
            if (has_ended := self._has_ended_elsewhere(owner)) is not None:
                if has_ended:
                    self._bury(owner)
                    log.info("process.gone", process_kind=row.kind, owner=owner)
                continue
            watch = threading.Thread(
                target=self._watch, args=(row,), name=f"watch-{row.kind}", daemon=True
            )
            self._watched.add(owner)
            try:
                watch.start()
            except RuntimeError:  # no thread available: retried at the next call
                self._watched.discard(owner)
                raise

    def end_expired(self) -> None:
        """End leases that were not extended in time."""
        expired = partial(
            transitions.reap_expired, monotonic_ms=self._clock.monotonic_ms(), now=clock.now()
        )
        while self._db.write(expired) == transitions.REAP_BATCH:
            continue

    def forget_unlocked(self) -> None:
        """Remove the rows of processes that have no lock file, do not run, and hold no lease."""
        for row in self._db.read(processes.every):
            owner = row.owner
            is_gone = liveness.is_alive(self._runtime_dir, owner) is None
            if is_gone and self._has_ended(owner) is not None:
                continue  # `poll` asks again
            if owner != self._own and is_gone and not liveness.lives(self._runtime_dir, row):
                self._db.write(processes.remove_idle, owner)
                self._watched.discard(owner)

    def _has_ended_elsewhere(self, owner: str) -> bool | None:
        """Return whether a process of another host has ended; None for one whose lock file is here."""
        if liveness.is_alive(self._runtime_dir, owner) is not None:
            return None
        return self._has_ended(owner)

    def _watch(self, row: Process) -> None:
        owner = row.owner
        try:
            if not liveness.wait_for_death(self._runtime_dir, owner, row.lock_inode):
                return
            self._bury(owner)
        except Exception as error:  # retried at the next call
            log.warning("process.burial_failed", owner=owner, error=type(error).__name__)
            self._watched.discard(owner)
            return
        log.info("process.gone", process_kind=row.kind, pid=row.pid, owner=owner)

    def _bury(self, owner: str) -> None:
        while (
            self._db.write(transitions.reap_owner, owner, now=clock.now()) == transitions.REAP_BATCH
        ):
            continue
        self._db.write(processes.remove, owner)
        liveness.lock_path(self._runtime_dir, owner).unlink(missing_ok=True)
