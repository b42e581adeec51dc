"""From what each channel says to one score. Pure."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from signet.domain.recall import neighbours
from signet.domain.recall.models import Scores, Source

#: A hint is a guess of what will be asked: alone it must not beat a text that holds the words.
HINT_ALONE = 0.75
HINT_SHARE = 0.3

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

#: Share of cosine in the score of a memory that the graph brought; the rest is structural importance.
TRAVERSAL_COSINE = 0.7

#: A memory that only the graph knows stands just below the page of those that match.
BELOW = 0.99


@dataclass(slots=True)
class Evidence:
    """What the channels know of each candidate, 0..1. A missing key means that the channel does not know it."""

    keyword: Scores = field(default_factory=dict)
    hint: Scores = field(default_factory=dict)
    cosine: Scores = field(default_factory=dict)
    #: Cosine without what the candidates have in common (`centering.py`).
    apart: Scores = field(default_factory=dict)
    structure: Scores = field(default_factory=dict)
    #: bm25 (positive) of each word of the question.
    words: list[Scores] = field(default_factory=list)


def with_hints(keyword: Mapping[int, float], hints: Mapping[int, float]) -> Scores:
    """Return keyword scores lifted by matching hints; a hint alone counts at most `HINT_ALONE`."""
    merged = dict(keyword)
    for seq, hint in hints.items():
        own = keyword.get(seq, 0.0)
        lifted = (1 - HINT_SHARE) * own + HINT_SHARE * hint
        merged[seq] = max(own, lifted) if own > 0 else min(hint, HINT_ALONE)
    return merged


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


def source_of(text: float, cosine: float) -> Source:
    """Return the name of what brought a flat result."""
    if cosine > 0:
        return Source.HYBRID if text > 0 else Source.VECTOR
    return Source.KEYWORD


def structural(
    structure: Mapping[int, float], cosine: Mapping[int, float], *, min_score: float
) -> Scores:
    """Return the scores of memories that the graph brought (REC-11)."""
    scores: Scores = {}
    for seq, importance in structure.items():
        similar = cosine.get(seq, 0.0)
        share = TRAVERSAL_COSINE if similar > 0 else 0.0
        score = share * similar + (1 - share) * importance
        scores[seq] = min(1.0, max(min_score, score))
    return scores


def append_graph(flat: Scores, graph: Scores, *, limit: int, min_score: float) -> Scores:
    """Add memories that only the graph knows behind the page of flat results; none of those is displaced."""
    page = sorted(flat.values(), reverse=True)[:limit]
    ceiling = max(min_score, page[-1] * BELOW) if page else 1.0
    added = {seq: min(score, ceiling) for seq, score in graph.items() if seq not in flat}
    return {**flat, **added}


def boosted(scores: Scores, members: set[int], *, weight: float) -> Scores:
    """Return scores with those of `members` moved towards 1 by `weight` (REC-16, REC-17)."""
    return {
        seq: (1 - weight) * score + weight if seq in members else score
        for seq, score in scores.items()
    }


def at_least(scores: Scores, min_score: float, near: Mapping[int, float]) -> Scores:
    """Return the scores that are not below `min_score`, and those of rows whose cosine in `near` is not."""
    return {
        seq: score
        for seq, score in scores.items()
        if score >= min_score or near.get(seq, 0.0) >= min_score
    }
