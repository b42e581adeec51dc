"""Choose the page of an answer: the best sayings that are relevant enough."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from signet.domain.recall import rank, topics, tuning
from signet.domain.recall.models import DEFAULT_FLOOR, DEFAULT_MIN_SCORE, Scores
from signet.domain.recall.run import Run
from signet.domain.recall.topics import Saying

DOCUMENT_PIECE = "document_chunk"

#: Copies are compared by their whole text, up to this many characters.
WHOLE = 1_000
#: Least relevance that a result shows: clients take 0 for none.
LEAST_SHOWN = 0.01


@dataclass(slots=True, kw_only=True)
class Page:
    """The sayings of a page in order, their relevance, and those left out, by rule."""

    sayings: list[Saying]
    relevance: Scores = field(default_factory=dict)
    #: Relevance below which a result is left out; None without a floor.
    least: float | None = None
    below_floor: list[int] = field(default_factory=list)
    below_score: int = 0
    beyond_limit: int = 0
    #: Whether places remain free although candidates share some: then more candidates may help.
    is_short: bool = False
    #: Whether it shows a candidate by its meaning alone.
    is_by_meaning: bool = False
    #: Whether it lists everything of a time, newest first, without ranking.
    is_timeline: bool = False
    #: The nearest candidate to an empty page.
    nearest: Saying | None = None


def turn(run: Run, scores: Scores, *, by_meaning: bool = True, is_asked: bool = True) -> Page:
    """Return the best sayings, at most the limit; of equals the newer first. `scores` are log-odds.

    `by_meaning` allows an otherwise empty page to show a candidate by its meaning alone. Where somebody asks
    (`is_asked`), less relevant results fill a short page without a sure one.

    The floor removes results without replacement, because the next ones rank lower. A saying has the relevance of its
    best member; members below the floor are not listed among its parts.
    """
    order = _ranked(run, scores)
    every = topics.sayings_of(run, order[: tuning.GROUPED_PER_PLACE * run.query.size], scores)
    if len(every) < run.query.size:
        every = topics.sayings_of(run, order, scores)
    is_short = len(every) < min(run.query.size, len(scores))
    best = without_copies(run, every, run.query.size)
    members = [seq for saying in best for seq in saying.members]
    page = Page(
        sayings=best,
        relevance=_judged(run, members, scores),
        least=_least(run),
        beyond_limit=len(order) - len(members),
        is_short=is_short,
    )
    _leave_out(run, page)
    is_open = run.query.floor is None and run.query.min_score is None
    if by_meaning and not page.sayings and is_open:
        _take_nearest(run, page, every, scores)
    if is_asked and is_open and page.least is not None:
        _fill(run, page, best)
    for saying, relevance in zip(page.sayings, _shown(run, page), strict=True):
        saying.score = relevance
    page.nearest = None if page.sayings else next(iter(best), None)
    return page


def without_copies(run: Run, found: Sequence[Saying], size: int) -> list[Saying]:
    """Return the first `size` sayings; a copy of an earlier one becomes its part."""
    kept: dict[tuple[str, ...] | int, Saying] = {}
    for start in range(0, len(found), size):
        batch = found[start : start + size]
        shown = [saying.shown for saying in batch]
        texts: Mapping[int, str] = run.attempt("copies", {}, run.texts, shown)
        for saying in batch:
            text = texts.get(saying.shown, "")
            key = topics.comparable(text) if len(text) < WHOLE else ()
            if key in kept:
                kept[key].take(saying)
            elif len(kept) < size:
                kept[key or saying.shown] = saying
        if len(kept) == size:
            break
    return list(kept.values())


def _ranked(run: Run, scores: Scores) -> list[int]:
    order = sorted(scores, reverse=True)
    order.sort(key=lambda seq: run.allowed[seq].created_at, reverse=True)
    order.sort(key=scores.__getitem__, reverse=True)
    return order


def _judged(run: Run, seqs: Sequence[int], scores: Scores) -> Scores:
    """Return the relevance for the floor: a successor is as relevant as the memory it replaced."""
    found = {seq: run.judged.get(seq, scores[seq]) for seq in seqs}
    for earlier, chain in run.later.items():
        for later in chain:
            if later in found and earlier in run.judged:
                found[later] = max(found[later], run.judged[earlier])
    return {seq: rank.relevance(one) for seq, one in found.items()}


def required(run: Run, page: Page, seq: int) -> float:
    """Return the minimum relevance of a candidate."""
    if page.least is None:
        return 0.0
    # The lower floor of small stores applies to memories; sessions may be about anything.
    return run.settings.floor if seq in run.said else page.least


def _leave_out(run: Run, page: Page) -> None:
    """Remove results below the floor or the caller's minimum score."""
    chosen = run.settings.min_score
    wanted = max(run.query.min_score or 0.0, chosen if chosen > DEFAULT_MIN_SCORE else 0.0)
    kept = []
    for saying in page.sayings:
        relevance = max(page.relevance[seq] for seq in saying.members)
        least = required(run, page, saying.best)
        if relevance < least:
            page.below_floor.append(saying.best)
        elif _relevance(run, page, saying) < wanted:
            page.below_score += len(saying.members)
        else:
            saying.members = [
                seq
                for seq in saying.members
                if page.relevance[seq] >= least or seq in (saying.best, saying.shown)
            ]
            kept.append(saying)
    # What only the lower floor of a small store lets pass stays only where there is nothing else.
    floor = run.settings.floor if run.query.floor is None else run.query.floor
    weak = [one.best for one in kept if page.relevance[one.best] < min(floor, DEFAULT_MIN_SCORE)]
    if page.least is not None and len(weak) < len(kept):
        page.below_floor += weak
    page.sayings = [one for one in kept if one.best not in page.below_floor]


