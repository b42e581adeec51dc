"""Vectors: their bytes, the vec0 index, and nearest-neighbour search.

A vector is stored as little-endian float32, 4 bytes for each dimension. `embeddings` is the store of record;
`vec_embeddings` (sqlite-vec) is an index over it with the same IDs, created and filled here because its width is a
setting. If the index is missing or of another width, or sqlite-vec cannot be loaded, NumPy compares the stored vectors
and gives the same answer. Similarity is the cosine, 0 if it would be negative.

This module knows neither a vector's memory nor who may see it.
"""

import re
import sys
from array import array
from collections.abc import Iterable, Sequence

from signet.db.driver import vec_loaded
from signet.db.transaction import ReadTx, WriteTx

#: sqlite-vec refuses a larger k (https://alexgarcia.xyz/sqlite-vec/features/knn.html).
MAX_K = 4096

#: Vectors added to a new index in the transaction that creates it.
AT_ONCE = 500

#: Rows per batch of the NumPy path, to limit memory.
_BATCH = 2048

_DECLARED = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'vec_embeddings'"
#: Exists while the index is being filled, with the number of its last vector.
_FILLED = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'vec_embeddings_filled'"
_CREATE = """
CREATE VIRTUAL TABLE vec_embeddings
USING vec0(id TEXT PRIMARY KEY, embedding FLOAT[{dimensions}] distance_metric=cosine)
"""
_FILL = """
INSERT INTO vec_embeddings (id, embedding)
SELECT id, vector FROM embeddings WHERE dimensions = ? AND length(vector) = 4 * dimensions
"""
_NEXT = """
SELECT seq, id, vector FROM embeddings
WHERE seq > ? AND dimensions = ? AND length(vector) = 4 * dimensions ORDER BY seq LIMIT ?
"""
_INSERT = "INSERT INTO vec_embeddings (id, embedding) VALUES (?, ?)"
#: sqlite-vec's own table of IDs.
_EMPTY_SOME = (
    "DELETE FROM vec_embeddings WHERE id IN (SELECT id FROM vec_embeddings_rowids LIMIT ?)"
)
_MORE_THAN = "SELECT 1 FROM embeddings LIMIT 1 OFFSET ?"
_KNN = "SELECT id, distance FROM vec_embeddings WHERE embedding MATCH ? AND k = ?"
_ALL = "SELECT id, vector FROM embeddings WHERE dimensions = ? AND length(vector) = 4 * dimensions"


def mean(many: bytes | None, count: int) -> bytes | None:
    """Return the mean of concatenated vectors; None for none."""
    import numpy as np

    if not many or count < 2:
        return many or None
    middle: bytes = np.frombuffer(many, dtype="<f4").reshape(count, -1).mean(axis=0).tobytes()
    return middle


def pack(values: Iterable[float]) -> bytes:
    """Return numbers as little-endian float32 bytes."""
    numbers = array("f", values)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def unpack(vector: bytes) -> list[float]:
    """Return the numbers of a packed vector; raises ValueError if the length is not a multiple of 4."""
    numbers = array("f")
    numbers.frombytes(vector)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tolist()


def dimensions(vector: bytes) -> int:
    return len(vector) // 4


def cosines(vector: bytes, others: Sequence[bytes]) -> list[float]:
    """Return the similarity 0..1 of each of `others` (each one vector or several in a row); 0 for a zero vector."""
    import numpy as np

    one = np.frombuffer(vector, dtype="<f4")
    many = np.frombuffer(b"".join(others), dtype="<f4").reshape(-1, len(one))
    # einsum, because a matrix product would start the threads of a BLAS library.
    norms = np.sqrt(np.einsum("ij,ij->i", many, many) * np.einsum("j,j->", one, one))
    products = np.einsum("ij,j->i", many, one)
    found = np.divide(products, norms, out=np.zeros_like(products), where=norms > 0)
    similar: list[float] = np.clip(found, 0.0, 1.0).tolist()
    return similar


def indexed_dimensions(tx: ReadTx) -> int | None:
    """Return the width of the vec0 index, None unless it is complete and usable here."""
    return None if tx.value(_FILLED) else _declared_width(tx)


def ensure(tx: WriteTx, dimensions: int) -> bool:
    """Make the index `dimensions` wide and complete.

    Returns True if it was built, False if it existed already or sqlite-vec cannot be loaded. An index of another width,
    or one without a text ID, is dropped first. Costs about 0.1 ms for each vector.
    """
    if not vec_loaded(tx.connection):
        return False
    declared: str | None = tx.value(_DECLARED)
    if indexed_dimensions(tx) == dimensions and re.search(r"\bid\s+text", declared or "", re.I):
        return False
    _create(tx, dimensions)
    tx.run("DROP TABLE IF EXISTS vec_embeddings_filled")
    tx.run(_FILL, (dimensions,))
    return True


