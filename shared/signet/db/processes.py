"""SQL of `processes`: the registered processes of a daemon."""

from typing import NamedTuple

from signet.db.transaction import ReadTx, WriteTx

_INSERT = """
INSERT INTO processes (owner, kind, pid, started_at, beat_ms, lock_inode, busy, queues)
VALUES (?, ?, ?, ?, ?, ?, 0, ?)"""
_ALL = "SELECT owner, kind, pid, started_at, lock_inode, queues FROM processes ORDER BY started_at"
_REMOVE = "DELETE FROM processes WHERE owner = ?"
_REMOVE_IDLE = """
DELETE FROM processes WHERE owner = ?
   AND NOT EXISTS (SELECT 1 FROM memory_jobs WHERE lease_owner = processes.owner AND status = 'leased')"""


class Process(NamedTuple):
    """A process: the owner name of its leases, its role, and the inode of its lock file."""

    owner: str
    kind: str
    pid: int
    started_at: str
    lock_inode: int
    queues: str


def insert(tx: WriteTx, process: Process, *, beat_ms: int) -> None:
    """Register a process; `beat_ms` is the monotonic clock."""
    owner, kind, pid, started_at, lock_inode, queues = process
    tx.run(_INSERT, (owner, kind, pid, started_at, beat_ms, lock_inode, queues))


def every(tx: ReadTx) -> list[Process]:
    """Return every registered process, the oldest first."""
    return tx.rows(Process, _ALL)


def remove(tx: WriteTx, owner: str) -> None:
    tx.run(_REMOVE, (owner,))


def remove_idle(tx: WriteTx, owner: str) -> None:
    """Delete the row of a process unless it still holds leases."""
    tx.run(_REMOVE_IDLE, (owner,))
