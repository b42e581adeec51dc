"""SQL that searches `memories`: full text, filters, pages and counts."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from signet.db import ReadTx
from signet.db.dialect import LIST, THEN_JOIN, as_list, by_index, list_rows
from signet.db.visibility import Where
from signet.domain.memory.models import tags_of
from signet.domain.memory.sql.sources import REPLACED

_FIELDS = "m.id, m.pinned, m.version"
NAMED = (
    f"SELECT {_FIELDS}, NULL AS bm25, '' AS content"
    f" FROM {list_rows()} j {THEN_JOIN} memories m ON m.id = j.value WHERE "
)
_FOUND = (
    f"SELECT {_FIELDS}, rank AS bm25, m.content FROM memories_fts JOIN memories m ON m.seq = memories_fts.rowid"
    " WHERE memories_fts MATCH ? AND "
)
_FILTERED = f"SELECT {_FIELDS}, NULL AS bm25, '' AS content FROM memories m WHERE "
MATCHES = "m.seq IN (SELECT memories_fts.rowid FROM memories_fts WHERE memories_fts MATCH ?)"
LAST_CHANGE = f"SELECT max(updated_at) FROM memories WHERE id IN {LIST}"
BY_ID = " ORDER BY j.key"
_BY_RANK = " ORDER BY rank, m.seq"
_BY_CHANGE = " ORDER BY m.updated_at DESC, m.seq DESC"
_BY_WEIGHT = " ORDER BY m.pinned DESC, m.importance DESC, m.updated_at DESC, m.seq DESC"
_LIMITED = " LIMIT ? OFFSET ?"


class SearchRow(NamedTuple):
    """A memory that passes; `bm25` and `content` are empty without words."""

    id: str
    pinned: int
    version: int
    bm25: float | None
    content: str


def matching(tx: ReadTx, match: str, where: Where, limit: int = -1) -> list[SearchRow]:
    """Return the matches of this expression that pass, best first; -1 is no limit."""
    sql = _FOUND + where.sql + _BY_RANK + " LIMIT ?"
    return tx.rows(SearchRow, sql, (match, *where.params, limit))


def numbered(tx: ReadTx, seqs: Sequence[int], where: Where) -> dict[int, SearchRow]:
    """Return the memories with these numbers that pass."""
    sql = f"SELECT m.seq, {_FIELDS}, NULL, m.content FROM memories m WHERE m.seq IN {LIST} AND {where.sql}"
    rows = tx.tuples(sql, (as_list(seqs), *where.params))
    return {row[0]: SearchRow(*row[1:]) for row in rows}


def passing(
    tx: ReadTx, where: Where, limit: int, offset: int, *, newest_first: bool
) -> list[SearchRow]:
    """Return memories that pass: with `newest_first` by last change, else the pinned and most important first."""
    order = _BY_CHANGE if newest_first else _BY_WEIGHT
    return tx.rows(
        SearchRow, _FILTERED + where.sql + order + _LIMITED, (*where.params, limit, offset)
    )


def count(tx: ReadTx, where: Where) -> int:
    """Return how many memories pass."""
    return int(tx.value(f"SELECT count(*) FROM memories m WHERE {where.sql}", where.params))


#: The condition that a memory was superseded.
IS_REPLACED = REPLACED.format(alias="m")
#: The condition that no person's verdict applies to a memory.
UNREVIEWED = """coalesce((
  SELECT h.reason FROM memory_history h WHERE h.memory_id = m.id AND h.event = 'reviewed'
  ORDER BY h.rowid DESC LIMIT 1), 'none') = 'none'"""
#: The sort keys of a page. Rows of older files may contain NULL, which no cursor can represent.
KEYS = {
    "created": "m.created_at",
    "updated": "m.updated_at",
    "forgotten": "coalesce(m.deleted_at, '')",
    "event": "coalesce(m.event_at, '')",
    "importance": "coalesce(m.importance, 0.0)",
    "used": "coalesce(m.access_count, 0)",
}
# Without a hint the planner reads and sorts every row, because nearly every row is active.
_INDEXES = {"created": "idx_memories_created", "updated": "idx_memories_updated"}
_PAGE = """
SELECT m.seq, m.id, {key} AS sort_key FROM memories m{index} WHERE {where}
ORDER BY sort_key {way}, m.seq {way} LIMIT ? OFFSET ?"""
_STATE = f"CASE WHEN m.is_deleted THEN 'forgotten' WHEN {IS_REPLACED} THEN 'superseded' ELSE 'active' END"
#: The counted expression of each facet.
_COUNTED = {name: f"m.{name}" for name in ("type", "who", "project", "source_type")} | {
    "tag": "m.tags",
    "state": _STATE,
}
#: `+` makes SQLite scan the table: in the order of an index it would look up every row.
_COUNTS = "SELECT {columns}, count(*) FROM memories m WHERE {where} GROUP BY +{columns}"
EMBEDDED = f"SELECT DISTINCT source_id FROM embeddings WHERE source_type = 'memory' AND source_id IN {LIST}"


class Place(NamedTuple):
    """A memory and its place in the order of a page."""

    seq: int
    id: str
    sort_key: object


def places(
    tx: ReadTx, where: Where, sort: str, way: str, *, limit: int, offset: int, walks: bool
) -> list[Place]:
    """Return the places of memories that pass; `walks` reads in that order until there are enough."""
    index = f" {by_index(_INDEXES[sort])}" if walks and sort in _INDEXES else ""
    sql = _PAGE.format(key=KEYS[sort], index=index, where=where.sql, way=way)
    return tx.rows(Place, sql, (*where.params, limit, offset))


def behind(sort: str, way: str, key: str | int | float, seq: int) -> Where:
    """Return the condition that a memory comes after this place."""
    return Where(f"({KEYS[sort]}, m.seq) {'<' if way == 'DESC' else '>'} (?, ?)", (key, seq))


def facets(tx: ReadTx, names: Sequence[str], where: Where) -> dict[str, Counter[str]]:
    """Count the values of the named facets, in one pass over the rows."""
    columns = ", ".join(_COUNTED[name] for name in names)
    found: dict[str, Counter[str]] = {name: Counter() for name in names}
    for *values, times in tx.tuples(_COUNTS.format(columns=columns, where=where.sql), where.params):
        for name, value in zip(names, values, strict=True):
            for one in set(tags_of(value)) if name == "tag" else (value,):
                if one not in (None, ""):
                    found[name][str(one)] += times
    return found
