"""What was remembered of late: today, in the last seven days, in the last thirty; each era holds those before it.

Days are those of this machine's time zone, and today counts as the first day of each era. What happened to memories
(their history) is counted by when it happened, whenever they were made.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from signet import clock
from signet.db import ReadTx, Row
from signet.db.visibility import Reader, Where, readable
from signet.domain.browse import sql
from signet.domain.memory.models import Event
from signet.wire.memory import KeyCount, MemoryEra, MemoryTimeline

#: Types, authors and tags that are named of each era.
LEADERS = 5
#: Key, name for people, and length in days.
ERAS = (("today", "Today", 1), ("last_week", "Last week", 7), ("one_month", "One month", 30))

#: Events after which a memory is another than it was, and those that made more of it.
EVOLVED = (Event.UPDATED, Event.MERGED, Event.RECOVERED)
STRENGTHENED = (Event.UPDATED, Event.MERGED)


def of(tx: ReadTx, *, reader: Reader, now: datetime) -> MemoryTimeline:
    """Return the eras up to the end of today's day, the shortest first; of memories that this reader may see.

    Each counts what was remembered between two instants, and what happened in the same time.
    """
    end = clock.midnight(now, days=1)
    starts = [clock.midnight(now, days=1 - days) for _, _, days in ERAS]
    times = [clock.to_text(instant) for instant in (*starts, end)]
    where = Where("m.is_deleted = 0") & readable(reader)
    rows = tx.all(sql.ERAS.format(where=where.sql), (*times, *where.params))
    leaders = tx.all(sql.LEADING.format(where=where.sql), (*times, *where.params, LEADERS))
    happened = tx.all(sql.HAPPENED.format(where=where.sql), (*times, *where.params))
    buckets = [
        _bucket(index, row, times, _events(happened, index), leaders)
        for index, row in enumerate(rows)
    ]
    return {
        "generatedAt": clock.to_text(now),
        "generatedFor": times[0],
        "rangePreset": "-".join(key for key, _, _ in ERAS),
        "totalMemories": buckets[-1]["memoriesAdded"],
        "totalHistoryEvents": buckets[-1]["trackedEvents"],
        # Every time was checked when it was stored.
        "invalidMemoryTimestamps": 0,
        "invalidHistoryTimestamps": 0,
        "buckets": buckets,
    }


def _bucket(
    index: int, row: Row, times: Sequence[str], events: dict[str, int], leaders: Sequence[Row]
) -> MemoryEra:
    """Return one era; `times` are the starts of all and their common end."""
    key, label, _ = ERAS[index]
    return {
        "eraIndex": index,
        "rangeKey": key,
        "label": label,
        "start": times[index],
        "end": clock.to_text(clock.parse(times[-1]) - timedelta(milliseconds=1)),
        "memoriesAdded": row["added"],
        "trackedEvents": sum(events.values()),
        "evolved": sum(events.get(event, 0) for event in EVOLVED),
        "strengthened": sum(events.get(event, 0) for event in STRENGTHENED),
        "recovered": events.get(Event.RECOVERED, 0),
        "avgImportance": round(row["importance"], 3),
        "pinned": row["pinned"],
        "typeBreakdown": _leaders(leaders, index, "type"),
        "sourceBreakdown": _leaders(leaders, index, "who"),
        "topTags": _leaders(leaders, index, "tag"),
    }


def _events(rows: Sequence[Row], era: int) -> dict[str, int]:
    counts: dict[str, int] = {}
    for row in rows:
        if row["era"] <= era:
            counts[row["event"]] = counts.get(row["event"], 0) + row["times"]
    return counts


def _leaders(rows: Sequence[Row], era: int, about: str) -> list[KeyCount]:
    """Return the most frequent types, authors or tags of an era."""
    return [
        {"key": row["name"], "count": row["times"]}
        for row in rows
        if row["era"] == era and row["about"] == about
    ]
