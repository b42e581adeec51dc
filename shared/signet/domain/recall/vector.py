"""The vector channel: memories one of whose passages means something like the question.

A memory is as near as its best passage. Filters never cost recall: the index is asked for more than is needed;
when too few of those pass, the vectors of exactly the rows that pass are compared.
"""

from collections.abc import Collection

from signet.db import ReadTx, vectors
from signet.db.visibility import Where
from signet.domain.recall import store
from signet.domain.recall.models import Scores

#: Vectors asked of the index for each memory wanted, first and when that was too few: passages share
#: memories, filters drop some.
OVER_FETCH = (2, 16)

#: When fewer of the nearest vectors pass, comparing all that pass is cheaper than asking the index for more
#: (measured: 3.5 µs for each compared vector, 0.6 to 1 µs for each in the index).
FEW_PASS = 0.3


def find(tx: ReadTx, vector: bytes, where: Where, limit: int, *, model: str | None) -> Scores:
    """Return the cosine 0..1 of the `limit` nearest memories that pass, best first."""
    best: Scores = {}
    for times in OVER_FETCH:
        wanted = min(vectors.MAX_K, times * limit)
        near = dict(vectors.knn(tx, vector, wanted))
        owners = store.owners(tx, list(near), model, where)
        best = {}
        for embedding_id, seq in owners.items():
            best[seq] = max(near[embedding_id], best.get(seq, 0.0))
        if len(best) >= limit or len(near) < wanted:
            break
        if len(owners) < FEW_PASS * len(near):
            best = exact(tx, vector, where, model=model)
            break
    else:
        best = exact(tx, vector, where, model=model)
    return dict(sorted(best.items(), key=lambda pair: (-pair[1], -pair[0]))[:limit])


def fill(tx: ReadTx, vector: bytes, seqs: Collection[int], *, model: str | None) -> Scores:
    """Return the cosine of each given memory that has a vector."""
    return exact(tx, vector, store.among(seqs), model=model) if seqs else {}


def exact(tx: ReadTx, vector: bytes, where: Where, *, model: str | None) -> Scores:
    """Return the cosine of every memory that passes, by comparing the stored vectors."""
    best: Scores = {}
    for rows in store.vectors(tx, vectors.dimensions(vector), model, where):
        scores = vectors.cosines(vector, [row[1] for row in rows])
        for row, score in zip(rows, scores, strict=True):
            best[row[0]] = max(score, best.get(row[0], 0.0))
    return best
