"""Which memories mean something like a given one (MEM-51)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from signet.db import ReadTx
from signet.db.dialect import as_list
from signet.db.visibility import Reader, Where, readable
from signet.domain.browse import sql
from signet.domain.memory import told
from signet.domain.recall import vector, view
from signet.domain.recall.models import Filters, Query
from signet.errors import NotFound


@dataclass(frozen=True, slots=True, kw_only=True)
class Similar:
    """Memories in order, best first, and the cosine 0..1 of each under its row number."""

    rows: tuple[dict[str, Any], ...]
    scores: Mapping[int, float]


def find(tx: ReadTx, memory_id: str, *, reader: Reader, k: int, type: str | None) -> Similar:
    """Return the `k` memories nearest to one; NotFound when it has no vector or cannot be seen."""
    seen = Where("m.is_deleted = 0") & readable(reader)
    anchor = tx.one(sql.VECTOR.format(where=seen.sql), (memory_id, *seen.params))
    if anchor is None:
        raise NotFound("No embedding found for this memory", "no_vector", results=[])
    asked = view.of(tx, Query(text="", reader=reader, filters=Filters(type=type)))
    near = vector.find(tx, anchor["vector"], asked, k + 1, model=anchor["model"])
    near.pop(anchor["seq"], None)
    best = sorted(near, key=lambda seq: (-near[seq], -seq))[:k]
    rows = told.rows(tx, tx.all(sql.OF, (as_list(best),)), reader=reader)
    return Similar(rows=tuple(rows), scores=near)
