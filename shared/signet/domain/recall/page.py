"""The page of an answer: the best sayings without what is below the floor, or the nearest by meaning."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from signet.db import fts
from signet.domain.recall import (
    answer_type,
    blend,
    choose,
    cutoff,
    sayings,
    time_boost,
    time_lookup,
)
from signet.domain.recall.gather import FEW_WORDS
from signet.domain.recall.models import Scores
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
    #: What came nearest to a page that is empty.
    nearest: Saying | None = None


def turn(run: Run, scores: Scores) -> Page:
    """Return the best sayings, at most the limit; ties go to the newer one.

    The floor takes from the page and nothing takes the empty places: what stands behind ranked lower. Only a page that
    would be empty takes what is near by its meaning. A saying is as relevant as its most relevant member; members below
    the floor are not named among its parts.
    """
    order = _ranked(run, scores)
    every = sayings.of(run, order[: READ * run.query.size], scores)
    if len(every) < run.query.size:
        every = sayings.of(run, order, scores)
    is_short = len(every) < min(run.query.size, len(scores))
    best = choose.page(run, every)
    members = [seq for saying in best for seq in saying.members]
    page = Page(
        sayings=best,
        below_score=len(run.allowed) - len(order),
        beyond_limit=len(order) - len(members),
        is_short=is_short,
    )
    page.relevance, told = _weighed(run, members)
    page.least = _least(run)
    if page.least is not None and page.relevance.keys() >= set(members):
        near = _passing(run, members, page.relevance, told, page.least)
        page.sayings = _holding(best, near)
        if not page.sayings and run.query.floor is None:
            near = _by_meaning(run, scores, page.least)
            page.relevance |= _weighed(run, near)[0]
            page.sayings = _holding(sayings.of(run, order, scores), near)[: run.query.size]
            page.sayings.sort(key=lambda saying: near.index(saying.members[0]))
        shown = {saying.shown for saying in page.sayings}
        page.below_floor = [saying.best for saying in best if saying.shown not in shown]
    _show(page)
    _above_score(run, page)
    if not page.sayings:
        _note_nearest(run, page, members)
    return page


def _ranked(run: Run, scores: Scores) -> list[int]:
    """Return the candidates in order."""
    order = sorted(scores, reverse=True)
    order.sort(key=lambda seq: run.allowed[seq].created_at, reverse=True)
    order.sort(key=scores.__getitem__, reverse=True)
    return order


def _holding(found: Sequence[Saying], near: Collection[int]) -> list[Saying]:
    """Return the sayings that hold some of the given memories, each with those of its members."""
    kept = [saying for saying in found if any(seq in near for seq in saying.members)]
    for saying in kept:
        saying.members = [seq for seq in saying.members if seq in near]
    return kept


def _show(page: Page) -> None:
    """Give each saying its relevance as the score that clients see, where that is known of all."""
    members = [seq for saying in page.sayings for seq in saying.members]
    if not page.relevance.keys() >= set(members):
        return
    found = {
        saying.shown: max(page.relevance[seq] for seq in saying.members) for saying in page.sayings
    }
    shown = cutoff.shown([saying.shown for saying in page.sayings], found)
    for saying in page.sayings:
        saying.score = shown[saying.shown]


def _passing(
    run: Run, seqs: Sequence[int], relevance: Scores, told: Scores, low: float
) -> list[int]:
    """Return those that are relevant enough."""
    cosine = run.known.cosine
    around = cutoff.background(cosine)
    return [
        seq
        for seq in seqs
        if cutoff.passes(relevance[seq], told[seq], cosine.get(seq), around=around, floor=low)
    ]


def _by_meaning(run: Run, scores: Scores, low: float) -> list[int]:
    """Return what is near by meaning; where something replaced it, that comes first."""
    near = cutoff.by_meaning(run.known.cosine, low)
    chains = ([*reversed(run.replaced.get(seq, ())), seq] for seq in near)
    return list(dict.fromkeys(seq for chain in chains for seq in chain if seq in scores))


def _note_nearest(run: Run, page: Page, best: Sequence[int]) -> None:
    """Note what came nearest to an empty page: the most relevant of its best and of the nearest by meaning."""
    cosine = run.known.cosine
    seqs = {*best, *sorted(cosine, key=cosine.__getitem__, reverse=True)[:1]}
    found, _ = _weighed(run, seqs)
    page.relevance |= found
    near = [seq for seq, relevant in found.items() if relevant > 0]
    seq = max(near, key=found.__getitem__, default=None)
    if seq is not None:
        page.nearest = Saying(members=[seq], shown=seq, score=found[seq], source=None, kinds={})


def _above_score(run: Run, page: Page) -> None:
    """Leave out what is shown with less than the score that the caller asks for."""
    wanted = run.query.min_score
    if wanted is not None:
        above = [saying for saying in page.sayings if saying.score >= wanted]
        page.below_score += sum(len(one.members) for one in page.sayings if one.score < wanted)
        page.sayings = above


def _least(run: Run) -> float | None:
    """Return the floor of this question; None when it has none.

    A floor that the caller names holds as it is, that of the settings for pages. A question that is all about a
    time names what it wants by that alone.
    """
    query, asked = run.query, run.settings.floor
    if query.floor is not None:
        return query.floor or None
    of_a_time = bool(run.when.spans) and len(run.words) <= FEW_WORDS
    if asked <= 0 or query.size > cutoff.PAGE or of_a_time or not run.words:
        return None
    return cutoff.least(asked, candidates=len(run.allowed))


def _weighed(run: Run, seqs: Collection[int]) -> tuple[Scores, Scores]:
    """Return the relevance of results and what their words tell; nothing where the tables for it are damaged."""
    nothing: tuple[Scores, Scores] = ({}, {})
    return run.attempt("floor", lambda: _relevance(run, seqs), nothing)


def _relevance(run: Run, seqs: Collection[int]) -> tuple[Scores, Scores]:
    """Return the relevance of results and what their words tell.

    A hint, and for what the graph alone brought its importance, count as words.
    """
    known = run.known
    held = run.view.held(run.tx, run.words)
    matter = _matter(run)
    told = [
        (scores, held[word])
        for word, scores in zip(run.words, known.words, strict=False)
        if word in matter
    ]
    words = [scores for scores, _ in told]
    weight = cutoff.weights([count for _, count in told], run.view.table.count)
    everyone = {*seqs, *run.replaced}
    told_by = {
        seq: cutoff.held(seq, words, weight, run.around, run.allowed[seq].passages)
        for seq in everyone
    }
    told_by |= {
        seq: max(told_by[seq], blend.HINT_ALONE * hint)
        for seq, hint in known.hint.items()
        if seq in told_by
    }
    told_by |= {
        seq: max(told_by[seq], importance)
        for seq, importance in known.structure.items()
        if seq in told_by and run.trail.by_graph_alone(seq)
    }
    sources = {seq: run.allowed[seq].source for seq in told_by}
    found = _timed(run, cutoff.relevance(told_by, known.cosine, sources))
    for earlier, chain in run.replaced.items():
        for later in chain:
            found[later] = max(found.get(later, 0.0), found[earlier])
            told_by[later] = max(told_by.get(later, 0.0), told_by[earlier])
    return {seq: found[seq] for seq in seqs}, told_by


def _timed(run: Run, found: Scores) -> Scores:
    """Return relevance with that of memories of the time in question raised."""
    weight, spans = cutoff.TIMELY * run.settings.time_weight, run.when.spans
    if weight <= 0 or not spans:
        return found
    lifted = time_boost.lift(found, time_lookup.of(run.tx, found), spans, weight=weight)
    return {seq: min(1.0, relevant) for seq, relevant in lifted.items()}


def _matter(run: Run) -> set[str]:
    """Return the words that name what the question is about; all, where each may only say how to answer."""
    asked = set(fts.content_words(answer_type.matter(run.query.keyword_text or run.query.text)))
    return asked.intersection(run.words) or set(run.words)
