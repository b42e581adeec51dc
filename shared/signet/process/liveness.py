"""Who is alive, seen from the kernel and not from a timeout.

A process that holds leases creates `<runtime dir>/proc/<owner>.lock` and keeps an exclusive `flock` on it. The
kernel drops the lock at any kind of death, while a stopped or swapped process keeps it. Whoever gets the lock
knows that the owner is gone. A *missing* lock file proves nothing (somebody cleaned the folder): then only the
lease time decides.

The lock is inherited by fork, so processes start other programs by exec only (the descriptor is close-on-exec).
"""

import contextlib
import fcntl
import os
from datetime import datetime
from pathlib import Path

from signet import clock, ids
from signet.db import ReadTx, Row, WriteTx

_INSERT = """
INSERT INTO processes (owner, kind, pid, started_at, beat_ms, lock_inode, busy, queues)
VALUES (?, ?, ?, ?, ?, ?, 0, ?)"""
_ALL = "SELECT owner, kind, pid, started_at, lock_inode, queues FROM processes ORDER BY started_at"
_REMOVE = "DELETE FROM processes WHERE owner = ?"
_REMOVE_IDLE = """
DELETE FROM processes WHERE owner = ?
   AND NOT EXISTS (SELECT 1 FROM memory_jobs WHERE lease_owner = processes.owner AND status = 'leased')"""


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
        inode = os.fstat(self._file).st_ino
        started = clock.to_text(now)
        tx.run(
            _INSERT,
            (self.owner, self.kind, os.getpid(), started, clock.monotonic_ms(), inode, queues),
        )

    def close(self) -> None:
        """Give up the proof of life; leases still held by this owner may now be ended by anybody."""
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()
        os.close(self._file)


def lock_path(runtime_dir: Path, owner: str) -> Path:
    """Return the lock file of an owner."""
    return runtime_dir / "proc" / f"{owner}.lock"


def processes(tx: ReadTx) -> list[Row]:
    """Return the row of every process that has announced itself and not been removed."""
    return tx.all(_ALL)


def remove(tx: WriteTx, owner: str) -> None:
    """Forget a process."""
    tx.run(_REMOVE, (owner,))


def remove_idle(tx: WriteTx, owner: str) -> None:
    """Forget a process unless it still holds leases."""
    tx.run(_REMOVE_IDLE, (owner,))


def is_alive(runtime_dir: Path, owner: str) -> bool | None:
    """Return whether the owner lives, None when its lock file is missing; never waits."""
    try:
        file = os.open(lock_path(runtime_dir, owner), os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(file)


def wait_for_death(runtime_dir: Path, owner: str, inode: int) -> bool:
    """Block until the owner's lock is free; return whether that proves its death.

    False when the file is missing or is not the one the owner locked.
    """
    path = lock_path(runtime_dir, owner)
    try:
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        if os.fstat(file).st_ino != inode:
            return False
        fcntl.flock(file, fcntl.LOCK_EX)
        return True
    finally:
        os.close(file)
