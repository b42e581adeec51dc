"""The vector channel: memories one of whose passages means something like the question.

A memory is as near as its best passage. Where the process has the signs of all vectors (`vector_cache.py`), they choose
some hundreds whose stored numbers are compared, of what passes the filters alone; else the index in the file chooses,
more until enough pass, and when few would, exactly the rows that pass are looked at.
"""

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from signet.db import ReadTx, vectors
from signet.db.visibility import Where
from signet.domain.recall.models import Scores
from signet.domain.recall.sql import reading
from signet.domain.recall.vector_cache import VectorCache

if TYPE_CHECKING:
    from signet.db.binary_index import Floats, Numbers
    from signet.domain.recall.view import View
from collections.abc import Mapping

from signet.domain.episodes.models import FoundRow
from signet.providers.scale import Scale

#: Numbers of vectors, best first, and the memories that they are of.
Chosen = tuple["Numbers", "Numbers"]

#: Stored vectors that are compared at first for each memory wanted, and at least.
COMPARED = 3
LEAST_COMPARED = 120

#: Of more vectors than these, signs tell the nearest less well, and so many times as many are compared: of the true 10
#: nearest of a million 98.7 % are found then, 96.9 % otherwise.
MANY, MORE = 300_000, 3

#: Signs are poor guides where many vectors are nearly as near. This share of the best from the last third of those
#: compared is a sign of it, and twice as many are compared, at most so many times. Of the true 10 nearest the 24 found
#: for a page hold 99.95 % among 3,700 dialogue turns and 99.6 to 99.9 % in the stores of `loadtests`, whose vectors lie
#: closer together (125 are compared on average).
UNSURE = 0.05
TIMES = (1, 2, 4)
#: How many are chosen for these times: to choose costs a walk of all signs.
CHOSEN = (2, 2, 8)

#: Vectors asked of the index in the file for each memory wanted, first and when that was too few: passages share
#: memories, filters drop some.
OVER_FETCH = (2, 16)

#: When fewer of the nearest vectors pass, comparing all that pass is cheaper than asking the index for more
#: (measured: 3.5 µs for each compared vector, 0.6 to 1 µs for each in the index).
FEW_PASS = 0.3


def find(tx: ReadTx, vector: bytes, view: "View", limit: int, *, model: str | None) -> Scores:
    """Return the cosine 0..1 of the `limit` nearest memories that pass, best first."""
    best = _by_signs(tx, vector, view, limit, model)
    if best is None:
        best = by_file(tx, vector, view.where, limit, model)
    return _first(best, limit)


def _first(scores: Scores, limit: int) -> Scores:
    """Return the best, of equals the newest."""
    order = sorted(sorted(scores, reverse=True), key=scores.__getitem__, reverse=True)[:limit]
    return {seq: scores[seq] for seq in order}


def _by_signs(
    tx: ReadTx, vector: bytes, view: "View", limit: int, model: str | None
) -> Scores | None:
    """Return the cosines of the memories that the signs choose; None when there are no signs now."""
    import numpy as np

    signs = tx.caches.of(VectorCache) if tx.caches is not None else None
    packed = signs.fresh(tx, vectors.dimensions(vector), model) if signs is not None else None
    if signs is None or packed is None:
        return None
    wanted = max(LEAST_COMPARED, COMPARED * limit) * (MORE if packed.count > MANY else 1)
    one = np.frombuffer(vector, dtype="<f4")
    return _compared(
        tx, signs, vector, lambda most: packed.nearest(one, most, view.flags), limit, wanted
    )


def _compared(
    tx: ReadTx,
    signs: VectorCache,
    vector: bytes,
    choose: Callable[[int], Chosen],
    limit: int,
    wanted: int,
) -> Scores | None:
    """Return the cosines of the memories of chosen vectors; None when too many that it chose are gone.

    `wanted` are compared at first, and more while the best `limit` leave doubt that they are the best of all.
    """
    import numpy as np

    scores: dict[int, float] = {}
    whose: list[int] = []
    asked = 0
    for times, chosen in zip(TIMES, CHOSEN, strict=True):
        if asked < chosen * wanted:
            asked = chosen * wanted
            numbers, owners = choose(asked)
        part: list[int] = numbers[: times * wanted].tolist()
        new = [number for number in part if number not in scores]
        found, many = reading.vectors_of(tx, new)
        scores |= zip(found.tolist(), vectors.cosines(vector, [many]), strict=True)
        whose += _owners(numbers, owners, found)
        if len(found) < len(new):
            signs.missed(tx, list(set(new) - scores.keys()))
        is_all = len(numbers) <= len(part) and len(numbers) < asked
        is_half = 2 * len(scores) > len(part)
        if is_all or (is_half and not _is_unsure(part, scores, limit)):
            break
    if not (is_half or is_all):
        return None
    return best_of(whose, np.fromiter(scores.values(), dtype=np.float64, count=len(scores)))


