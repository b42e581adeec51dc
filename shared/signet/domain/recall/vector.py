"""The vector channel: memories with a passage similar in meaning to the question.

The best passage determines a memory's similarity. If the process has the sign bits of all vectors
(`db/vector_cache.py`), these choose some hundred among the memories that pass the filters, whose stored vectors are
compared. Otherwise the index in the file chooses, with more candidates until enough pass; if few would pass, all that
pass are compared exactly.
"""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from signet.db import ReadTx, vectors
from signet.db.vector_cache import VectorCache, best_of, first
from signet.db.visibility import Where
from signet.domain.episodes.models import FoundRow
from signet.domain.recall import tuning
from signet.domain.recall.models import Scores
from signet.domain.recall.sql import reading
from signet.providers.scale import Scale

if TYPE_CHECKING:
    from signet.domain.recall.view import View

#: Vectors requested from the file's index per memory, at first and if that was too few: passages share memories, and
#: filters drop some.
OVER_FETCH = (2, 16)


class MemoryVectors(VectorCache):
    """The sign bits of memory vectors."""

    statements = reading.VECTORS
    name = "signs"


def find(tx: ReadTx, vector: bytes, view: "View", limit: int, *, model: str | None) -> Scores:
    """Return the cosine 0..1 of the `limit` nearest memories that pass, best first."""
    best = None
    if tx.caches is not None:
        signs = tx.caches.get(MemoryVectors)
        best = signs.nearest(tx, vector, lambda: view.flags, limit, model=model)
    if best is None:
        best = by_file(tx, vector, view.where, limit, model)
    return first(best, limit)


def by_file(tx: ReadTx, vector: bytes, where: Where, limit: int, model: str | None) -> Scores:
    """Return the cosines of memories found by the file's index."""
    best: Scores = {}
    for times in OVER_FETCH:
        wanted = min(vectors.MAX_K, times * limit)
        near = dict(vectors.knn(tx, vector, wanted))
        owners = reading.owners(tx, list(near), model, where)
        best = {}
        for embedding_id, seq in owners.items():
            best[seq] = max(near[embedding_id], best.get(seq, 0.0))
        if len(best) >= limit or len(near) < wanted:
            return best
        if len(owners) < tuning.FEW_PASS * len(near):
            break
    return exact(tx, vector, where, model=model)


def near(
    tx: ReadTx, vector: bytes, where: Where, limit: int, *, model: str | None, scale: Scale
) -> Scores:
    """Return the cosine of the `limit` nearest memories that pass, best first, on the scale of the fitted ranking."""
    best = first(by_file(tx, vector, where, limit, model), limit)
    return {seq: scale.factor * one + scale.shift for seq, one in best.items()}


def stored(
    tx: ReadTx, width: int, seqs: Collection[int], *, model: str | None
) -> tuple[list[int], bytes]:
    """Return the owners of the given memories' vectors, and the vectors, concatenated.

    Uses the numbers in the sign-bit cache if loaded.
    """
    import numpy as np

    signs = tx.caches.get(MemoryVectors) if tx.caches is not None else None
    packed = signs.fresh(tx, width, model) if signs is not None else None
    if signs is None or packed is None:
        found = reading.vectors(tx, width, model, reading.among(seqs))
        rows = [(row[0], row[1]) for batch in found for row in batch]
        return [seq for seq, _ in rows], b"".join([one for _, one in rows])
    wanted = np.zeros(max(seqs, default=0) + 1, dtype=np.bool_)
    wanted[list(seqs)] = True
    keys, owners = packed.rows(wanted)
    whose = dict(zip(keys.tolist(), owners.tolist(), strict=True))
    numbers, many = signs.stored(tx, whose)
    return [whose[number] for number in numbers.tolist()], many


def exact(tx: ReadTx, vector: bytes, where: Where, *, model: str | None) -> Scores:
    """Return the cosine of every memory that passes, by comparing the stored vectors."""
    best: Scores = {}
    for rows in reading.vectors(tx, vectors.dimensions(vector), model, where):
        scores = vectors.cosines(vector, [row[1] for row in rows])
        for row, score in zip(rows, scores, strict=True):
            best[row[0]] = max(score, best.get(row[0], 0.0))
    return best


def compare(
    tx: ReadTx,
    plain: bytes,
    weighed: bytes,
    seqs: Collection[int],
    *,
    model: str | None,
    said: Mapping[int, FoundRow],
    scale: Scale,
) -> tuple[Scores, Scores]:
    """Return for each memory or passage with a vector its cosine, and the cosine without the common part.

    Both use the scale of the fitted ranking. The first compares with the `plain` vector of the question, the second
    with the `weighed` one (`gather.py`). The best vector of a memory counts.
    """
    import numpy as np

    owners, vectors_of = stored(tx, vectors.dimensions(plain), seqs, model=model)
    for number, row in said.items():
        if row.vectors and len(row.vectors) == row.parts * len(plain):
            owners += [number] * row.parts
            vectors_of += row.vectors
    if not owners:
        return {}, {}
    many = np.frombuffer(vectors_of, dtype="<f4").reshape(len(owners), -1)
    # einsum, because a matrix product would start the threads of a BLAS library.
    norms = np.sqrt(np.einsum("ij,ij->i", many, many))
    shares = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
    as_asked, near = (
        shares * np.einsum("ij,j->i", many, one) / (np.sqrt(np.einsum("j,j->", one, one)) or 1.0)
        for one in (np.frombuffer(question, dtype="<f4") for question in (plain, weighed))
    )
    # Each candidate counts once, by its best vector.
    by_nearness = np.argsort(-near, kind="stable")
    _, first_of_each = np.unique(np.array(owners)[by_nearness], return_index=True)
    best = by_nearness[np.sort(first_of_each)]
    part = round(tuning.COMMON_PART * len(best))
    nearest = best[: min(tuning.COMMON_MOST, max(tuning.COMMON_LEAST, part))]
    middle = np.einsum("ij,i->j", many[nearest], shares[nearest]) / len(nearest)
    common = shares * np.einsum("ij,j->i", many, middle)
    apart = near - tuning.COMMON_SHARE * (common - common[best].mean())
    factor, shift = scale.factor, scale.shift
    return (
        best_of(owners, (factor * as_asked + shift).tolist()),
        best_of(owners, (factor * apart + shift).tolist()),
    )
