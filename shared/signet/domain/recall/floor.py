"""How relevant a result is, on a scale that is the same for every question, and where a page ends. Pure.

A score only ranks: its best is high for any question. Relevance is the cosine of the best passage and the share of
what the question's words weigh that the memory, or one beside it, holds. Measured through
the API (`loadtests/recall_quality.py`), questions of one conversation asked of another: at the floor of 0.3 there are
left, of a page of ten, 1.4 turns or 1.4 facts; of the evidence on the first page 96 and 98 % stay.
"""

import math
from collections.abc import Mapping, Sequence

from signet.domain.recall import neighbours
from signet.domain.recall.models import Scores

#: Weight of the cosine; the rest is the share of the words.
COSINE = 0.6

#: Without vectors the share alone decides, and half of the weight of a question is seldom in one memory.
WORDS_ALONE = 2 / 3

#: A word in one of three memories says as much as one in one of a thousand: in a small store all are rare.
LEAST_ROWS = 1_000

#: The best of few is seldom high by chance: with fewer candidates than this the floor is lower, with one it is 0.
ENOUGH = 50

#: A caller who asks for more than a page wants depth and is given it, down to the noise.
PAGE = 10


def weights(held: Sequence[int], rows: int) -> list[float]:
    """Return how much each word tells (the idf of bm25, kept positive), by the rows that hold it."""
    of = max(rows, LEAST_ROWS)
    return [math.log(1 + (of - min(n, of) + 0.5) / (n + 0.5)) for n in held]


def share(
    seq: int,
    words: Sequence[Mapping[int, float]],
    weight: Sequence[float],
    around: neighbours.Around,
) -> float:
    """Return the share 0..1 of the question's weight that a memory holds; a neighbour's word counts a part."""
    beside = around.get(seq, ())
    held = math.fsum(
        tells * (1.0 if seq in word else neighbours.WORD)
        for word, tells in zip(words, weight, strict=True)
        if seq in word or any(other in word for other in beside)
    )
    return held / (math.fsum(weight) or 1.0)


def relevance(shares: Mapping[int, float], cosine: Mapping[int, float]) -> Scores:
    """Return the relevance 0..1 of each; one without vector (not embedded yet, or none is) has its share."""
    return {
        seq: COSINE * cosine[seq] + (1 - COSINE) * held if seq in cosine else held
        for seq, held in shares.items()
    }


def least(floor: float, *, candidates: int, by_meaning: bool) -> float:
    """Return the relevance below which a result is left out."""
    few = math.log(max(1, candidates)) / math.log(ENOUGH)
    return floor * min(1.0, few) * (1.0 if by_meaning else WORDS_ALONE)