def _is_unsure(chosen: Sequence[int], scores: Scores, limit: int) -> bool:
    """Return whether what the signs put last is among the best: then there are likely better ones behind it."""
    last = set(chosen[2 * len(chosen) // 3 :])
    best = sorted(scores, key=scores.__getitem__, reverse=True)[:limit]
    return sum(number in last for number in best) > UNSURE * limit


def _owners(numbers: "Numbers", owners: "Numbers", wanted: "Numbers") -> list[int]:
    """Return whose the wanted ones of some vectors are."""
    order = numbers.argsort()
    found: list[int] = owners[order[numbers.searchsorted(wanted, sorter=order)]].tolist()
    return found


def best_of(owners: Sequence[int], scores: "Floats") -> Scores:
    """Return for each owner its highest score: of the same key, the last one stays in a dictionary."""
    order = scores.argsort().tolist()
    numbers: list[float] = scores.tolist()
    return {owners[place]: numbers[place] for place in order}


def by_file(tx: ReadTx, vector: bytes, where: Where, limit: int, model: str | None) -> Scores:
    """Return the cosines of the memories that the index in the file finds."""
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
        if len(owners) < FEW_PASS * len(near):
            break
    return exact(tx, vector, where, model=model)


def stored(
    tx: ReadTx, width: int, seqs: Collection[int], *, model: str | None
) -> tuple[list[int], bytes]:
    """Return whose the vectors of the given memories are, and these one behind the other.

    The signs tell their numbers where they are.
    """
    import numpy as np

    signs = tx.caches.of(VectorCache) if tx.caches is not None else None
    packed = signs.fresh(tx, width, model) if signs is not None else None
    if signs is None or packed is None:
        found = reading.vectors(tx, width, model, reading.among(seqs))
        rows = [(row[0], row[1]) for batch in found for row in batch]
        return [seq for seq, _ in rows], b"".join([one for _, one in rows])
    wanted = np.zeros(max(seqs, default=0) + 1, dtype=np.bool_)
    wanted[list(seqs)] = True
    keys, owners = packed.of(wanted)
    whose = dict(zip(keys.tolist(), owners.tolist(), strict=True))
    numbers, many = reading.vectors_of(tx, whose)
    return [whose[number] for number in numbers.tolist()], many


def exact(tx: ReadTx, vector: bytes, where: Where, *, model: str | None) -> Scores:
    """Return the cosine of every memory that passes, by comparing the stored vectors."""
    best: Scores = {}
    for rows in reading.vectors(tx, vectors.dimensions(vector), model, where):
        scores = vectors.cosines(vector, [row[1] for row in rows])
        for row, score in zip(rows, scores, strict=True):
            best[row[0]] = max(score, best.get(row[0], 0.0))
    return best


#: Number of nearest vectors whose mean is subtracted, and its share; 30 to 100 and 0.5 to 0.8 give the same results. In
#: 140 stores of 60 memories recall@5 is 0.6 % higher with the nearer part than with all, of at least LEAST.
NEAREST = 50
NEARER = 0.4
LEAST = 10
SHARE = 0.6


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
    """Return the cosine of each given memory or passage that has a vector, and the one without what is common.

    Both are on the scale that ranking is fitted for. The first is to the `plain` vector of the question, the second to
    the `weighed` one (`gather.py`). A memory is as near as its best vector.
    """
    import numpy as np

    owners, vectors_of = stored(tx, vectors.dimensions(plain), seqs, model=model)
    known = {number: row.vector for number, row in said.items() if row.vector}
    known = {number: one for number, one in known.items() if len(one) == len(plain)}
    owners, vectors_of = [*owners, *known], vectors_of + b"".join(known.values())
    if not owners:
        return {}, {}
    many = np.frombuffer(vectors_of, dtype="<f4").reshape(len(owners), -1)
    # einsum, because a product of matrices would start the threads of a BLAS library.
    norms = np.sqrt(np.einsum("ij,ij->i", many, many))
    shares = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
    as_asked, near = (
        shares * np.einsum("ij,j->i", many, one) / (np.sqrt(np.einsum("j,j->", one, one)) or 1.0)
        for one in (np.frombuffer(question, dtype="<f4") for question in (plain, weighed))
    )
    nearest = np.argsort(-near)[: min(NEAREST, max(LEAST, round(NEARER * len(owners))))]
    middle = np.einsum("ij,i->j", many[nearest], shares[nearest]) / len(nearest)
    common = shares * np.einsum("ij,j->i", many, middle)
    apart = near - SHARE * (common - common.mean())
    factor, shift = scale.factor, scale.shift
    return (
        best_of(owners, factor * as_asked + shift),
        best_of(owners, factor * apart + shift),
    )