def _fill(run: Run, page: Page, best: Sequence[Saying]) -> None:
    """Add the next sayings to a page with fewer than MOST_MEANT and none that is sure, if they may answer."""
    known = max((one.score for one in page.sayings), default=-math.inf)
    is_open = run.known.by_meaning and run.settings.floor <= DEFAULT_FLOOR
    # One word that no text contains is often a name.
    if not is_open or len(run.words) < 2 or rank.relevance(known) >= 1 - tuning.LEAST_MEANT:
        return
    shown = {one.best for one in page.sayings}
    for one in best:
        is_weak = page.relevance.get(one.best, 0.0) < tuning.WEAK
        if one.best not in shown and not is_weak and len(page.sayings) < tuning.MOST_MEANT:
            page.sayings.append(one)
            page.below_floor = [seq for seq in page.below_floor if seq != one.best]
    page.sayings.sort(key=lambda one: one.score, reverse=True)


def _take_nearest(run: Run, page: Page, every: Sequence[Saying], scores: Scores) -> None:
    """Add to an empty page the candidate that probably answers by its meaning, after its successor.

    A floor above the default applies to this probability, too.
    """
    known = run.known
    seqs = [seq for seq in scores if seq in known.compared]
    if run.query.sessions:  # a document piece answers few prompts, and its heading none
        seqs = [seq for seq in seqs if run.allowed[seq].type != DOCUMENT_PIECE]
    if page.least is None or not seqs:
        return
    places = [known.places[seq] for seq in seqs]
    evidence = known.features[places]
    fitted = known.model.scores(evidence)
    best, chance = known.model.answered(
        fitted, evidence, known.sources[places], len(run.words), np.array(seqs) < 0
    )
    # One word that no text contains is often a name.
    least = tuning.LEAST_MEANT if len(run.words) > 1 else DEFAULT_FLOOR
    if chance < (least if run.settings.floor <= DEFAULT_FLOOR else run.settings.floor):
        return
    cosines = evidence[:, rank.at("cosine")]
    near = [int(place) for place in np.argsort(-cosines, kind="stable") if place != best]
    near_enough = tuning.MEANT_COSINE_SHARE * cosines[best]
    near = [place for place in near[: tuning.MOST_MEANT - 1] if cosines[place] >= near_enough]
    chosen = {seqs[place] for place in (best, *near)}
    first = max(scores, key=scores.__getitem__)
    if rank.relevance(run.judged.get(first, scores[first])) >= tuning.LEAST_MEANT:
        chosen.add(first)
    later = {one for seq in chosen for one in run.later.get(seq, ())}
    page.sayings = [one for one in every if not {*chosen, *later}.isdisjoint(one.members)]
    for saying in page.sayings:
        if seqs[best] in run.said and seqs[best] in saying.members:
            saying.shown = seqs[best]
        saying.members = [one for one in saying.members if one in {*chosen, *later, saying.shown}]
        page.relevance |= _judged(run, saying.members, run.judged)
        if seqs[best] in saying.members or not later.isdisjoint(saying.members):
            saying.score = max(saying.score, rank.logit(chance))
            page.relevance[saying.best] = chance
            page.is_by_meaning = True
    page.sayings.sort(key=lambda one: one.score, reverse=True)
    page.below_floor = []


def _relevance(run: Run, page: Page, saying: Saying) -> float:
    """Return a saying's relevance 0..1; better candidates lower it, unless it is shown by its meaning alone."""
    lowered = [0.0 if page.is_by_meaning else run.lowered.get(one, 0.0) for one in saying.members]
    return rank.relevance(saying.score + max(lowered))


def _shown(run: Run, page: Page) -> list[float]:
    """Return each saying's relevance as its score 0..1, never rising down the page, since clients sort by it."""
    found = [_relevance(run, page, one) for one in page.sayings]
    return [max(LEAST_SHOWN, *found[place:]) for place in range(len(found))]


def _least(run: Run) -> float | None:
    """Return the floor of this question, None without one.

    The caller's floor applies unchanged, that of the settings to pages. A question about a time alone has none, because
    the time selects its results.
    """
    query, asked = run.query, run.settings.floor
    if query.floor is not None:
        return query.floor or None
    of_a_time = bool(run.when.spans) and len(run.words) <= tuning.FEW_WORDS
    if asked <= 0 or query.size > tuning.PAGE_PLACES or of_a_time or not run.words:
        return None
    memories = max(1, len(run.allowed) - len(run.said))
    return asked * min(1.0, math.log(memories) / math.log(tuning.FEW_CANDIDATES))
