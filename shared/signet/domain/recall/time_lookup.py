"""Times in recall: events and successors of memories, and their state at an instant."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from signet import clock
from signet.db import ReadTx
from signet.db.visibility import Reader, Where, readable
from signet.domain.memory.filters import standing
from signet.domain.recall.sql import time_lookup as sql
from signet.domain.recall.time_query import Span

_INDEXES = {"event_at": "idx_memories_event", "created_at": "idx_memories_created"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Validity:
    """The end of a memory's validity, and its successor's ID; None without one."""

    to: str | None
    superseded_by: str | None


def times_of(tx: ReadTx, seqs: Collection[int]) -> dict[int, tuple[str | None, str]]:
    """Return the time of each memory's event, if known, and of its statement."""
    return {row[0]: (row[1], row[2]) for row in tx.all(sql.TIMES, (json.dumps(list(seqs)),))}


def within(tx: ReadTx, span: Span, where: Where, limit: int) -> list[int]:
    """Return memories with an event or statement in an interval; none if the interval is open."""
    if span.start is None or span.end is None:
        return []
    bounds = (clock.to_text(span.start), clock.to_text(span.end))
    found: dict[int, None] = {}
    for column, index in _INDEXES.items():
        own = sql.NO_EVENT if span.is_relative and column == "created_at" else ""
        statement = sql.WITHIN.format(column=column, index=index, own=own, where=where.sql)
        found |= dict.fromkeys(row[0] for row in tx.all(statement, (*bounds, *where.params, limit)))
    return list(found)[:limit]


def replaced(
    tx: ReadTx, seqs: Collection[int], reader: Reader, as_of: datetime | None
) -> dict[int, list[int]]:
    """Return the successors of each replaced memory, nearest first, as far as the reader may see them."""
    over = Where("1")
    if as_of is not None:
        over = Where("({alias}.valid_to IS NULL OR {alias}.valid_to <= ?)", (clock.to_text(as_of),))
    stands = standing(as_of, "r") & readable(reader, "r")
    statement = sql.REPLACED.format(
        over_m=over.sql.format(alias="m"), over_n=over.sql.format(alias="n"), stands=stands.sql
    )
    found: dict[int, list[int]] = {}
    params = (json.dumps(list(seqs)), *over.params, *over.params, *stands.params)
    for seq, later in tx.all(statement, params):
        found.setdefault(seq, []).append(later)
    return found


def validity(tx: ReadTx, by: dict[int, int | None]) -> dict[int, Validity]:
    """Return the validity of memories, given their successors (None: no successor)."""
    pairs = json.dumps(list(by.items()))
    return {
        row[0]: Validity(to=row[1], superseded_by=row[2]) for row in tx.all(sql.VALIDITY, (pairs,))
    }
