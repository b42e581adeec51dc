"""What was remembered of late: today, in the last seven days, in the last thirty; each era holds those before it.

A day is one of UTC, as every stored time is, and today counts as the first day of each era. What happened to memories
(their history) is counted by when it happened, whenever they were made.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from signet import clock
from signet.db import ReadTx, Row
from signet.db.visibility import Reader, Where, readable
from signet.domain.browse import sql
from signet.domain.memory.models import Event

#: Types, authors and tags that are named of each era.
LEADERS = 5
#: Key, name for people, and length in days.
ERAS = (("today", "Today", 1), ("last_week", "Last week", 7), ("one_month", "One month", 30))

#: Events after which a memory is another than it was, and those that made more of it.
EVOLVED = (Event.UPDATED, Event.MERGED, Event.RECOVERED)
STRENGTHENED = (Event.UPDATED, Event.MERGED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Era:
    """What was remembered between two instants, and what happened in the same time.

    `leaders` are the most frequent names and how often they occur, under `type`, `who` and `tag`.
    """

    key: str
    label: str
    start: datetime
    end: datetime
    added: int
    importance: float
    pinned: int
    events: Mapping[str, int]
    leaders: Mapping[str, Sequence[tuple[str, int]]]

    def count(self, *events: Event) -> int:
        """Return how often any of these happened."""
        return sum(self.events.get(event, 0) for event in events)


def of(tx: ReadTx, *, reader: Reader, now: datetime) -> list[Era]:
    """Return the eras up to the end of today's day, the shortest first; of memories that this reader may see."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    end = midnight + timedelta(days=1)
    starts = [midnight - timedelta(days=days - 1) for _, _, days in ERAS]
    times = [clock.to_text(instant) for instant in (*starts, end)]
    where = Where("m.is_deleted = 0") & readable(reader)
    rows = tx.all(sql.ERAS.format(where=where.sql), (*times, *where.params))
    leaders = tx.all(sql.LEADING.format(where=where.sql), (*times, *where.params, LEADERS))
    events = tx.all(sql.HAPPENED.format(where=where.sql), (*times, *where.params))
    return [
        Era(
            key=key,
            label=label,
            start=starts[index],
            end=end - timedelta(milliseconds=1),
            added=row["added"],
            importance=row["importance"],
            pinned=row["pinned"],
            events=_events(events, index),
            leaders=_leaders(leaders, index),
        )
        for index, ((key, label, _), row) in enumerate(zip(ERAS, rows, strict=True))
    ]


def _events(rows: Sequence[Row], era: int) -> dict[str, int]:
    counts: dict[str, int] = {}
    for row in rows:
        if row["era"] <= era:
            counts[row["event"]] = counts.get(row["event"], 0) + row["times"]
    return counts


def _leaders(rows: Sequence[Row], era: int) -> dict[str, list[tuple[str, int]]]:
    found: dict[str, list[tuple[str, int]]] = {"type": [], "who": [], "tag": []}
    for row in rows:
        if row["era"] == era:
            found[row["about"]].append((row["name"], row["times"]))
    return found
