"""How relevant a result is, on a scale that is nearly the same for every question, and where a page ends. Pure.

A score alone only ranks: its best is high for any question. Relevance is the cosine of the best passage and what the
words weigh that the memory, or one beside it, holds (as a share of the question's, and by themselves: one common word
of one is little; in a long text less, where words meet by chance). A part of it is that of the best on the page: when
even the best is far, what stands behind it is there by chance. So is a part that of the best of the same conversation.

Questions of one conversation asked of another leave, of a page of ten, 1.0 turns, 0.9 facts, 0.6 sessions and 1.4
messages of long chats at the floor of 0.4; of the evidence on the first page 98, 98, 97 and 95 % stay. Weights and
floor chosen on one half of the conversations and judged by the other, 16 times: 0.9, 0.8, 0.7 and 1.4 for 96, 97, 97
and 96 % (single ones 0.03 to 4.7 for 92 to 99 %: in a half much hangs on whether two chats are about one thing). By
words alone 1.9, 0.8, 1.0 and 1.8 for 98, 94, 95 and 98 %; halves 1.8, 0.8, 1.1 and 1.8 for 97, 93, 95 and 97 %.

A question in other words than the answer's has no word to go by, and the model's cosine is then 0.2 to 0.5 for the
answer and 0.1 to 0.4 for what has nothing to do with it: relevance alone hid nearly every such answer. So a page that
would be empty takes the one to three memories nearest by meaning, where these stand out from the tenth nearest
(`by_meaning`). On the people of `loadtests/everyday` 0.75 (half the constants were searched on) and 0.71 (the other) of
the answers in other words stand in the first three (0.00 before), and questions without an answer get 0.75 and 0.98
results (0.54 and 0.69 before). Among settings alike on the first half the second one decided, so it is no unseen
judge. Questions of one conversation asked of another then leave 1.1 turns and 1.05 facts, and 97.7 and 98.0 % of the
evidence stay.
"""

import itertools
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

#: A memory of the time in question is so much of `time_boost.lift` more relevant: words of the time are looked for in
#: no text, so it held fewer words than others. Of 202 dialogue questions with a date recall@10 is 83.7 and not 78.6 %
#: (chosen on this half) and 82.7 and not 80.7 (the other); asked of another conversation they get 0.73 and 1.01 results
#: (0.63 and 0.92 before; with all of it 1.16 and 1.72).
TIMELY = 0.25

#: What counts of the words is their share of the question, and how much they weigh; so much is 63 % of all. For each
#: unit of ln(passages) both are less.
SHARE = 0.4
WEIGHT = 10.0
LENGTH = 0.13

#: A word in one of three memories says as much as one in one of a thousand: in a small store all are rare.
LEAST_ROWS = 1_000

#: The best of few is seldom high by chance: with fewer candidates than this the floor is lower, with one it is 0.
ENOUGH = 20

#: What only its meaning brings must be so much above the tenth nearest, and to fill an empty page have this cosine, as
#: shares of the floor (0.12 and 0.24 at 0.4). In one conversation's turns the ten nearest to a question about something
#: else are alike (the best is 0.07 above the tenth in the median, 0.12 for nine of ten); a memory that answers stands
#: out (0.14 for nine of ten). To a model that does not know their language all texts are alike: every cosine is high.
NEAR = 0.6
STANDS_OUT = 0.3
BACKGROUND = 10

#: So many of the nearest at most, each with this share of the best one's cosine.
NEAREST = 3
NEARLY = 0.8

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


def least(floor: float, *, candidates: int) -> float:
    """Return the relevance below which a result is left out."""
    return floor * min(1.0, math.log(max(1, candidates)) / math.log(ENOUGH))


def background(cosine: Mapping[int, float]) -> float:
    """Return the cosine of the tenth nearest candidate; 0 where there are fewer, which tell nothing of the others."""
    nearest = sorted(cosine.values(), reverse=True)[:BACKGROUND]
    return nearest[-1] if len(nearest) == BACKGROUND else 0.0


def passes(
    relevant: float, told: float, cosine: float | None, *, around: float, floor: float
) -> bool:
    """Return whether a result is relevant enough; without a word of the question it must also stand out.

    `told` is what `held` returned, `around` the background, `floor` what `least` returned.
    """
    if cosine is not None and told <= 0 and not _stands_out(cosine, around, floor):
        return False
    return relevant >= floor


def by_meaning(cosine: Mapping[int, float], floor: float) -> list[int]:
    """Return the memories that only their meaning brings onto a page, nearest first; none where none stands out.

    `cosine` is that of each candidate, `floor` what `least` returned.
    """
    order = sorted(cosine, key=cosine.__getitem__, reverse=True)[:NEAREST]
    best = cosine[order[0]] if order else 0.0
    if best < NEAR * floor or not _stands_out(best, background(cosine), floor):
        return []
    return [seq for seq in order if cosine[seq] >= NEARLY * best]


def _stands_out(cosine: float, around: float, floor: float) -> bool:
    return cosine - around >= STANDS_OUT * floor


def shown(order: Sequence[int], found: Mapping[int, float]) -> Scores:
    """Return each result's relevance as its score 0..1; down the page it never rises, since clients sort by it."""
    lowest = itertools.accumulate((found[seq] for seq in order), min)
    return dict(zip(order, lowest, strict=True))
