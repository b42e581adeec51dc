"""The vector channel: memories one of whose passages means something like the question.

A memory is as near as its best passage. Where the process has the signs of all vectors (`signs.py`), they choose
some hundreds whose stored numbers are compared; else the index in the file chooses. Filters never cost recall: more
are asked for until enough pass, and when few would, exactly the rows that pass are looked at.
"""

import math
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from signet.db import ReadTx, vectors
from signet.db.visibility import Where
from signet.domain.recall import store
from signet.domain.recall.models import Scores
from signet.domain.recall.narrow import Narrow
from signet.domain.recall.signs import Signs

if TYPE_CHECKING:
    from signet.db.packed import Flags, Packed

#: Stored vectors that are compared at first for each memory wanted, and at least.
COMPARED = 3
LEAST_COMPARED = 150

#: Signs are poor guides where many vectors are nearly as near. This share of the best from the last third of those
#: compared is a sign of it, and twice as many are compared, at most so many times. Of the true 50 nearest the compared
#: hold 99.9 % among 28,600 passages of conversations (228 compared on average), 97 % in the stores of `loadtests`
#: (750), whose vectors lie closer together.
UNSURE = 0.02
TIMES = (1, 2, 4)
#: How many are chosen for these times: to choose costs a walk of all signs.
CHOSEN = (2, 2, 8)

#: Vectors asked of the index in the file for each memory wanted, first and when that was too few: passages share
#: memories, filters drop some.
OVER_FETCH = (2, 16)

#: When fewer of the nearest vectors pass, comparing all that pass is cheaper than asking the index for more
#: (measured: 3.5 µs for each compared vector, 0.6 to 1 µs for each in the index).
FEW_PASS = 0.3


def find(tx: ReadTx, vector: bytes, narrow: Narrow, limit: int, *, model: str | None) -> Scores:
    """Return the cosine 0..1 of the `limit` nearest memories that pass, best first."""
    best = _by_signs(tx, vector, narrow, limit, model)
    if best is None:
        best = _by_file(tx, vector, narrow.where, limit, model)
    return _first(best, limit)


def _first(scores: Scores, limit: int) -> Scores:
    """Return the best, of equals the newest."""
    order = sorted(sorted(scores, reverse=True), key=scores.__getitem__, reverse=True)[:limit]
    return {seq: scores[seq] for seq in order}


