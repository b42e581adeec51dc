"""Looking for memories that are to be forgotten together."""

from collections.abc import Sequence
from typing import NamedTuple

from signet.db import ReadTx
from signet.db.dialect import LIST, THEN_JOIN, as_list, list_rows
from signet.db.visibility import Where

_FIELDS = "m.id, m.pinned, m.version"
_NAMED = (
    f"SELECT {_FIELDS}, NULL AS bm25, '' AS content"
    f" FROM {list_rows()} j {THEN_JOIN} memories m ON m.id = j.value WHERE "
)
_FOUND = (
    f"SELECT {_FIELDS}, rank AS bm25, m.content FROM memories_fts JOIN memories m ON m.seq = memories_fts.rowid"
    " WHERE memories_fts MATCH ? AND "
)
_FILTERED = f"SELECT {_FIELDS}, NULL AS bm25, '' AS content FROM memories m WHERE "
_MATCHES = "m.seq IN (SELECT memories_fts.rowid FROM memories_fts WHERE memories_fts MATCH ?)"
_LAST_CHANGE = f"SELECT max(updated_at) FROM memories WHERE id IN {LIST}"
_BY_ID = " ORDER BY j.key"
_BY_RANK = " ORDER BY rank, m.seq"
_BY_CHANGE = " ORDER BY m.updated_at DESC, m.seq DESC"
_BY_WEIGHT = " ORDER BY m.pinned DESC, m.importance DESC, m.updated_at DESC, m.seq DESC"
_PAGE = " LIMIT ? OFFSET ?"


class Found(NamedTuple):
    """A memory that passes; a search without words leaves `bm25` None and `content` empty."""

    id: str
    pinned: int
    version: int
    bm25: float | None
    content: str


def matches(match: str) -> Where:
    """Return the condition that the text index has a memory under this expression."""
    return Where(_MATCHES, (match,))


def named(tx: ReadTx, memory_ids: Sequence[str], where: Where) -> list[Found]:
    """Return those of the memories that pass, in this order."""
    return tx.rows(Found, _NAMED + where.sql + _BY_ID, (as_list(memory_ids), *where.params))


def matching(tx: ReadTx, match: str, where: Where, limit: int = -1) -> list[Found]:
    """Return what the text index has under this expression and passes, best first; -1 is all."""
    sql = _FOUND + where.sql + _BY_RANK + " LIMIT ?"
    return tx.rows(Found, sql, (match, *where.params, limit))


def passing(
    tx: ReadTx, where: Where, limit: int, offset: int, *, newest_first: bool
) -> list[Found]:
    """Return memories that pass: the last changed first, else the pinned and most important."""
    order = _BY_CHANGE if newest_first else _BY_WEIGHT
    return tx.rows(Found, _FILTERED + where.sql + order + _PAGE, (*where.params, limit, offset))


def count(tx: ReadTx, where: Where) -> int:
    """Return how many memories pass."""
    return int(tx.value(f"SELECT count(*) FROM memories m WHERE {where.sql}", where.params))


def last_change(tx: ReadTx, memory_ids: Sequence[str]) -> str | None:
    """Return when any of these memories was changed last."""
    changed: str | None = tx.value(_LAST_CHANGE, (as_list(memory_ids),))
    return changed