def needs_rebuild(tx: ReadTx, dimensions: int) -> bool:
    """Return whether there are vectors and the index is incomplete or not `dimensions` wide."""
    if not vec_loaded(tx.connection) or tx.value(_MORE_THAN, (0,)) is None:
        return False
    return indexed_dimensions(tx) != dimensions


def rebuild(tx: WriteTx, dimensions: int, *, limit: int) -> bool:
    """Rebuild the index in a small step to `dimensions`; True while steps are left.

    A step empties, creates or fills in at most `limit` vectors (about 0.1 ms each). Until the last step the NumPy path
    answers, so that queries never meet an index of the old width or a partly filled one.
    """
    if not needs_rebuild(tx, dimensions):
        return False
    if not tx.value(_FILLED) or _declared_width(tx) != dimensions:
        if _declared_width(tx) and tx.run(_EMPTY_SOME, (limit,)) == limit:
            return True
        _create(tx, dimensions)
        tx.run("DROP TABLE IF EXISTS vec_embeddings_filled")
        tx.run("CREATE TABLE vec_embeddings_filled AS SELECT 0 AS seq")
        return True
    rows = tx.all(_NEXT, (tx.value("SELECT seq FROM vec_embeddings_filled"), dimensions, limit))
    tx.many(_INSERT, [(row[1], row[2]) for row in rows])
    if len(rows) < limit:
        tx.run("DROP TABLE vec_embeddings_filled")
        return False
    tx.run("UPDATE vec_embeddings_filled SET seq = ?", (rows[-1][0],))
    return True


def insert(tx: WriteTx, rows: Sequence[tuple[str, bytes]]) -> None:
    """Add new (id, vector) pairs to the index; those of another width are left to the NumPy path.

    The first call creates the index in a file with few vectors. An index under construction is skipped: it is filled in
    the order of the vectors' numbers, and new ones have the highest.
    """
    if not rows or not vec_loaded(tx.connection):
        return
    if tx.value(_DECLARED) is None:
        if tx.value(_MORE_THAN, (AT_ONCE,)) is None:
            # `embeddings` is written first, so this includes the given rows.
            ensure(tx, dimensions(rows[0][1]))
        return
    width = indexed_dimensions(tx)
    tx.many(_INSERT, [row for row in rows if dimensions(row[1]) == width])


def delete(tx: WriteTx, ids: Iterable[str]) -> None:
    """Remove vectors from the index; unknown ids are ignored."""
    if _declared_width(tx) is not None:
        tx.many("DELETE FROM vec_embeddings WHERE id = ?", [(id_,) for id_ in ids])


def knn(tx: ReadTx, vector: bytes, k: int) -> list[tuple[str, float]]:
    """Return at most `k` IDs of `embeddings` with their similarity 0..1, best first.

    Fewer than `min(k, MAX_K)` means that there are no more of this width.
    """
    k = min(k, MAX_K)
    if k < 1 or not vector:
        return []
    if indexed_dimensions(tx) == dimensions(vector):
        rows = tx.all(_KNN, (vector, k))
        return [(row[0], similarity(row[1])) for row in rows]
    return _exact(tx, vector, k)


def similarity(distance: float | None) -> float:
    """Return the similarity 0..1 of a cosine distance; 0 for a zero vector, which has no distance."""
    return 0.0 if distance is None else min(1.0, max(0.0, 1.0 - distance))


def _declared_width(tx: ReadTx) -> int | None:
    """Return the width of the index, complete or not; None if this connection cannot use it."""
    declared = tx.value(_DECLARED)
    width = re.search(r"float\s*\[\s*(\d+)\s*\]", declared or "", re.IGNORECASE)
    return int(width[1]) if width and vec_loaded(tx.connection) else None


def _create(tx: WriteTx, dimensions: int) -> None:
    tx.run("DROP TABLE IF EXISTS vec_embeddings")
    tx.run(_CREATE.format(dimensions=int(dimensions)))


def _exact(tx: ReadTx, vector: bytes, k: int) -> list[tuple[str, float]]:
    cursor = tx.connection.execute(_ALL, (dimensions(vector),))
    best: list[tuple[str, float]] = []
    while rows := cursor.fetchmany(_BATCH):
        scores = cosines(vector, [row[1] for row in rows])
        best += zip((row[0] for row in rows), scores, strict=True)
        best = sorted(best, key=lambda pair: -pair[1])[:k]
    return best
