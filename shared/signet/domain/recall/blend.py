"""From what each channel says to one score. Pure."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from signet.domain.recall.models import Scores, Source

#: A hint is a guess of what will be asked: alone it must not beat a text that holds the words.
HINT_ALONE = 0.75
HINT_SHARE = 0.3

#: Share of cosine in the score of a memory that the graph brought; the rest is structural importance.
TRAVERSAL_COSINE = 0.7

#: Flat results keep at least this share of the page, so that one well-connected entity cannot fill it.
FLAT_SHARE = 0.4

#: A memory that only the graph knows stands just below the page of those that match.
BELOW = 0.99


@dataclass(slots=True)
class Evidence:
    """What the channels know of each candidate, 0..1. A missing key means that the channel does not know it."""

    keyword: Scores = field(default_factory=dict)
    hint: Scores = field(default_factory=dict)
    cosine: Scores = field(default_factory=dict)
    structure: Scores = field(default_factory=dict)

    def text(self) -> Scores:
        """Return the keyword scores with the hints worked in."""
        return with_hints(self.keyword, self.hint)

    def seqs(self) -> set[int]:
        """Return every candidate."""
        return {*self.keyword, *self.hint, *self.cosine, *self.structure}


def with_hints(keyword: Mapping[int, float], hints: Mapping[int, float]) -> Scores:
    """Return keyword scores lifted by matching hints; a hint alone counts at most `HINT_ALONE`."""
    merged = dict(keyword)
    for seq, hint in hints.items():
        own = keyword.get(seq, 0.0)
        lifted = (1 - HINT_SHARE) * own + HINT_SHARE * hint
        merged[seq] = max(own, lifted) if own > 0 else min(hint, HINT_ALONE)
    return merged


def filled(text: Mapping[int, float], cosine: Mapping[int, float], *, alpha: float) -> Scores:
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


def plain(text: Mapping[int, float], cosine: Mapping[int, float], *, alpha: float) -> Scores:
    """Return the blend where both channels found a row, else the score of the one that did (§5)."""
    scores: Scores = {}
    for seq in {*text, *cosine}:
        words, vector = text.get(seq, 0.0), cosine.get(seq, 0.0)
        both = words > 0 and vector > 0
        scores[seq] = alpha * vector + (1 - alpha) * words if both else max(words, vector)
    return scores


def source_of(text: float, cosine: float) -> Source:
    """Return the name of what brought a flat result."""
    if text > 0 and cosine > 0:
        return Source.HYBRID
    return Source.KEYWORD if text > 0 else Source.VECTOR


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


def append_graph(flat: Scores, graph: Scores, *, limit: int) -> Scores:
    """Add memories that only the graph knows behind the page of flat results; none of those is displaced."""
    page = sorted(flat.values(), reverse=True)[:limit]
    ceiling = page[-1] * BELOW if page else 1.0
    added = {seq: min(score, ceiling) for seq, score in graph.items() if seq not in flat}
    return {**flat, **added}


def share_page(flat: Scores, graph: Scores, *, limit: int) -> Scores:
    """Return the pool where graph rows come first and flat ones keep `FLAT_SHARE` of the page (REC-13)."""
    merged = {seq: max(score, flat.get(seq, 0.0)) for seq, score in graph.items()}
    walked = sorted(merged, key=lambda seq: -merged[seq])
    alone = sorted((seq for seq in flat if seq not in graph), key=lambda seq: -flat[seq])
    most = limit - min(math.ceil(FLAT_SHARE * limit), len(alone))
    kept = walked[:most]
    rest = alone[: limit - len(kept)]
    return {seq: merged.get(seq, flat.get(seq, 0.0)) for seq in (*kept, *rest)}


def boosted(scores: Scores, members: set[int], *, weight: float) -> Scores:
    """Return scores with those of `members` moved towards 1 by `weight` (REC-16, REC-17)."""
    return {
        seq: (1 - weight) * score + weight if seq in members else score
        for seq, score in scores.items()
    }


def at_least(scores: Scores, min_score: float) -> Scores:
    """Return the scores that are not below `min_score`."""
    return {seq: score for seq, score in scores.items() if score >= min_score}
