"""The older search by words and filters, which the dashboard and scripts still use.

With words, the order is that of full-text search, and the words may be any FTS5 expression; what is none is looked
for as it stands. With filters alone, what matters most comes first: pinned memories, then by importance, which fades.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from signet import clock
from signet.db import ReadTx, Row, fts
from signet.db.visibility import Reader, Where, readable
from signet.domain.browse import sql
from signet.domain.memory import filters, told

#: Results when no number is asked for, and at most (MEM-48 to MEM-50).
WITH_WORDS, WITHOUT_WORDS, MOST = 20, 50, 200


#: What can be asked for all values that there are.
COLUMNS = ("who", "type")


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What is looked for; None or empty asks nothing. `since` is a time as it is stored."""

    q: str = ""
    type: str | None = None
    tags: tuple[str, ...] = ()
    who: str | None = None
    is_pinned: bool = False
    importance_min: float | None = None
    since: str | None = None
    limit: int | None = None

    @property
    def has_filter(self) -> bool:
        """Return whether anything but words is asked for."""
        return bool(self.type or self.tags or self.who or self.is_pinned or self.since) or (
            self.importance_min is not None
        )


def find(tx: ReadTx, search: Search, *, reader: Reader, now: datetime) -> list[dict[str, Any]]:
    """Return what is found, best first; nothing when neither words nor filters are given."""
    return told.rows(tx, _found(tx, search, reader, now), reader=reader)


def values(tx: ReadTx, column: str, *, reader: Reader) -> list[str]:
    """Return what memories have in one of `COLUMNS`, each value once, in order."""
    where = Where("m.is_deleted = 0") & readable(reader)
    return tx.column(sql.VALUES.format(column=column, where=where.sql), where.params)


def _found(tx: ReadTx, search: Search, reader: Reader, now: datetime) -> list[Row]:
    where = _where(search) & readable(reader)
    usual = WITH_WORDS if search.q else WITHOUT_WORDS
    limit = min(MOST, max(1, usual if search.limit is None else search.limit))
    if search.q:
        words = fts.encodable(search.q)
        found = sql.matching(tx, fts.as_indexed(words), where, limit)
        if found is not None:
            return found
        where = filters.holds(words) & where
        return tx.all(sql.NEWEST.format(where=where.sql), (*where.params, limit))
    asked = (clock.to_text(now), *where.params, limit)
    return tx.all(sql.WEIGHTIEST.format(where=where.sql), asked) if search.has_filter else []


def _where(search: Search) -> Where:
    where = Where("m.is_deleted = 0")
    for condition, value in (
        ("m.type = ?", search.type),
        ("m.who = ?", search.who),
        ("m.importance >= ?", search.importance_min),
        ("m.created_at >= ?", search.since),
    ):
        if value is not None:
            where &= Where(condition, (fts.encodable(value) if isinstance(value, str) else value,))
    if search.is_pinned:
        where &= Where("m.pinned = 1")
    for tag in search.tags:
        where &= filters.has_tag(tag)
    return where
