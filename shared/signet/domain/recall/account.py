"""Explain an answer: why each result ranks where it does, and why nothing else was returned (`explain: true`)."""

from collections.abc import Mapping

from signet.db import fts
from signet.domain.recall.models import WhyNot
from signet.domain.recall.page import Page, required
from signet.domain.recall.run import Run
from signet.domain.recall.sql import reading

UNKNOWN = "no memory that you may read has this id"
FORGOTTEN = "it is forgotten"
OTHER_TIME = "the question is about another time"
FILTERED = "the filters, scope or time of the question leave it out"


def why_not(run: Run, page: Page, memory_id: str) -> WhyNot:
    """Return the first rule that left a memory out, or its rank on the page."""
    found = reading.whereabouts(run.tx, memory_id, run.query.reader)
    if found is None:
        return WhyNot(id=memory_id, left_out=UNKNOWN)
    if memory_id not in reading.seqs(run.tx, [memory_id], run.where):
        is_gone = found.is_deleted and run.query.as_of is None
        return WhyNot(id=memory_id, left_out=FORGOTTEN if is_gone else FILTERED)
    seq, relevance = found.seq, page.relevance.get(found.seq)
    place = _place(page, seq)
    return WhyNot(
        id=memory_id,
        left_out="" if place else _rule(run, page, seq),
        place=place,
        score=relevance,
        why=run.why(seq, relevance) if seq in run.allowed else None,
    )


def _place(page: Page, seq: int) -> int | None:
    places = (n for n, saying in enumerate(page.sayings, start=1) if seq in saying.members)
    return next(places, None)


def _rule(run: Run, page: Page, seq: int) -> str:
    if page.is_timeline and seq not in run.scores:
        return OTHER_TIME
    if seq not in run.allowed:
        return f"{_matching(run, seq)}, and by meaning or words {run.pool} others came nearer"
    relevance = page.relevance.get(seq)
    if relevance is None and seq in run.newer:
        return f'a later statement replaces it: "{run.newer[seq].change.new}"'
    if relevance is None:
        before = sum(score > run.scores[seq] for score in run.scores.values())
        return f"{before} candidates rank higher, and the limit is {run.query.size}"
    wanted = run.query.min_score
    if wanted is not None and relevance < wanted:
        return f"its score of {relevance:.2f} is below the minimum of {wanted:.2f}"
    return too_far(run, seq, relevance, required(run, page, seq))


def too_far(run: Run, seq: int, relevance: float, least: float | None) -> str:
    """Explain why a memory is not relevant enough."""
    compared = "not similar enough" if seq in run.known.compared else "not compared"
    required = f", {least:.0%} required" if least else ""
    return (
        f"{_matching(run, seq)}, and the meaning is {compared}: {relevance:.0%} relevant{required}"
    )


def _matching(run: Run, seq: int) -> str:
    words = [fts.shown(word) for word in run.known.bm25(seq)]
    if seq not in run.allowed:  # not loaded yet
        held = (word for word in run.words if reading.holds(run.tx, seq, fts.any_of([word])))
        words = [fts.shown(word) for word in held]
    return f'only these words match: "{" ".join(words)}"' if words else "no word matches"


def account_of(run: Run, page: Page) -> Mapping[str, object]:
    """Return the words and sources searched, the number of candidates, and the results each rule left out."""
    settings = run.settings
    nothing: list[Mapping[str, object]] = []
    return {
        "words": run.attempt("explain", nothing, _held, run),
        "dropped_words": _dropped(run),
        "channels": _channels(run),
        "candidates": len(run.allowed),
        "floor": None if page.least is None else round(page.least, 4),
        # The floor of a page that names none.
        "usual_floor": settings.floor,
        "left_out": {
            "below_score": page.below_score,
            "below_floor": len(page.below_floor),
            "beyond_limit": page.beyond_limit,
        },
        "best_below_floor": _best_below(run, page),
        "why_no_more": _why_no_more(run, page),
        "degraded": list(run.degraded),
    }


def _held(run: Run) -> list[Mapping[str, object]]:
    """Return for each word the number of memories in the question's scope that contain it."""
    return [
        {
            "word": fts.shown(word),
            "memories": reading.holders(run.tx, fts.any_of([word]), run.where),
        }
        for word in run.words
    ]


def _dropped(run: Run) -> list[str]:
    """Return the query words that were not searched: too common, or more than the limit."""
    every = fts.words(run.query.keyword_text or run.query.text)
    return [
        word
        for word in every[: 2 * fts.MAX_WORDS]
        if not any(fts.stands_for(term, word) for term in run.words)
    ]


def _channels(run: Run) -> Mapping[str, object]:
    """Return the number of candidates per channel; None for a channel that was not used."""
    settings = run.settings
    asked = {
        "keyword": bool(run.words),
        "hint": settings.hints and bool(run.words),
        "vector": run.query_vector is not None,
        "graph": settings.graph,
    }
    return {
        name: len(run.trail.found.get(name, {})) if is_asked else None
        for name, is_asked in asked.items()
    }


def _best_below(run: Run, page: Page) -> Mapping[str, object] | None:
    """Return the cosine and words of the most relevant result below the floor."""
    if not page.below_floor:
        return None
    seq = max(page.below_floor, key=page.relevance.__getitem__)
    cosine = run.known.cosine(seq)
    return {
        "id": reading.ids(run.tx, [seq]).get(seq),
        "relevance": round(page.relevance[seq], 4),
        "cosine": None if cosine is None else round(cosine, 4),
        "words": [fts.shown(word) for word in run.known.bm25(seq)],
    }


def left_out(run: Run, page: Page) -> str:
    """Return the reason why the nearest memory is not on the page."""
    if page.nearest is None:
        return ""
    seq, wanted = page.nearest.best, run.query.min_score
    least = required(run, page, seq)
    relevant = page.relevance.get(seq, 0.0)
    if wanted is not None and relevant < wanted > least:
        return f"its score of {relevant:.2f} is below the minimum of {wanted:.2f}"
    return too_far(run, seq, relevant, least)


def _why_no_more(run: Run, page: Page) -> str:
    if not run.allowed:
        return "no readable memory that passes the filters matches the question by words or meaning"
    if page.below_floor:
        return f"{len(page.below_floor)} more were not relevant enough"
    if page.beyond_limit:
        return f"the limit of {run.query.size} is reached"
    if page.below_score:
        return f"{page.below_score} more scored below the minimum"
    return "no other memories were found"
