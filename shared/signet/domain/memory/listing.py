"""Pages of memories, filtered, sorted, in a state or at an instant, with optional counts.

A page ends with a cursor: the position of its last memory in the order, where the next page begins, even if memories
were added or removed meanwhile. Listing does not count as use.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from signet import clock
from signet.db import ReadTx, cursor, fts
from signet.db.dialect import as_list
from signet.db.visibility import Reader, Where, archived, readable
from signet.domain.memory import filters, history, lookup
from signet.domain.memory.models import Memory
from signet.domain.memory.sql import memories, search
from signet.domain.memory.sql.history import ForgettingRow
from signet.domain.memory.sql.search import Place
from signet.errors import Invalid

#: Values of one facet.
MAX_VALUES = 50
#: The facets, and the filter that each leaves out, to count the other choices too.
FACETS = {
    "type": "type",
    "who": "who",
    "project": "project",
    "tag": "tags",
    "source_type": "source_type",
    "state": "state",
}


class MemoryState(StrEnum):
    """The state of a memory; archived ones belonged to a removed agent."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    FORGOTTEN = "forgotten"
    ARCHIVED = "archived"


class Sort(StrEnum):
    """The sort key; `used` is the number of uses."""

    CREATED = "created"
    UPDATED = "updated"
    FORGOTTEN = "forgotten"
    EVENT = "event"
    IMPORTANCE = "importance"
    USED = "used"


class Way(StrEnum):
    DOWN = "desc"
    UP = "asc"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Filters for memories; None or empty matches all. Times are in stored form, with their ends included.

    Without `state`, memories that are not forgotten; with `as_of`, those that existed then.
    """

    q: str = ""
    ids: tuple[str, ...] = ()
    type: str | None = None
    who: str | None = None
    project: str | None = None
    tags: tuple[str, ...] = ()
    source_type: str | None = None
    source_id: str | None = None
    origin: str | None = None
    space: str | None = None
    not_origin: str | None = None
    pinned: bool | None = None
    importance_min: float | None = None
    since: str | None = None
    until: str | None = None
    event_since: str | None = None
    event_until: str | None = None
    state: MemoryState | None = None
    as_of: datetime | None = None
    unreviewed: bool = False
    before: str | None = None

    def where(self, reader: Reader, *, without: str = "") -> Where:
        """Return the condition on `memories m`, without the filter named `without`."""
        is_archived = self.state is MemoryState.ARCHIVED and without != "state"
        where = self._standing(without) & (archived if is_archived else readable)(reader)
        where &= filters.passing(self, without=without)
        if self.ids:
            where &= Where(memories.AMONG, (as_list(self.ids),))
        if self.unreviewed:
            where &= Where(search.UNREVIEWED)
        if self.q.strip():
            where &= _holds(self.q)
        return where

    def _standing(self, without: str) -> Where:
        if self.as_of is not None:
            return filters.standing(self.as_of) & Where(
                "(m.superseded_by IS NULL OR m.valid_to > ?)", (clock.to_text(self.as_of),)
            )
        if without == "state":
            return Where("1")
        if self.state is MemoryState.FORGOTTEN:
            return Where("m.is_deleted = 1")
        where = Where("+m.is_deleted = 0")
        if self.state in (MemoryState.ACTIVE, MemoryState.SUPERSEDED):
            replaced = search.IS_REPLACED
            where &= Where(replaced if self.state is MemoryState.SUPERSEDED else f"NOT {replaced}")
        return where


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The order, and the start of a page: a cursor or an offset."""

    sort: Sort = Sort.CREATED
    way: Way = Way.DOWN
    limit: int = 100
    offset: int = 0
    cursor: str | None = None


class MemoryListing(NamedTuple):
    """Memories in order, the IDs of those with a vector, and the cursor of the next page."""

    memories: list[Memory]
    embedded: frozenset[str]
    forgettings: dict[str, ForgettingRow]
    next: str | None


def page(tx: ReadTx, asked: Filter, order: Order, *, reader: Reader) -> MemoryListing:
    """Return one page; raises Invalid for a cursor of another order, and BadCursor."""
    where, way = asked.where(reader), order.way.upper()
    if order.cursor is not None:
        where &= search.behind(order.sort, way, *_place(order))
    found = search.places(
        tx,
        where,
        order.sort,
        way,
        limit=order.limit + 1,
        offset=order.offset,
        walks=asked.state is not MemoryState.FORGOTTEN
        and not (asked.ids or asked.q or asked.source_id),
    )
    places, more = found[: order.limit], found[order.limit :]
    ids = [place.id for place in places]
    return MemoryListing(
        lookup.readable_memories(
            tx, memories.by_ids(tx, ids, texts=_texts(tx, asked, places)), reader=reader
        ),
        frozenset(row[0] for row in tx.tuples(search.EMBEDDED, (as_list(ids),))),
        history.forgettings(tx, ids) if asked.state is MemoryState.FORGOTTEN else {},
        _cursor(order, places[-1]) if more else None,
    )


def count(tx: ReadTx, asked: Filter, *, reader: Reader) -> int:
    return search.count(tx, asked.where(reader))


def facets(
    tx: ReadTx, names: Sequence[str], asked: Filter, *, reader: Reader
) -> dict[str, list[tuple[str, int]]]:
    """Return the most frequent values of `FACETS` with their counts, each under all other filters."""
    together: dict[Where, list[str]] = {}
    for name in names:
        together.setdefault(asked.where(reader, without=FACETS[name]), []).append(name)
    found = {}
    for where, some in together.items():
        for name, counted in search.facets(tx, some, where).items():
            most = sorted(counted.items(), key=lambda one: (-one[1], one[0]))
            found[name] = most[:MAX_VALUES]
    return {name: found[name] for name in names}


def _texts(tx: ReadTx, asked: Filter, places: Sequence[Place]) -> dict[str, str]:
    if asked.as_of is None:
        return {}
    then = history.texts(tx, [place.seq for place in places], asked.as_of)
    return {place.id: then[place.seq] for place in places if place.seq in then}


def _holds(text: str) -> Where:
    words = fts.content_words(text)
    return (
        Where(search.MATCHES, (fts.all_of(words),))
        if words
        else filters.holds(fts.encodable(text).strip())
    )


def _cursor(order: Order, last: Place) -> str | None:
    return cursor.write([order.sort, order.way, last.sort_key, last.seq])


def _place(order: Order) -> tuple[cursor.Value, int]:
    sort, way, key, seq = cursor.read(order.cursor or "", str, str, None, int)
    if (sort, way) != (order.sort, order.way):
        raise Invalid("The cursor belongs to a list in another order")
    return key, int(seq)