def _by_signs(
    tx: ReadTx, vector: bytes, narrow: Narrow, limit: int, model: str | None
) -> Scores | None:
    """Return the cosines of the memories that the signs choose; None when there are no signs now."""
    signs = tx.derived.of(Signs) if tx.derived is not None else None
    packed = signs.fresh(tx, vectors.dimensions(vector), model) if signs is not None else None
    if signs is None or packed is None:
        return None
    near = _compared(tx, signs, vector, lambda most: _nearest(packed, vector, most), limit)
    if near is None:
        return None
    first = _first(near, limit + limit // 4)
    passing = narrow.allowed(tx, first)
    if len(passing) >= limit:
        return {seq: score for seq, score in first.items() if seq in passing}
    allowed = narrow.flags(tx)
    if allowed is None:
        share = max(1, len(passing)) / max(1, len(first))
        return _compared(
            tx,
            signs,
            vector,
            lambda most: _that_pass(tx, narrow, packed, vector, most, share),
            limit,
        )
    return _compared(tx, signs, vector, lambda most: _nearest(packed, vector, most, allowed), limit)


def _compared(
    tx: ReadTx, signs: Signs, vector: bytes, choose: Callable[[int], dict[int, int]], limit: int
) -> Scores | None:
    """Return the cosines of the memories of chosen vectors; None when too many that it chose are gone.

    More are compared while the best `limit` leave doubt that they are the best of all.
    """
    wanted = max(LEAST_COMPARED, COMPARED * limit)
    owners: dict[int, int] = {}
    scores: Scores = {}
    asked = 0
    for times, chosen in zip(TIMES, CHOSEN, strict=True):
        if asked < chosen * wanted:
            asked = chosen * wanted
            owners = choose(asked)
        part = list(owners)[: times * wanted]
        new = [number for number in part if number not in scores]
        numbers, found = store.vectors_of(tx, new)
        scores |= zip(numbers.tolist(), vectors.cosines(vector, [found]), strict=True)
        if len(numbers) < len(new):
            signs.missed(tx, list(set(new) - scores.keys()))
        is_all = len(owners) <= len(part) and len(owners) < asked
        if is_all or (2 * len(scores) > len(part) and not _is_unsure(part, scores, limit)):
            break
    if 2 * len(scores) <= len(part) and not is_all:
        return None
    best: Scores = {}
    for number, score in scores.items():
        seq = owners[number]
        best[seq] = max(score, best.get(seq, 0.0))
    return best


def _is_unsure(chosen: Sequence[int], scores: Scores, limit: int) -> bool:
    """Return whether what the signs put last is among the best: then there are likely better ones behind it."""
    last = set(chosen[2 * len(chosen) // 3 :])
    best = sorted(scores, key=scores.__getitem__, reverse=True)[:limit]
    return sum(number in last for number in best) > UNSURE * limit


def _nearest(
    packed: "Packed", vector: bytes, wanted: int, allowed: "Flags | None" = None
) -> dict[int, int]:
    """Return the vectors nearest by signs, best first, with their memories."""
    import numpy as np

    numbers, owners = packed.nearest(np.frombuffer(vector, dtype="<f4"), wanted, allowed)
    return dict(zip(numbers.tolist(), owners.tolist(), strict=True))


def _that_pass(
    tx: ReadTx, narrow: Narrow, packed: "Packed", vector: bytes, wanted: int, share: float
) -> dict[int, int]:
    """Return the `wanted` vectors nearest by signs of the memories that pass; about `share` of all do."""
    rough = narrow.roughly(tx)
    asked = math.ceil(1.2 * wanted / (share if rough is None else 1.0))
    while True:
        near = _nearest(packed, vector, asked, rough)
        passing = narrow.passing(tx, set(near.values()))
        chosen = [pair for pair in near.items() if pair[1] in passing]
        if len(chosen) >= wanted or len(near) < asked:
            return dict(chosen[:wanted])
        asked = min(4 * asked, asked * wanted * 3 // 2 // max(1, len(chosen)))


def _by_file(tx: ReadTx, vector: bytes, where: Where, limit: int, model: str | None) -> Scores:
    """Return the cosines of the memories that the index in the file finds."""
    best: Scores = {}
    for times in OVER_FETCH:
        wanted = min(vectors.MAX_K, times * limit)
        near = dict(vectors.knn(tx, vector, wanted))
        owners = store.owners(tx, list(near), model, where)
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

    signs = tx.derived.of(Signs) if tx.derived is not None else None
    packed = signs.fresh(tx, width, model) if signs is not None else None
    if signs is None or packed is None:
        found = store.vectors(tx, width, model, store.among(seqs))
        rows = [(row[0], row[1]) for batch in found for row in batch]
        return [seq for seq, _ in rows], b"".join([one for _, one in rows])
    wanted = np.zeros(max(seqs, default=0) + 1, dtype=np.bool_)
    wanted[list(seqs)] = True
    keys, owners = packed.of(wanted)
    whose = dict(zip(keys.tolist(), owners.tolist(), strict=True))
    numbers, many = store.vectors_of(tx, whose)
    return [whose[number] for number in numbers.tolist()], many


def exact(tx: ReadTx, vector: bytes, where: Where, *, model: str | None) -> Scores:
    """Return the cosine of every memory that passes, by comparing the stored vectors."""
    best: Scores = {}
    for rows in store.vectors(tx, vectors.dimensions(vector), model, where):
        scores = vectors.cosines(vector, [row[1] for row in rows])
        for row, score in zip(rows, scores, strict=True):
            best[row[0]] = max(score, best.get(row[0], 0.0))
    return best
