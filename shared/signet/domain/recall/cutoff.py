"""How relevant a passage of a session is to a prompt, on nearly the same scale for every prompt. Pure.

A score alone only ranks: its best is high for any question. Relevance is the cosine of the best passage and what the
words weigh that the memory, or one beside it, holds (as a share of the question's, and by themselves: one common word
of one is little; in a long text less, where words meet by chance). A part of it is that of the best on the page: when
even the best is far, what stands behind it is there by chance. So is a part that of the best of the same conversation.
"""

import math
from collections.abc import Mapping, Sequence

from signet.domain.recall import neighbours
from signet.domain.recall.models import Scores

#: What the cosine and the words add; without vectors the words are all.
COSINE = 0.55
WORDS = 0.5

#: How much of a result's relevance is that of the best on its page.
BEST = 0.3

#: How much of it is that of the best of the same conversation: where one part was told the next is near. Most evidence
#: that the floor took from pages of dialogue was of a session of which something stayed. Recall@10 of turns goes from
#: 83.4 to 84.2 % (chosen on this half; 84.7 without floor) and 80.8 to 81.2 (the other; 81.2), and questions asked of
#: another conversation get 1.09 and 1.59 results (0.99 and 1.46 before). With twice as much nothing more stays.
SOURCE = 0.15

#: What counts of the words is their share of the question, and how much they weigh; so much is 63 % of all. For each
#: unit of ln(passages) both are less.
SHARE = 0.4
WEIGHT = 10.0
LENGTH = 0.13


def held(
    seq: int,
    words: Sequence[Mapping[int, float]],
    weight: Sequence[float],
    around: neighbours.Around,
    passages: float,
) -> float:
    """Return 0..1 for the weight of the question's words that a memory holds; a neighbour's word counts a part."""
    beside = around.get(seq, ())
    mass = math.fsum(
        tells * (1.0 if seq in word else neighbours.WORD)
        for word, tells in zip(words, weight, strict=True)
        if seq in word or any(other in word for other in beside)
    )
    return told(mass, math.fsum(weight)) / (1 + LENGTH * math.log(max(1.0, passages)))


def told(mass: float, of: float) -> float:
    """Return 0..1 for words of a question that weigh `mass` together, where all of them weigh `of`."""
    return SHARE * mass / (of or 1.0) + (1 - SHARE) * -math.expm1(-mass / WEIGHT)


def relevance(
    words: Scores, cosine: Mapping[int, float], sources: Mapping[int, int | None]
) -> Scores:
    """Return the relevance 0..1 of each of `words`; one without vector (not embedded yet, or none is) has these.

    `sources` says what each came from; one that is missing stands alone.
    """
    alone = {
        seq: min(1.0, COSINE * cosine[seq] + WORDS * told) if seq in cosine else told
        for seq, told in words.items()
    }
    best = max(alone.values(), default=0.0)
    of_source: dict[int | None, float] = {}
    for seq, own in alone.items():
        source = sources.get(seq)
        of_source[source] = max(own, of_source.get(source, 0.0))
    of_source.pop(None, None)
    return {
        seq: (1 - BEST - SOURCE) * own + SOURCE * of_source.get(sources.get(seq), own) + BEST * best
        for seq, own in alone.items()
    }
