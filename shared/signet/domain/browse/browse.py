"""Browse memories: search, similar ones, export and eras."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from signet import clock
from signet.db import ReadTx, Row, fts
from signet.db.dialect import as_list
from signet.db.visibility import Reader, Where, readable
from signet.domain.browse import sql
from signet.domain.memory import filters, lookup
from signet.domain.memory.listing import Filter
from signet.domain.memory.models import Event
from signet.domain.recall import vector, view
from signet.domain.recall.models import Filters, Query
from signet.errors import NotFound
from signet.wire.memory import KeyCount, MemoryEra, MemoryTimeline

#: Results when no number is asked for, and at most (MEM-48 to MEM-50).
WITH_WORDS, WITHOUT_WORDS, MOST_FOUND = 20, 50, 200


def search(
    tx: ReadTx, asked: Filter, limit: int = 0, *, reader: Reader, now: datetime
) -> list[dict[str, Any]]:
    """Return the found memories, best first; empty without words and filters. `limit` 0 is the usual number."""
    found = _found(tx, asked, limit or (WITH_WORDS if asked.q else WITHOUT_WORDS), reader, now)
    return lookup.readable_rows(tx, found, reader=reader)


def values(tx: ReadTx, column: str, *, reader: Reader) -> list[str]:
    """Return the distinct values of `who` or `type`, in order."""
    where = Where("m.is_deleted = 0") & readable(reader)
    return tx.column(sql.VALUES.format(column=column, where=where.sql), where.params)


def _found(tx: ReadTx, asked: Filter, limit: int, reader: Reader, now: datetime) -> list[Row]:
    where, limit = replace(asked, q="").where(reader), min(MOST_FOUND, max(1, limit))
    if asked.q:
        words = fts.encodable(asked.q)
        found = sql.matching(tx, fts.as_indexed(words), where, limit)
        if found is not None:
            return found
        where = filters.holds(words) & where
        return tx.all(sql.NEWEST.format(where=where.sql), (*where.params, limit))
    if asked == Filter():
        return []
    weighed = (clock.to_text(now), *where.params, limit)
    return tx.all(sql.WEIGHTIEST.format(where=where.sql), weighed)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarMemory:
    """Memories, best first, and the cosine 0..1 of each by row number."""

    rows: tuple[dict[str, Any], ...]
    scores: Mapping[int, float]


def find_similar(
    tx: ReadTx, memory_id: str, *, reader: Reader, k: int, type: str | None
) -> SimilarMemory:
    """Return the `k` memories nearest to one; raises NotFound if it has no vector or cannot be seen."""
    seen = Where("m.is_deleted = 0") & readable(reader)
    anchor = tx.one(sql.VECTOR.format(where=seen.sql), (memory_id, *seen.params))
    if anchor is None:
        raise NotFound("No embedding found for this memory", "no_vector", results=[])
    asked = view.view_of(tx, Query(text="", reader=reader, filters=Filters(type=type)))
    near = vector.find(tx, anchor["vector"], asked, k + 1, model=anchor["model"])
    near.pop(anchor["seq"], None)
    best = sorted(near, key=lambda seq: (-near[seq], -seq))[:k]
    rows = lookup.readable_rows(tx, tx.all(sql.OF, (as_list(best),)), reader=reader)
    return SimilarMemory(rows=tuple(rows), scores=near)


#: Rows of one page: usual, least, most; and how far pages reach.
USUAL, LEAST_EXPORTED, MOST_EXPORTED, FURTHEST = 600, 50, 5_000, 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorPage:
    """Some of `total` memories, newest first, with their vectors if requested."""

    rows: tuple[dict[str, Any], ...]
    total: int


def export_page(
    tx: ReadTx, *, reader: Reader, limit: int, offset: int, vectors: bool
) -> VectorPage:
    """Return a page of the memories with a vector, also one shared with the same text."""
    where = Where("m.is_deleted = 0") & readable(reader)
    vector = "e.vector" if vectors else "NULL"
    asked = sql.PAGE.format(vector=vector, hint=sql.IN_ORDER, where=where.sql)
    rows = tx.all(asked, (*where.params, limit, offset))
    total = int(tx.value(sql.COUNT.format(hint="", where=where.sql), where.params))
    return VectorPage(rows=tuple(lookup.readable_rows(tx, rows, reader=reader)), total=total)


#: Types, authors and tags that are named of each era.
LEADERS = 5
#: Key, name for people, and length in days.
ERAS = (("today", "Today", 1), ("last_week", "Last week", 7), ("one_month", "One month", 30))

#: Events after which a memory is another than it was, and those that made more of it.
EVOLVED = (Event.UPDATED, Event.MERGED, Event.RECOVERED)
STRENGTHENED = (Event.UPDATED, Event.MERGED)


def eras(tx: ReadTx, *, reader: Reader, now: datetime) -> MemoryTimeline:
    """Return the eras up to the end of today, the shortest first.

    Each counts the memories saved between two instants, and the events of that time.
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
