"""Gather the candidates of one recall: the question's time, the best of every channel, neighbours, passages."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from signet import clock
from signet.db import ReadTx, fts, script
from signet.domain.graph import traversal
from signet.domain.recall import (
    answer_type,
    features,
    rank,
    said,
    time_lookup,
    time_query,
    tuning,
    vector,
    view,
)
from signet.domain.recall.models import Query, Scores
from signet.domain.recall.run import Run
from signet.domain.recall.sql import reading
from signet.domain.recall.time_query import Anchor, Span, When
from signet.domain.recall.view import View, holding_all

_PARTS = re.compile(r"\w+")


def gather(run: Run) -> None:
    """Run every channel; afterwards `allowed` holds the candidates that pass all filters."""
    ranks: Scores = run.attempt(
        "keyword", {}, view.best_by_words, run.tx, run.words, run.view, run.pool
    )
    hints: Scores = run.attempt("hints", {}, _hints, run)
    # Late, because a vector computed in parallel takes about as long as the steps before.
    cosine: Scores = run.attempt("vector", {}, _vector, run)
    matched = {*ranks, *hints, *cosine}
    structure: Scores = {}
    if _is_walked(run, matched):
        structure = run.attempt("graph", {}, _graph, run)
    found = {"keyword": ranks, "hint": hints, "vector": cosine, "graph": structure}
    for name, scores in found.items():
        run.trail.channel(name, scores)
    run.around = run.attempt("neighbours", {}, _around, run, matched)
    run.timely = run.attempt("time", set(), _of_the_time, run)
    run.allowed = run.view.allowed({*matched, *structure, *run.around, *run.timely})
    run.replaced = run.attempt("superseded", {}, replaced, run)
    run.said = run.attempt("episodes", {}, said.find, run)
    run.around |= features.symmetric(said.beside(run.said))
    run.allowed |= said.allowed(run, run.said)
    run.hints = {seq: score for seq, score in hints.items() if seq in run.allowed}
    run.structure = {seq: score for seq, score in structure.items() if seq in run.allowed}


def _is_walked(run: Run, matched: set[int]) -> bool:
    """Return whether to walk the graph: only to fill a page."""
    return len(run.view.rows(matched)) < run.query.size


def _around(run: Run, seqs: set[int]) -> dict[int, set[int]]:
    return features.symmetric(run.view.table.beside(run.tx, run.view.rows(seqs)))


def _hints(run: Run) -> Scores:
    if not run.settings.hints:
        return {}
    return view.best_by_hints(run.tx, run.words, run.query.reader.agent_id, run.view, run.pool)


def _vector(run: Run) -> Scores:
    run.query_vector = run.ask_vector({}) or None
    if run.query_vector is None:
        return {}
    tells: Mapping[str, float] = run.attempt("rarity", {}, _tells, run)
    run.weighed_vector = run.ask_vector(tells) or run.query_vector
    model = run.settings.embedding_model
    return vector.find(run.tx, run.weighed_vector, run.view, run.pool, model=model)


def _tells(run: Run) -> Mapping[str, float]:
    """Return the weight of each word by its rarity, in the model's form: lower-case, without accents or marks.

    Common words dominate the mean of a question's token states; a higher weight for rare ones finds what they name.
    Empty for scripts that are indexed by pairs of characters.
    """
    if script.has_runs(run.query.text):
        return {}
    weights = rank.weights([*run.view.held(run.tx, run.words).values()], run.view.table.count)
    return {
        part: weight
        for term, weight in zip(run.words, weights, strict=True)
        for part in _PARTS.findall(fts.folded(fts.shown(term)))
    }


def _graph(run: Run) -> Scores:
    """Return the structural importance of constraints (KG-4) and of the best other results of a graph walk."""
    settings = run.settings
    if not (settings.graph and settings.traversal):
        return {}
    until = clock.monotonic_ms() + settings.traversal_timeout_ms
    run.walk = found = traversal.traverse(
        run.tx, run.focal, bounds=settings.bounds, expired=lambda: clock.monotonic_ms() >= until
    )
    best = sorted(found.memories, key=found.memories.__getitem__, reverse=True)
    others, most = [one for one in best if one not in found.constraints], run.graph_pool
    for looked in (most + most // 4, len(others)):
        wanted = found.constraints.union(others[:looked])
        passing = reading.seqs(run.tx, wanted, run.where)
        kept = [one for one in others if one in passing][:most]
        if len(kept) == most or looked >= len(others):
            break
    shown = found.constraints.intersection(passing).union(kept)
    return {passing[one]: found.memories[one] for one in best if one in shown}


def _of_the_time(run: Run) -> set[int]:
    """Return memories of the time in question, if the question contains little else."""
    spans = run.when.spans if len(run.words) <= tuning.FEW_WORDS else ()
    return {seq for span in spans for seq in time_lookup.within(run.tx, span, run.where, run.pool)}


def replaced(run: Run) -> dict[int, list[int]]:
    """Return the successors of replaced candidates; those that pass become candidates."""
    ended = [seq for seq, row in run.allowed.items() if row.is_superseded]
    if not ended:
        return {}
    found = time_lookup.replaced(run.tx, ended, run.query.reader, run.query.as_of)
    later = {seq for chain in found.values() for seq in chain}
    run.allowed |= run.view.allowed(later)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """The intervals, and the search words."""

    when: When
    words: list[str]


def explained_period(when: When) -> Mapping[str, object] | None:
    """Return how the question's time was understood, for the answer; None if it names none."""
    if not when.spans:
        return None
    anchor = when.anchor
    return {
        "intervals": [_shown(span) for span in when.spans],
        **({"anchor": anchor.text, "relation": anchor.relation} if anchor else {}),
    }


def unknown_period(query: Query) -> Period:
    """Return the fallback if times are unavailable."""
    words = fts.content_words(query.keyword_text or query.text)
    return Period(when=When(rest=query.text), words=words)


def period_of(run: Run) -> Period:
    """Return the time that a question is about; a prompt that reports something is about none."""
    tx, query, where = run.tx, run.query, run.where
    if query.sessions and answer_type.reports(query.text, unknown_period(query).words):
        return unknown_period(query)
    asked_at = query.now or run.now
    found = time_query.understand(query.text, now=asked_at, zone=query.zone)
    if found.anchor:
        span = _anchored(tx, found.anchor, run.view)
        found = replace(found, spans=(span,)) if span else replace(found, anchor=None)
    is_known = any(time_lookup.within(tx, span, where, 1) for span in found.spans)
    looked_for = query.keyword_text or query.text
    apart = (
        time_query.understand(query.keyword_text, now=asked_at, zone=query.zone)
        if query.keyword_text
        else found
    )
    return Period(when=found, words=time_query.content_words(looked_for, apart, is_known=is_known))


def _anchored(tx: ReadTx, anchor: Anchor, view: View) -> Span | None:
    """Return the time before or after the one event that the best memories about the anchor describe."""
    words = [word for word in fts.content_words(anchor.text) if word not in fts.STOP_WORDS]
    if not words:
        return None
    found = holding_all(tx, words[: tuning.EVENT_WORDS], view, tuning.EVENT_MEMORIES)
    happened = time_query.events(event for event, _ in time_lookup.times_of(tx, found).values())
    return time_query.around(anchor, happened)


def _shown(span: Span) -> dict[str, str | None]:
    return {
        "from": clock.to_text(span.start) if span.start else None,
        "to": clock.to_text(span.end) if span.end else None,
    }
