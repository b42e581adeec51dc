"""Detect events of jobs from the rows themselves: nothing is written for watchers.

An `EventWatch` reads the ends of indexes: rows that are new, leased, due or ended since its last look. The event of a
row follows from its previous and its current state (`happened`). So a job that starts and ends between two looks has
only its end as event, and a waiting job that is retried only the retry.

A cursor is the last row that a watcher knows and the time of its look. Any process can read the events after a cursor,
also after a restart; a job then has one event, its latest.
"""

import json
import re
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple, Self

from signet import clock
from signet.db import ReadTx, Row
from signet.db.dialect import LIST
from signet.queue.enqueue import BULK, NORMAL, NOW
from signet.queue.kinds import DEFAULT_QUEUE, QUEUES, JobStatus

#: Times are taken before their commit, so each read overlaps the previous one by this much.
OVERLAP = timedelta(seconds=1)
#: New rows read by one look; the next one continues after them.
NEW_ROWS = 500
#: Ended rows of one look, more than end within the overlap at any speed; a slower watcher misses some.
ENDED_ROWS = 10_000
#: Rows read in one level of one queue to find jobs put back.
BACK_ROWS = 1_000
#: Jobs that a watch remembers; they must outlast the overlap, or would be reported twice.
REMEMBERED = 4 * ENDED_ROWS

_COLUMNS = "id, rowid AS row, status, lease_token, last_error_code, updated_at, created_at"
_LAST_ROW = "SELECT COALESCE(MAX(rowid), 0) FROM memory_jobs"
_NEW = f"SELECT {_COLUMNS} FROM memory_jobs WHERE rowid > ? ORDER BY rowid LIMIT {NEW_ROWS}"
_LEASED = f"SELECT {_COLUMNS} FROM memory_jobs WHERE status = 'leased' LIMIT {ENDED_ROWS}"
_COMPLETED = f"""
SELECT {_COLUMNS} FROM memory_jobs WHERE status = 'completed' AND completed_at >= ?
 ORDER BY completed_at DESC LIMIT {ENDED_ROWS}"""
_DEAD = f"""
SELECT {_COLUMNS} FROM memory_jobs WHERE status = 'dead' AND failed_at >= ?
 ORDER BY failed_at DESC LIMIT {ENDED_ROWS}"""
#: Any change that puts a row back makes it due then or later; one that has never run counts as new.
_BACK = f"""
SELECT * FROM (SELECT {_COLUMNS} FROM memory_jobs WHERE status = 'pending' AND queue = ? AND priority = ?
                  AND due_ms >= ? ORDER BY due_ms, id LIMIT {BACK_ROWS})
 WHERE updated_at >= ? AND lease_token > 0"""
_THESE = f"SELECT {_COLUMNS} FROM memory_jobs WHERE id IN {LIST}"
_CURSOR = re.compile(r"(\d{1,18})-(\d{1,15})")


class EventType(StrEnum):
    """The events of a job; the strings are the names of events."""

    ENQUEUED = "enqueued"
    STARTED = "started"
    COMPLETED = "completed"
    RETRIED = "retried"
    DEAD = "dead"
    CANCELLED = "cancelled"


class JobEvent(NamedTuple):
    at: str
    id: str
    event: EventType


@dataclass(frozen=True, slots=True)
class EventCursor:
    """A watcher's position: the last row, and the wall clock (ms) of the look."""

    row: int
    at_ms: int

    def __str__(self) -> str:
        return f"{self.row}-{self.at_ms}"

    @classmethod
    def parse(cls, text: str | None) -> Self | None:
        """Return the cursor in a text, or None."""
        found = _CURSOR.fullmatch(text or "")
        return cls(int(found[1]), int(found[2])) if found else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """The result of one look: events in the order of their times, and the cursor after them.

    `more`: the next look has more at once. `missed`: a job ended that no look will return.
    """

    events: tuple[JobEvent, ...]
    cursor: EventCursor
    more: bool = False
    missed: bool = False


#: A watch's state of a job: its status and the token of its last lease.
_Known = tuple[str, int]


def happened(
    before: _Known | None, status: JobStatus, token: int, code: str | None
) -> EventType | None:
    """Return the event between a job's previous state (None: unknown) and this one. Pure."""
    if before == (status, token):
        return None
    match status:
        case JobStatus.LEASED:
            return EventType.STARTED
        case JobStatus.COMPLETED:
            return EventType.COMPLETED
        case JobStatus.DEAD:
            return EventType.CANCELLED if code == "cancelled" else EventType.DEAD
        case _:
            return EventType.RETRIED if token else EventType.ENQUEUED


@dataclass(slots=True)
class EventWatch:
    """Returns each event once, over many looks. For one thread."""

    cursor: EventCursor
    _known: OrderedDict[str, _Known] = field(default_factory=OrderedDict)
    _running: set[str] = field(default_factory=set)

    @classmethod
    def begin(cls, tx: ReadTx, *, now: datetime) -> Self:
        watch = cls(EventCursor(tx.value(_LAST_ROW), _ms(now)))
        watch.poll(tx, now=now)
        return watch

    def poll(self, tx: ReadTx, *, now: datetime) -> Look:
        """Return the events since the last look."""
        # Rows get new numbers when the file is compacted.
        after = min(self.cursor.row, tx.value(_LAST_ROW))
        # A clock that was set back must not hide later events.
        since = min(clock.ms_to_instant(self.cursor.at_ms), now) - OVERLAP
        new, leased, ended = tx.all(_NEW, (after,)), tx.all(_LEASED), _ended(tx, since)
        rows = {row["id"]: row for row in (*new, *leased, *ended, *_back(tx, since))}
        running = {row["id"] for row in leased}
        gone = self._running - rows.keys()
        rows.update((row["id"], row) for row in tx.all(_THESE, (json.dumps(list(gone)),)))
        self._running = running
        self.cursor = EventCursor(new[-1]["row"] if new else after, _ms(now))
        events = [event for row in rows.values() if (event := self._event_if_new(row))]
        self._forget()
        return Look(
            events=tuple(sorted(events)),
            cursor=self.cursor,
            more=len(new) >= NEW_ROWS,
            missed=len(ended) >= ENDED_ROWS,
        )

    def _event_if_new(self, row: Row) -> JobEvent | None:
        now = (row["status"], row["lease_token"])
        before = self._known.get(row["id"])
        self._known[row["id"]] = now
        self._known.move_to_end(row["id"])
        what = happened(
            before, JobStatus(row["status"]), row["lease_token"], row["last_error_code"]
        )
        if what is None:
            return None
        at = row["created_at"] if what is EventType.ENQUEUED else row["updated_at"]
        return JobEvent(at, row["id"], what)

    def _forget(self) -> None:
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)


def _ended(tx: ReadTx, since: datetime) -> list[Row]:
    text = (clock.to_text(since),)
    return tx.all(_COMPLETED, text) + tx.all(_DEAD, text)


def _back(tx: ReadTx, since: datetime) -> list[Row]:
    at_ms, text = _ms(since), clock.to_text(since)
    return [
        row
        for queue in (*QUEUES, DEFAULT_QUEUE)
        for level in (NOW, NORMAL, BULK)
        for row in tx.all(_BACK, (queue, level, at_ms, text))
    ]


def _ms(instant: datetime) -> int:
    return int(instant.timestamp() * 1000)
