"""The candidates of one recall: the best of every channel, their neighbours, and passages of sessions and commits."""

import re
from collections.abc import Mapping

from signet import clock
from signet.db import fts, script
from signet.domain.graph import traversal
from signet.domain.recall import features, rank, said, time_lookup, vector, view
from signet.domain.recall.models import Scores
from signet.domain.recall.run import Run
from signet.domain.recall.sql import reading

#: A question of no more words is first of all about its time: "what happened yesterday".
FEW_WORDS = 2

_PARTS = re.compile(r"\w+")


def gather(run: Run) -> None:
    """Ask every channel; afterwards `allowed` holds the candidates that pass all filters."""
    ranks: Scores = run.attempt(
        "keyword", {}, view.best_by_words, run.tx, run.words, run.view, run.pool
    )
    hints: Scores = run.attempt("hints", {}, _hints, run)
    # Late, because a vector that is computed meanwhile takes about as long as all before.
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
    """Return whether the graph may bring something: it fills a page that is not full."""
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
    """Return how much each word tells by how rare it is, as a model has them: lower-case, without accents or marks.

    Common words dominate the mean of a question's token states; weighing rare ones more finds what they name. Empty
    for scripts that are indexed by pairs of characters.
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
    """Return the structural importance of the constraints (KG-4) and the best others of a walk through the graph."""
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
    """Return memories of the time in question, when the question says little else."""
    spans = run.when.spans if len(run.words) <= FEW_WORDS else ()
    return {seq for span in spans for seq in time_lookup.within(run.tx, span, run.where, run.pool)}


def replaced(run: Run) -> dict[int, list[int]]:
    """Return what replaced candidates; it is one, too, where it passes."""
    ended = [seq for seq, row in run.allowed.items() if row.is_superseded]
    if not ended:
        return {}
    found = time_lookup.replaced(run.tx, ended, run.query.reader, run.query.as_of)
    later = {seq for chain in found.values() for seq in chain}
    run.allowed |= run.view.allowed(later)
    return found
