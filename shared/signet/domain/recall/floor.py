"""How relevant a result is, on a scale that is nearly the same for every question, and where a page ends. Pure.

A score alone only ranks: its best is high for any question. Relevance is the cosine of the best passage, what the words
weigh that the memory, or one beside it, holds (as a share of the question's, and by themselves: one common word of one
is little), and the score, which says how far a result stands behind the best.

Questions of one conversation asked of another leave, of a page of ten, 1.0 turns, 1.3 facts, 0.7 sessions and 1.4
messages of long chats at the floor of 0.4; of the evidence on the first page 97, 99, 97 and 93 % stay. Chosen on one
half of the conversations and judged by the other, both ways: 1.1, 1.3, 0.9 and 1.5 for 96, 99, 98 and 92 %.
"""

import math
from collections.abc import Mapping, Sequence

from signet.domain.recall import neighbours
from signet.domain.recall.models import Scores

#: Weights of the cosine and of the score; the rest is for the words.
COSINE = 0.45
SCORE = 0.3

#: Without vectors the score is the words again.
SCORE_OF_WORDS = 0.1

#: What counts of the words is their share of the question, and how much they weigh; so much is 63 % of all.
SHARE = 0.35
WEIGHT = 10.0

#: A word in one of three memories says as much as one in one of a thousand: in a small store all are rare.
LEAST_ROWS = 1_000

#: The best of few is seldom high by chance: with fewer candidates than this the floor is lower, with one it is 0.
ENOUGH = 20

#: A caller who asks for more than a page wants depth and is given it, down to the noise.
PAGE = 10


def weights(held: Sequence[int], rows: int) -> list[float]:
    """Return how much each word tells (the idf of bm25, kept positive), by the rows that hold it."""
    of = max(rows, LEAST_ROWS)
    return [math.log(1 + (of - min(n, of) + 0.5) / (n + 0.5)) for n in held]


def held(
    seq: int,
    words: Sequence[Mapping[int, float]],
    weight: Sequence[float],
    around: neighbours.Around,
) -> float:
    """Return 0..1 for the weight of the question's words that a memory holds; a neighbour's word counts a part."""
    beside = around.get(seq, ())
    mass = math.fsum(
        tells * (1.0 if seq in word else neighbours.WORD)
        for word, tells in zip(words, weight, strict=True)
        if seq in word or any(other in word for other in beside)
    )
    share = mass / (math.fsum(weight) or 1.0)
    return SHARE * share + (1 - SHARE) * -math.expm1(-mass / WEIGHT)


def relevance(words: Scores, cosine: Mapping[int, float], scores: Mapping[int, float]) -> Scores:
    """Return the relevance 0..1 of each of `words`; one without vector (not embedded yet, or none is) has these."""
    found: Scores = {}
    for seq, told in words.items():
        score = min(1.0, max(0.0, scores.get(seq, 0.0)))
        if seq in cosine:
            found[seq] = COSINE * cosine[seq] + SCORE * score + (1 - COSINE - SCORE) * told
        else:
            found[seq] = SCORE_OF_WORDS * score + (1 - SCORE_OF_WORDS) * told
    return found


def least(floor: float, *, candidates: int) -> float:
    """Return the relevance below which a result is left out."""
    return floor * min(1.0, math.log(max(1, candidates)) / math.log(ENOUGH))
