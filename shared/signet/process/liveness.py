"""Detect which processes are alive, from the kernel instead of a timeout.

A process that holds leases creates `<runtime dir>/proc/<owner>.lock` and keeps an exclusive `flock` on it. The kernel
drops the lock at any kind of death, while a stopped or swapped process keeps it. A process that gets the lock knows
that the owner is dead. A *missing* lock file proves nothing (the folder was cleaned): then only the lease time decides.

The lock is inherited by fork, so processes start other programs by exec only (the descriptor is close-on-exec).
"""

import contextlib
import fcntl
import os
from datetime import datetime
from pathlib import Path

from signet import clock, ids
from signet.db import Database, WriteTx, processes
from signet.db.processes import Process
from signet.errors import SignetError
from signet.process import kernel


class Presence:
    """This process's proof of life, from `announce` until `close` or death."""

    def __init__(self, runtime_dir: Path, kind: str) -> None:
        self.owner = ids.new_id()
        self.kind = kind
        self.path = lock_path(runtime_dir, self.owner)
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def announce(self, tx: WriteTx, *, now: datetime, queues: str = "") -> None:
        """Insert this process's row."""
        process = Process(
            owner=self.owner,
            kind=self.kind,
            pid=os.getpid(),
            started_at=clock.to_text(now),
            lock_inode=os.fstat(self._file).st_ino,
            queues=queues,
        )
        processes.insert(tx, process, beat_ms=clock.monotonic_ms())

    def withdraw(self, db: Database) -> None:
        """Remove this process's row; if writing fails, the next process removes it."""
        with contextlib.suppress(SignetError):
            db.write(processes.remove, self.owner)

    def close(self) -> None:
        """Give up the proof of life; leases still held by this owner may now be ended by any process."""
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()
        os.close(self._file)


def lock_path(runtime_dir: Path, owner: str) -> Path:
    return runtime_dir / "proc" / f"{owner}.lock"


def is_alive(runtime_dir: Path, owner: str) -> bool | None:
    """Return whether the owner is alive, None if its lock file is missing or cannot be opened; never waits."""
    try:
        file = os.open(lock_path(runtime_dir, owner), os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(file)


def lives(runtime_dir: Path, process: Process) -> bool:
    """Return whether a process is alive, by its lock, or by its command line if the lock file is missing."""
    by_lock = is_alive(runtime_dir, process.owner)
    if by_lock is not None:
        return by_lock
    return f"signet_{process.kind}.main" in kernel.command_line(process.pid)


def holds(runtime_dir: Path, process: Process) -> bool:
    """Return whether a process of this machine holds its lock."""
    return bool(is_alive(runtime_dir, process.owner))


def wait_for_death(runtime_dir: Path, owner: str, inode: int) -> bool:
    """Block until the owner's lock is free; return whether that proves its death.

    Returns False if the file is missing, cannot be opened, or is not the one the owner locked.
    """
    path = lock_path(runtime_dir, owner)
    try:
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        if os.fstat(file).st_ino != inode:
            return False
        fcntl.flock(file, fcntl.LOCK_EX)
        return True
    finally:
        os.close(file)
