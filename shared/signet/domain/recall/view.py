"""The memories that a query may return, and their texts and hints with query words.

Filters, owners and times are SQL conditions and flags on columns.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from signet import clock
from signet.db import ReadTx, fts
from signet.db.visibility import Reader, ReadPolicy, Where, readable
from signet.domain.memory import filters as asked
from signet.domain.recall.columns import Allowed, Array, Columns, Flags, Posting, Table, key, weight
from signet.domain.recall.models import Filters, Query, Scores
from signet.domain.recall.sql import reading
from signet.ids import of_space


def condition(query: Query) -> Where:
    """Return the SQL condition on `memories m` for this query; raises Invalid for an invalid time."""
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
    common = visibility == key("global")
    if table.spaces and reader.spaces is None:
        common |= np.isin(visibility, [*table.spaces])
    if reader.policy is ReadPolicy.SHARED:
        shown = own | common
    elif reader.policy is ReadPolicy.GROUP and reader.group is not None:
        members = [key(agent) for agent in reading.members(tx, reader.group)]
        shown = own | (common & np.isin(table["agent"], members))
    shown = shown & (visibility != key("archived"))
    if table.spaces and reader.spaces is not None:
        shown &= ~np.isin(visibility, [*table.spaces])
        shown |= np.isin(visibility, [key(of_space(one)) for one in reader.spaces])
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
    """The rows that may answer; empty at first."""

    where: Where
    table: Table = _NO_TABLE
    flags: Flags = field(default_factory=_NO_ROWS.copy)
    #: The newest change of the snapshot, None if the columns have newer ones.
    at: int | None = None
    _postings: dict[str, Posting] = field(default_factory=dict)

    def rows(self, seqs: Collection[int]) -> list[int]:
        """Return the given memories that pass, in their order."""
        flags = self.flags
        return [seq for seq in seqs if seq < len(flags) and flags[seq]]

    def allowed(self, seqs: Collection[int]) -> dict[int, Allowed]:
        """Return the given memories that pass, with the values for later stages."""
        return self.table.allowed(self.rows(seqs))

    def postings(self, tx: ReadTx, words: Iterable[str]) -> dict[str, Posting]:
        """Return the rows of any agent that contain each word, and their parts of bm25."""
        table, known = self.table, self._postings
        mean = table.chars / max(1, table.count)
        find = partial(table.postings.find, tx, rows=table.count, mean=mean, at=self.at)
        return {word: known.get(word) or known.setdefault(word, find(word)) for word in words}

    def held(self, tx: ReadTx, words: Sequence[str]) -> dict[str, int]:
        """Return how many rows of any agent contain each word."""
        return {word: len(one.rows) for word, one in self.postings(tx, words).items()}

    def weight(self, posting: Posting) -> float:
        """Return a word's weight in bm25."""
        return weight(len(posting.rows), self.table.count)


def view_of(tx: ReadTx, query: Query) -> View:
    """Return a query's view; raises Invalid for an invalid time."""
    columns = tx.caches.get(Columns) if tx.caches is not None else Columns()
    with columns.lock:
        table, at = columns.fresh(tx)
        passing = flags(tx, query, table)
    return View(where=condition(query), table=table, flags=passing, at=at)


def best_by_words(tx: ReadTx, words: Sequence[str], view: View, limit: int) -> Scores:
    """Return bm25 (negative) of the `limit` best memories that pass and contain a word; of equals the newest."""
    totals, held = _totals(tx, words, view)
    return _best(totals, held > 0, limit)


def holding_all(tx: ReadTx, words: Sequence[str], view: View, limit: int) -> Scores:
    """Return bm25 (negative) of the `limit` best memories that pass and contain all words, best first."""
    totals, held = _totals(tx, words, view)
    return _best(totals, held == len(words), limit)


def best_of_all(tx: ReadTx, match: str, limit: int) -> Scores:
    """Return the rows of any agent that match a full-text expression with their bm25, best first."""
    return dict(tx.tuples(reading.KEYWORD_BEST, (match, limit)))


def _totals(tx: ReadTx, words: Sequence[str], view: View) -> tuple[Array, Array]:
    """Return bm25 (positive) of each row, and how many of the words it contains; 0 if it does not pass."""
    size = len(view.flags)
    totals, held = np.zeros(size, dtype=np.float32), np.zeros(size, dtype=np.uint8)
    for posting in view.postings(tx, words).values():
        rows = posting.rows[: posting.rows.searchsorted(size)]
        totals[rows] += view.weight(posting) * posting.parts[: len(rows)]
        held[rows] += 1
    held *= view.flags
    return totals, held


def _best(totals: Array, which: Array, limit: int) -> Scores:
    rows = np.flatnonzero(which)
    if len(rows) > limit:
        least = np.partition(totals[rows], len(rows) - limit)[len(rows) - limit]
        rows = rows[totals[rows] >= least]
    rows = rows[np.lexsort((-rows, -totals[rows]))][:limit]
    return dict(zip(rows.tolist(), (-totals[rows]).tolist(), strict=True))


def bm25_of_each(tx: ReadTx, words: Sequence[str], seqs: Collection[int], view: View) -> Array:
    """Return the bm25 (positive) of each word (row) in each of the given memories (column), 0 where it is missing.

    bm25 is a sum over words, so a column adds up to the score of the whole question.
    """
    wanted = np.fromiter(seqs, dtype=np.int32, count=len(seqs))
    found = np.zeros((len(words), len(wanted)))
    for row, posting in zip(found, view.postings(tx, words).values(), strict=True):
        if len(posting.rows):
            places = np.minimum(posting.rows.searchsorted(wanted), len(posting.rows) - 1)
            holds = posting.rows[places] == wanted
            row[holds] = view.weight(posting) * posting.parts[places[holds]]
    return found


def best_by_hints(
    tx: ReadTx, words: Sequence[str], agent_id: str, view: View, limit: int
) -> Scores:
    """Return 0..1 by memory for those whose hints match the question (REC-6)."""
    if not words:
        return {}
    return fts.scores(reading.hints(tx, fts.any_of(words), agent_id, view.where, limit))
