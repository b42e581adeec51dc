"""How well turns of sessions match a question, by words and meaning (`turns.py`). Pure."""

import math
from collections.abc import Collection, Mapping, Sequence

from signet.domain.recall import neighbours
from signet.domain.recall.models import Scores

#: The best of many passages is high by chance alone, and a long text holds many words by chance: for each unit
#: of ln(passages) cosine loses this much and the words this share. Measured on long chat messages: recall@10
#: 51 to 59 %, nothing lost elsewhere.
LENGTH_COSINE = 0.04
LENGTH_WORDS = 0.2

#: The constants of FTS5's bm25 (https://sqlite.org/fts5.html#the_bm25_function).
BM25_K1 = 1.2
BM25_B = 0.75

#: bm25 prefers the shorter of two texts, and among statements of a sentence or two that is chance: the shorter the
#: texts are on average, up to so many passages, the less it does. Measured: MRR of dialogue turns 56.2 to 59.4 %, of
#: facts 68.8 to 70.4 %; with it in long texts, too, recall@10 of chat with code is 57.3 and not 60.8 %.
LONG = 2.0


def scaled(scores: Mapping[int, float]) -> Scores:
    """Return scores as 0..1, the best of them 1."""
    best = max(scores.values(), default=0.0)
    return {seq: score / best for seq, score in scores.items()} if best > 0 else {}


def worded(
    words: Sequence[Mapping[int, float]],
    around: neighbours.Around,
    passages: Mapping[int, float],
) -> Scores:
    """Return 0..1 for how well a memory, with its neighbours, holds the words of the question.

    In a text of many `passages` words meet by chance, so there the share of the words it holds counts too.
    """
    totals: Scores = {}
    held: dict[int, int] = {}
    even, lengths = evened(passages), beyond_one(passages)
    for word in words:
        for seq in word:
            held[seq] = held.get(seq, 0) + 1
        own = {seq: score * even.get(seq, 1.0) for seq, score in word.items()}
        for seq, score in neighbours.lend(own, around).items():
            totals[seq] = totals.get(seq, 0.0) + score
    for seq, total in totals.items():
        if length := lengths.get(seq, 0.0):
            coverage = math.pow(held.get(seq, 0) / len(words), min(1.0, length))
            totals[seq] = total * coverage / (1 + LENGTH_WORDS * length)
    return scaled(totals)


def occurring(words: Sequence[Mapping[int, float]], passages: Mapping[int, float]) -> list[Scores]:
    """Return bm25 of each word, whose weight is given, in the texts that hold it, as if it stood there once."""
    mean = math.fsum(passages.values()) / max(1, len(passages))
    once = {
        seq: (1 + BM25_K1) / (1 + BM25_K1 * (1 - BM25_B + BM25_B * length / mean))
        for seq, length in passages.items()
    }
    return [{seq: weight * once[seq] for seq, weight in word.items()} for word in words]


def beyond_one(passages: Mapping[int, float]) -> Scores:
    """Return ln(passages) of the texts of more than one."""
    return {seq: math.log(length) for seq, length in passages.items() if length > 1}


def evened(passages: Mapping[int, float]) -> Scores:
    """Return by what bm25 of a word is multiplied, so that in a store of short texts length does not tell.

    Exact for a word that a text holds once, if the candidates are as long on average as all texts.
    """
    mean = math.fsum(passages.values()) / max(1, len(passages))
    short = shortness(passages.values())
    if short == 0:
        return {}
    b = BM25_B * (1 - short)
    return {
        seq: (1 + BM25_K1 * (1 + BM25_B * over)) / (1 + BM25_K1 * (1 + b * over))
        for seq, over in ((seq, length / mean - 1) for seq, length in passages.items())
    }


def shortness(passages: Collection[float]) -> float:
    """Return how much the texts are statements of a sentence or two: 1 for the shortest, 0 from `LONG` on average."""
    mean = math.fsum(passages) / max(1, len(passages))
    return max(0.0, 1 - mean / LONG) if mean > 0 else 0.0


def levelled(cosine: Mapping[int, float], passages: Mapping[int, float]) -> Scores:
    """Return the cosines of best passages as if each memory had as many passages as they have on average."""
    lengths = beyond_one({seq: passages.get(seq, 1.0) for seq in cosine})
    mean = math.fsum(lengths.values()) / max(1, len(cosine))
    levels = (
        (seq, x - LENGTH_COSINE * (lengths.get(seq, 0.0) - mean)) for seq, x in cosine.items()
    )
    return {seq: 0.0 if x < 0.0 else x if x < 1.0 else 1.0 for seq, x in levels}


def weighed(text: Mapping[int, float], cosine: Mapping[int, float], *, alpha: float) -> Scores:
    """Return alpha·cosine + (1−alpha)·text for each candidate; no text match is 0.

    A candidate without a vector (not embedded yet) gets the mean cosine of the others; without any vector the
    text score stands alone.
    """
    if not cosine:
        return dict(text)
    mean = math.fsum(cosine.values()) / len(cosine)
    return {
        seq: alpha * cosine.get(seq, mean) + (1 - alpha) * text.get(seq, 0.0)
        for seq in {*text, *cosine}
    }
