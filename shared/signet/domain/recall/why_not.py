"""Why a memory that somebody expected is not among the results (`why_not`)."""

from signet.db import fts
from signet.domain.recall.models import WhyNot
from signet.domain.recall.page import Page, required
from signet.domain.recall.run import Run
from signet.domain.recall.sql import reading

UNKNOWN = "no memory that you may read has this id"
FORGOTTEN = "it is forgotten"
OTHER_TIME = "the question is about another time"
FILTERED = "the filters, scope or time of the question leave it out"


def of(run: Run, page: Page, memory_id: str) -> WhyNot:
    """Return the first rule that left a memory out, or at which place of the page it is."""
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
    if seq not in run.allowed:  # nothing is known of it yet
        held = (word for word in run.words if reading.holds(run.tx, seq, fts.any_of([word])))
        words = [fts.shown(word) for word in held]
    return f'only these words match: "{" ".join(words)}"' if words else "no word matches"
