"""The statements of `memory/listing.py`. `where` is a condition on `memories m`, which says who may see what."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from signet import clock
from signet.db import ReadTx
from signet.db.dialect import LIST, as_list, by_index
from signet.db.visibility import Where
from signet.domain.memory.models import tags_of
from signet.domain.memory.sql.superseding import REPLACED

#: The condition that something newer has replaced a memory.
IS_REPLACED = REPLACED.format(alias="m")
#: The condition that no verdict of a person holds of a memory.
UNREVIEWED = """coalesce((
  SELECT h.reason FROM memory_history h WHERE h.memory_id = m.id AND h.event = 'reviewed'
  ORDER BY h.rowid DESC LIMIT 1), 'none') = 'none'"""
#: What a page can be ordered by. Rows of older files may hold NULL, behind which a page could not begin.
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
#: What is counted for each facet.
_COUNTED = {name: f"m.{name}" for name in ("type", "who", "project", "source_type")} | {
    "tag": "m.tags",
    "state": _STATE,
}
#: Rows are read as they lie: in the order of an index of the first column each would be looked up by itself.
_COUNTS = "SELECT {columns}, count(*) FROM memories m WHERE {where} GROUP BY +{columns}"
_EMBEDDED = f"SELECT DISTINCT source_id FROM embeddings WHERE source_type = 'memory' AND source_id IN {LIST}"


class Place(NamedTuple):
    """A memory and where it stands in the order of a page."""

    seq: int
    id: str
    sort_key: object


def not_replaced(as_of: datetime) -> Where:
    """Return the condition that nothing had replaced a memory at an instant."""
    return Where("(m.superseded_by IS NULL OR m.valid_to > ?)", (clock.to_text(as_of),))


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
    """Return how often each value of the named facets occurs, from one reading of the rows."""
    columns = ", ".join(_COUNTED[name] for name in names)
    found: dict[str, Counter[str]] = {name: Counter() for name in names}
    for *values, times in tx.tuples(_COUNTS.format(columns=columns, where=where.sql), where.params):
        for name, value in zip(names, values, strict=True):
            for one in set(tags_of(value)) if name == "tag" else (value,):
                if one not in (None, ""):
                    found[name][str(one)] += times
    return found


def embedded(tx: ReadTx, memory_ids: Sequence[str]) -> frozenset[str]:
    """Return which of the memories have a vector of their own."""
    return frozenset(row[0] for row in tx.tuples(_EMBEDDED, (as_list(memory_ids),)))
