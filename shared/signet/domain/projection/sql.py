"""The SQL of maps: which vectors a question is about, the maps that are kept, the jobs that make them.

A memory is on the map by the vector of its first passage. Vectors of another width or model cannot be compared; where
a store holds several kinds (its model was changed), the most frequent one counts.
"""

import json
from collections.abc import Sequence

from signet.db import ReadTx, Row, fts
from signet.db.dialect import LIST, THEN_JOIN, list_rows
from signet.db.visibility import Reader, Where, readable
from signet.domain.memory import filters
from signet.domain.projection.models import Map, MapExtent, MapView

#: Most stored maps; the oldest are deleted.
KEPT = 16

_FROM = f"""
FROM memories m {THEN_JOIN} embeddings e
  ON e.source_type = 'memory' AND e.source_id = m.id AND e.ordinal = 0 AND length(e.vector) = 4 * e.dimensions
WHERE m.is_deleted = 0 AND e.dimensions > 0"""
_EXTENT = """
SELECT e.dimensions, e.model, count(*) AS total, max(e.seq) AS newest, sum(e.seq) AS together
{from_} AND {where} GROUP BY e.dimensions, e.model ORDER BY total DESC, newest DESC LIMIT 1"""
_VECTORS = """
SELECT m.id, e.vector {from_} AND {where} AND e.dimensions = ? AND e.model IS ?
ORDER BY m.created_at DESC, m.seq DESC LIMIT ? OFFSET ?"""
_NODES = f"""
SELECT m.id, m.content, m.who, m.importance, m.type, m.tags, m.pinned, m.source_type, m.source_id, m.created_at
FROM {list_rows()} j {THEN_JOIN} memories m ON m.id = j.value WHERE m.is_deleted = 0 AND {{where}}"""

_KEPT = "SELECT result_json, cached_at FROM umap_cache WHERE id = ?"
KEEP = """
INSERT INTO umap_cache (id, dimensions, embedding_count, result_json, cached_at) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET embedding_count = excluded.embedding_count,
  result_json = excluded.result_json, cached_at = excluded.cached_at"""
FORGET = """
DELETE FROM umap_cache WHERE id NOT IN (SELECT id FROM umap_cache ORDER BY cached_at DESC LIMIT ?)"""

DELETE_ALL = "DELETE FROM umap_cache"
IS_OPEN = """
SELECT 1 FROM memory_jobs WHERE dedupe_key = ? AND status IN ('pending', 'leased')"""
DIED = """
SELECT error, failed_at FROM memory_jobs
WHERE status = 'dead' AND failed_at > ? AND dedupe_key = ? ORDER BY failed_at DESC LIMIT 1"""


def extent(tx: ReadTx, view: MapView, reader: Reader) -> MapExtent:
    """Return the vectors for a view, regardless of the page."""
    where = _where(view, reader)
    row = tx.one(_EXTENT.format(from_=_FROM, where=where.sql), where.params)
    if row is None:
        return MapExtent(total=0)
    stamp = f"{row['total']}:{row['newest']}:{row['together']}"
    return MapExtent(total=row["total"], dimensions=row[0], model=row[1], stamp=stamp)


def vectors(
    tx: ReadTx, view: MapView, reader: Reader, extent: MapExtent
) -> tuple[list[str], list[bytes]]:
    """Return IDs and vectors of the page, newest memory first."""
    where = _where(view, reader)
    rows = tx.all(
        _VECTORS.format(from_=_FROM, where=where.sql),
        (*where.params, extent.dimensions, extent.model, view.size, view.offset),
    )
    return [row[0] for row in rows], [row[1] for row in rows]


def nodes(tx: ReadTx, memory_ids: Sequence[str], reader: Reader) -> dict[str, Row]:
    """Return the fields of these memories that the reader may see."""
    seen = readable(reader)
    rows = tx.all(_NODES.format(where=seen.sql), (json.dumps(memory_ids), *seen.params))
    return {row[0]: row for row in rows}


def stored_map(tx: ReadTx, view: MapView, stamp: str) -> Map | None:
    """Return the stored map of a view; None if it is missing or its vectors have changed."""
    row = tx.one(_KEPT, (view.key,))
    if row is None:
        return None
    found = json.loads(row[0])
    if found["stamp"] != stamp:
        return None
    return Map(
        stamp=stamp,
        ids=tuple(found["ids"]),
        places=tuple(map(tuple, found["places"])),
        edges=tuple(map(tuple, found["edges"])),
        cached_at=row[1],
    )


def _where(view: MapView, reader: Reader) -> Where:
    where = readable(reader) & filters.passing(view)
    for column, values in (
        ("m.type", view.types),
        ("coalesce(m.source_type, 'memory')", view.source_types),
    ):
        if values:
            where &= Where(f"{column} IN {LIST}", (json.dumps(values),))
    return where & _holds(view.q) if view.q else where


def _holds(text: str) -> Where:
    """Return the condition that a memory's text or metadata contains this text."""
    plain = fts.encodable(text)
    for mark in ("\\", "%", "_"):
        plain = plain.replace(mark, "\\" + mark)
    columns = ("m.content", "m.tags", "m.who", "m.type", "m.source_type", "m.source_id")
    looked = " OR ".join(f"{column} LIKE ? ESCAPE '\\'" for column in columns)
    return Where(f"({looked})", (f"%{plain}%",) * len(columns))
