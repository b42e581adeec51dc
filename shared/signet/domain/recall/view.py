"""The memories that may answer a question: filters, owners and times as SQL conditions and as flags on columns."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from signet import clock
from signet.db import ReadTx, fts
from signet.db.visibility import Reader, ReadPolicy, Where, readable
from signet.domain.memory import filters as asked
from signet.domain.recall.columns import Allowed, Columns, Flags, Posting, Table, key, weight
from signet.domain.recall.models import Filters, Query
from signet.domain.recall.sql import reading


def condition(query: Query) -> Where:
    """Return what a row of `memories m` must be to answer this query; raises Invalid for an invalid time."""
    stands = asked.standing(query.as_of)
    if query.as_of is not None and not query.forgotten:
        stands &= asked.standing(None)
    return stands & readable(query.reader) & _filters(query.filters)


def _filters(filters: Filters) -> Where:
    where = Where("1")
    for column, value in (
        ("m.type = ?", filters.type),
        ("m.who = ?", filters.who),
        ("m.project = ?", filters.project),
        ("m.importance >= ?", filters.importance_min),
        ("coalesce(m.event_at, m.created_at) >= ?", asked.instant("since", filters.since)),
        (
            "coalesce(m.event_at, m.created_at) <= ?",
            asked.instant("until", filters.until, last=True),
        ),
        ("m.pinned = ?", None if filters.pinned is None else int(filters.pinned)),
    ):
        if value is not None:
            where &= Where(column, (fts.encodable(value) if isinstance(value, str) else value,))
    for tag in filters.tags:
        where &= asked.has_tag(tag)
    return where


def flags(tx: ReadTx, query: Query, table: Table) -> Flags:
    """Return for each row of the table whether it meets `condition(query)`."""
    passing = _standing(query, table) & _readable(tx, query.reader, table)
    filters = query.filters
    for name in ("type", "who", "project"):
        wanted = getattr(filters, name)
        if wanted is not None:
            passing &= table[name] == key(fts.encodable(wanted))
    if filters.importance_min is not None:
        passing &= table["importance"] >= filters.importance_min
    if filters.pinned is not None:
        passing &= table["pinned"] == filters.pinned
    if since := asked.instant("since", filters.since):
        passing &= table["happened_at"] >= since.encode()
    if until := asked.instant("until", filters.until, last=True):
        passing &= table["happened_at"] <= until.encode()
    for tag in filters.tags:
        tagged = np.zeros_like(passing)
        rows = np.array(reading.passing(tx, asked.has_tag(tag)), dtype=np.int64)
        tagged[rows[rows < table.size]] = True
        passing &= tagged
    return passing


def _standing(query: Query, table: Table) -> Flags:
    if query.as_of is None:
        live: Flags = table["live"].copy()
        return live
    at = clock.to_text(query.as_of).encode()
    there: Flags = table["exists"] & (table["created_at"] <= at)
    if not query.forgotten:
        return there & table["live"]
    return there & (table["live"] | (table["deleted_at"] > at))


def _readable(tx: ReadTx, reader: Reader, table: Table) -> Flags:
    visibility, own = table["visibility"], table["agent"] == key(reader.agent_id)
    shown: Flags = own
    if reader.policy is ReadPolicy.SHARED:
        shown = own | (visibility == key("global"))
    elif reader.policy is ReadPolicy.GROUP and reader.group is not None:
        members = [key(agent) for agent in reading.members(tx, reader.group)]
        shown = own | ((visibility == key("global")) & np.isin(table["agent"], members))
    shown = shown & (visibility != key("archived"))
    if not reader.any_scope:
        shown &= table["scope"] == key(reader.scope)
    if reader.project is not None:
        shown &= table["project"] == key(reader.project)
    if reader.here is not None:
        own = table["project"] == key(reader.here.project or None)
        if reader.here.is_personal:
            own = own | (table["project"] == key(None))
        shown &= own | table["everywhere"]
    return shown


_NO_TABLE, _NO_ROWS = Table(), np.zeros(1, dtype=np.bool_)


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The rows that may answer; none at first."""

    where: Where
    table: Table = _NO_TABLE
    flags: Flags = field(default_factory=_NO_ROWS.copy)
    #: The newest change of the snapshot, None where the columns have newer ones.
    at: int | None = None
    _postings: dict[str, Posting] = field(default_factory=dict)

    def rows(self, seqs: Collection[int]) -> list[int]:
        """Return those of the given memories that pass, in their order."""
        flags = self.flags
        return [seq for seq in seqs if seq < len(flags) and flags[seq]]

    def allowed(self, seqs: Collection[int]) -> dict[int, Allowed]:
        """Return those of the given memories that pass, with what later stages need."""
        return self.table.allowed(self.rows(seqs))

    def postings(self, tx: ReadTx, words: Iterable[str]) -> dict[str, Posting]:
        """Return the rows that hold each word, whoever may read them, and their parts of bm25."""
        table, known = self.table, self._postings
        mean = table.chars / max(1, table.count)
        find = partial(table.postings.find, tx, rows=table.count, mean=mean, at=self.at)
        return {word: known.get(word) or known.setdefault(word, find(word)) for word in words}

    def held(self, tx: ReadTx, words: Sequence[str]) -> dict[str, int]:
        """Return how many rows hold each word, whoever may read them."""
        return {word: len(one.rows) for word, one in self.postings(tx, words).items()}

    def weight(self, posting: Posting) -> float:
        """Return what a word weighs in bm25."""
        return weight(len(posting.rows), self.table.count)


def of(tx: ReadTx, query: Query) -> View:
    """Return a question's view; raises Invalid for a time that is none."""
    columns = tx.caches.of(Columns) if tx.caches is not None else Columns()
    with columns.lock:
        table, at = columns.fresh(tx)
        passing = flags(tx, query, table)
    return View(where=condition(query), table=table, flags=passing, at=at)
