"""Every memory that has a vector, in pages (EM-1 to EM-5)."""

from dataclasses import dataclass
from typing import Any

from signet.db import ReadTx
from signet.db.visibility import Reader, Where, readable
from signet.domain.browse import sql
from signet.domain.memory import told

#: Rows of one page: usual, least, most; and how far pages reach.
USUAL, LEAST, MOST, FURTHEST = 600, 50, 5_000, 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some of `total` memories, newest first; a row has a vector only when that was asked for."""

    rows: tuple[dict[str, Any], ...]
    total: int


def page(tx: ReadTx, *, reader: Reader, limit: int, offset: int, vectors: bool) -> Page:
    """Return a page of the memories that have a vector of their own or share one of the same text."""
    where = Where("m.is_deleted = 0") & readable(reader)
    vector = "e.vector" if vectors else "NULL"
    asked = sql.PAGE.format(vector=vector, hint=sql.IN_ORDER, where=where.sql)
    rows = tx.all(asked, (*where.params, limit, offset))
    total = int(tx.value(sql.COUNT.format(hint="", where=where.sql), where.params))
    return Page(rows=tuple(told.rows(tx, rows, reader=reader)), total=total)
