"""Pause and resume queues: workers finish what they run and take nothing new from a paused queue. Survives restarts."""

from datetime import datetime
from typing import NamedTuple

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.errors import Conflict, Invalid
from signet.queue.enqueue import DUE
from signet.queue.kinds import QUEUES

#: Names every queue at once.
ALL = "all"

#: A second pause keeps the time and the name of the first.
_PAUSE = """
INSERT INTO queue_control (name, paused, updated_at, updated_by) VALUES (?, 1, ?, ?)
ON CONFLICT (name) DO UPDATE SET paused = 1, updated_at = excluded.updated_at, updated_by = excluded.updated_by
 WHERE paused = 0"""
_RESUME = "DELETE FROM queue_control WHERE name = ?1 OR ?1 = 'all'"
_PAUSES = """
SELECT name AS queue, updated_at AS since, updated_by AS "by" FROM queue_control WHERE paused = 1
 ORDER BY name <> 'all', name"""
_NAMES = "SELECT name FROM queue_control WHERE paused = 1"


class Pause(NamedTuple):
    """A queue that takes no jobs (`ALL` for every queue), since when (ISO text), and who paused it."""

    queue: str
    since: str
    by: str | None

    @property
    def described(self) -> str:
        """Return the pause in words, with local date and time."""
        name = "all queues are" if self.queue == ALL else f"queue {self.queue} is"
        since = clock.parse(self.since).astimezone().strftime("%Y-%m-%d %H:%M")
        return f"{name} paused since {since}" + (f" by {self.by}" if self.by else "")


def pause(tx: WriteTx, queue: str = ALL, *, now: datetime, actor: str) -> None:
    """Pause one queue or all; raises Invalid for an unknown queue."""
    _check(queue)
    tx.run(_PAUSE, (queue, clock.to_text(now), actor))
    tx.signal(DUE)


def resume(tx: WriteTx, queue: str = ALL) -> None:
    """Resume one queue, or all and with them those that were paused one by one.

    Raises Invalid for an unknown queue, and Conflict for one queue while all are paused.
    """
    _check(queue)
    if queue != ALL and is_paused(tx):
        raise Conflict("All queues are paused. Resume all: signet jobs resume", "all_paused")
    tx.run(_RESUME, (queue,))
    tx.signal(DUE)


def pauses(tx: ReadTx) -> list[Pause]:
    """Return the pauses that hold, that of all queues first."""
    return tx.rows(Pause, _PAUSES)


def is_paused(tx: ReadTx) -> bool:
    return any(one.queue == ALL for one in pauses(tx))


def paused_queues(tx: ReadTx) -> frozenset[str]:
    """Return the names of the queues that take no jobs."""
    names = frozenset(name for (name,) in tx.tuples(_NAMES))
    return frozenset(QUEUES) | names if ALL in names else names


def _check(queue: str) -> None:
    if queue != ALL and queue not in QUEUES:
        raise Invalid(f"No queue is called {queue!r}. Queues: {', '.join(QUEUES)}", "unknown_queue")
