"""The page of an answer: the best sayings, without what is below the floor."""

import math
from collections.abc import Collection
from dataclasses import dataclass, field

from signet.db import fts
from signet.domain.recall import choose, expected, floor, frequencies, keyword, sayings, store
from signet.domain.recall.gather import FEW_WORDS
from signet.domain.recall.models import Fusion, Scores
from signet.domain.recall.run import Run
from signet.domain.recall.sayings import Saying

#: Candidates per place among which sayings are looked for; what ranks lower is looked at where these are too few. All
#: of them are no better; with six for each place recall@10 of long messages is 58.7 and not 59.7 %.
READ = 9


@dataclass(slots=True, kw_only=True)
class Page:
    """The sayings of a page in order, how relevant each is, and what was left out by which rule."""

    sayings: list[Saying]
    relevance: Scores = field(default_factory=dict)
    #: Relevance below which a result is left out; None when the floor is not asked.
    least: float | None = None
    below_floor: list[int] = field(default_factory=list)
    below_score: int = 0
    beyond_limit: int = 0
    #: Whether there are places left although candidates share some: then further candidates may be worth a look.
    is_short: bool = False


def turn(run: Run, scores: Scores) -> Page:
    """Return the best sayings, at most the limit; ties go to the newer one, then by id.

    The floor takes from the page and nothing takes the empty places: what stands behind ranked lower. A saying is as
    relevant as its most relevant member; members below the floor are not named among its parts.
    """
    wanted = -math.inf if run.query.min_score is None else run.query.min_score
    order = _ranked(run, scores)
    every = sayings.of(run, order[: READ * run.query.size], scores)
    if len(every) < run.query.size:
        every = sayings.of(run, order, scores)
    found = [saying for saying in every if saying.score >= wanted]
    best = choose.page(run, found)
    members = [seq for saying in best for seq in saying.members]
    too_low = sum(len(saying.members) for saying in every if saying.score < wanted)
    page = Page(
        sayings=best,
        below_score=len(run.allowed) - len(order) + too_low,
        beyond_limit=len(order) - too_low - len(members),
        is_short=len(every) < min(run.query.size, len(scores)),
    )
    if run.settings.fusion is Fusion.FILLED:
        page.relevance = run.attempt("floor", lambda: _relevance(run, members), {})
        page.least = _least(run)
    if page.least is not None:
        low = page.least
        near = {seq for seq in members if page.relevance.get(seq, low) >= low}
        page.sayings = [saying for saying in best if not near.isdisjoint(saying.members)]
        page.below_floor = [saying.best for saying in best if near.isdisjoint(saying.members)]
        for saying in page.sayings:
            saying.members = [seq for seq in saying.members if seq in near]
    return page


def _ranked(run: Run, scores: Scores) -> list[int]:
    """Return the candidates in order."""
    order = sorted(scores, key=lambda seq: run.allowed[seq].id)
    order.sort(key=lambda seq: run.allowed[seq].created_at, reverse=True)
    order.sort(key=scores.__getitem__, reverse=True)
    return order


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
    held = frequencies.of(run.tx, run.words)
    matter = _matter(run)
    told = [
        (scores, held[word])
        for word, scores in zip(run.words, known.words, strict=False)
        if word in matter and (scores or held[word] <= keyword.TOO_COMMON)
    ]
    words = [scores for scores, _ in told]
    weight = floor.weights([count for _, count in told], store.highest(run.tx))
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
    asked = set(fts.words(expected.matter(run.query.keyword_text or run.query.text)))
    return asked.intersection(run.words) or set(run.words)
