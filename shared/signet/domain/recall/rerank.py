"""A second look at the best results with the vectors themselves. Pure."""

from collections.abc import Mapping

from signet.domain.recall.models import Scores

#: What the first score keeps.
KEEP = 0.7


def by_cosine(scores: Scores, cosine: Mapping[int, float], *, top: int) -> Scores:
    """Return scores whose `top` best are 0.7·score + 0.3·cosine; a row without vector keeps its score."""
    best = sorted(scores, key=lambda seq: -scores[seq])[:top]
    again = {
        seq: KEEP * scores[seq] + (1 - KEEP) * cosine[seq]
        for seq in best
        if cosine.get(seq, 0.0) > 0
    }
    return {**scores, **again}
