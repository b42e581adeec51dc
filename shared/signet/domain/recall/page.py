"""The page of an answer: the best by score, without what is below the floor."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from signet.db import fts
from signet.domain.recall import expected, floor
from signet.domain.recall.gather import FEW_WORDS
from signet.domain.recall.models import Fusion, Scores
from signet.domain.recall.run import Run


@dataclass(slots=True, kw_only=True)
class Page:
    """The rows of a page in order, how relevant each is, and what was left out by which rule."""

    order: list[int]
    relevance: Scores = field(default_factory=dict)
    #: Relevance below which a result is left out; None when the floor is not asked.
    least: float | None = None
    below_floor: list[int] = field(default_factory=list)
    below_score: int = 0
    beyond_limit: int = 0


def turn(run: Run, scores: Scores) -> Page:
    """Return the best, at most the limit; ties go to the newer one.

    The floor takes from the page and nothing takes the empty places: what stands behind ranked lower.
    """
    wanted = -math.inf if run.query.min_score is None else run.query.min_score
    order = [seq for seq, score in scores.items() if score >= wanted]
    best = _best(run, order, scores)
    page = Page(
        order=best,
        below_score=len(run.allowed) - len(order),
        beyond_limit=len(order) - len(best),
    )
    if run.settings.fusion is Fusion.FILLED:
        page.relevance = run.attempt("floor", lambda: _relevance(run, best), {})
        page.least = _least(run)
    if page.least is not None:
        low = page.least
        page.order = [seq for seq in best if page.relevance.get(seq, low) >= low]
        page.below_floor = [seq for seq in best if page.relevance.get(seq, low) < low]
    return page


def _best(run: Run, seqs: Sequence[int], scores: Scores) -> list[int]:
    """Return the page in order; what cannot reach it is not sorted by three keys."""
    best = sorted(seqs, key=scores.__getitem__, reverse=True)
    if len(best) > run.query.size:
        last = scores[best[run.query.size - 1]]
        best = [seq for seq in best if scores[seq] >= last]
    best.sort(reverse=True)
    best.sort(key=lambda seq: run.allowed[seq].created_at, reverse=True)
    best.sort(key=scores.__getitem__, reverse=True)
    return best[: run.query.size]


def _least(run: Run) -> float | None:
    """Return the floor of this question; None when it has none.

    A floor that the caller names holds as it is, that of the settings for pages. A question that is all about a
    time names what it wants by that alone.
    """
    query, asked = run.query, run.settings.floor
    if query.floor is not None:
        return query.floor or None
    of_a_time = bool(run.when.spans) and len(run.words) <= FEW_WORDS
    if asked <= 0 or query.size > floor.PAGE or of_a_time or not run.words:
        return None
    return floor.least(asked, candidates=len(run.allowed))


def _relevance(run: Run, seqs: Collection[int]) -> Scores:
    """Return the relevance of results; a hint, and for what the graph alone brought its importance, count as words."""
    known = run.known
    held = run.view.held(run.tx, run.words)
    matter = _matter(run)
    told = [
        (scores, held[word])
        for word, scores in zip(run.words, known.words, strict=False)
        if word in matter
    ]
    words = [scores for scores, _ in told]
    weight = floor.weights([count for _, count in told], run.view.table.count)
    everyone = {*seqs, *run.replaced}
    told_by = {
        seq: floor.held(seq, words, weight, run.around, run.allowed[seq].passages)
        for seq in everyone
    }
    told_by |= {seq: max(told_by[seq], hint) for seq, hint in known.hint.items() if seq in told_by}
    told_by |= {
        seq: max(told_by[seq], importance)
        for seq, importance in known.structure.items()
        if seq in told_by and run.trail.by_graph_alone(seq)
    }
    found = floor.relevance(told_by, known.cosine)
    for earlier, chain in run.replaced.items():
        for later in chain:
            found[later] = max(found.get(later, 0.0), found[earlier])
    return {seq: found[seq] for seq in seqs}


def _matter(run: Run) -> set[str]:
    """Return the words that name what the question is about; all, where each may only say how to answer."""
    asked = set(fts.content_words(expected.matter(run.query.keyword_text or run.query.text)))
    return asked.intersection(run.words) or set(run.words)
