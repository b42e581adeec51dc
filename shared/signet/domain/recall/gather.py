"""The candidates of one recall, and what each channel knows of every one of them.

Each channel brings its best; then their neighbours join and each candidate gets what
every channel says of it. A lone score as it is loses a tenth of the evidence or more (decision 5).
"""

from collections.abc import Mapping

from signet import clock
from signet.db import fts
from signet.domain.recall import (
    centering,
    graph,
    keyword,
    neighbours,
    rarity,
    time_lookup,
    vector,
)
from signet.domain.recall.models import Scores
from signet.domain.recall.run import Run

#: A question of no more words is first of all about its time: "what happened yesterday".
FEW_WORDS = 2


def gather(run: Run) -> None:
    """Ask every channel; afterwards `known` holds the candidates that pass all filters."""
    ranks: Scores = run.attempt("keyword", lambda: _keyword(run), {})
    hints: Scores = run.attempt("hints", lambda: _hints(run), {})
    # Late, because a vector that is computed meanwhile takes about as long as all before.
    cosine: Scores = run.attempt("vector", lambda: _vector(run), {})
    matched = {*ranks, *hints, *cosine}
    structure: Scores = {}
    if _is_walked(run, matched):
        structure = run.attempt("graph", lambda: _graph(run), {})
    found = {"keyword": fts.scores(ranks), "hint": hints, "vector": cosine, "graph": structure}
    for name, scores in found.items():
        run.trail.channel(name, scores)
    candidates = {*matched, *structure}
    # Where the graph leads, what only it brings stands at the end of a page, and what stands beside that changes
    # recall@5 and @10 of four stores by 0.1 at most.
    asking = matched if run.settings.traversal_primary else candidates
    if run.settings.neighbours:
        run.around = run.attempt("neighbours", lambda: _around(run, asking), {})
        candidates |= run.around.keys()
    run.timely = run.attempt("time", lambda: _of_the_time(run), set())
    candidates |= run.timely
    run.allowed = run.view.allowed(candidates)
    run.replaced = run.attempt("superseded", lambda: _replaced(run), {})
    run.around = {
        seq: others & run.allowed.keys() for seq, others in run.around.items() if seq in run.allowed
    }
    known = run.known
    known.keyword, known.hint, known.cosine, known.structure = (
        {seq: score for seq, score in scores.items() if seq in run.allowed}
        for scores in found.values()
    )
    _fill(run)


def _is_walked(run: Run, matched: set[int]) -> bool:
    """Return whether the graph may bring something to the page: where it leads, only behind a full one."""
    if not run.settings.traversal_primary:
        return True
    return len(run.view.rows(matched)) < run.query.size


def _around(run: Run, seqs: set[int]) -> dict[int, set[int]]:
    return neighbours.symmetric(run.view.table.beside(run.tx, run.view.rows(seqs)))


def _keyword(run: Run) -> Scores:
    return keyword.find(run.tx, run.words, run.view, run.pool)


def _hints(run: Run) -> Scores:
    if not run.settings.hints:
        return {}
    return keyword.hints(run.tx, run.words, run.query.reader.agent_id, run.view, run.pool)


def _vector(run: Run) -> Scores:
    run.query_vector = run.ask_vector({}) or None
    if run.query_vector is None:
        return {}
    tells: Mapping[str, float] = run.attempt("rarity", lambda: rarity.tells(run), {})
    run.weighed_vector = run.ask_vector(tells) or run.query_vector
    model = run.settings.embedding_model
    return vector.find(run.tx, run.weighed_vector, run.view, run.pool, model=model)


def _graph(run: Run) -> Scores:
    """Walk the graph where it is on; the best first."""
    settings = run.settings
    if not settings.graph:
        return {}
    walks = settings.traversal
    until = clock.monotonic_ms() + (
        settings.traversal_timeout_ms if walks else settings.graph_timeout_ms
    )
    run.walk = graph.walk(
        run.tx,
        run.focal,
        settings.bounds if walks else None,
        lambda: clock.monotonic_ms() >= until,
    )
    if not (walks and settings.traversal_primary):
        run.related = graph.related(run.tx, run.walk.focal)
    return graph.structure(run.tx, run.walk, run.where, run.graph_pool)


def _of_the_time(run: Run) -> set[int]:
    """Return memories of the time in question, when the question says little else."""
    spans = run.when.spans if len(run.words) <= FEW_WORDS else ()
    return {seq for span in spans for seq in time_lookup.within(run.tx, span, run.where, run.pool)}


def _replaced(run: Run) -> dict[int, list[int]]:
    """Return what replaced candidates; it is one, too, where it passes."""
    replaced = [seq for seq, row in run.allowed.items() if row.is_superseded]
    if not replaced:
        return {}
    found = time_lookup.replaced(run.tx, replaced, run.query.reader, run.query.as_of)
    later = {seq for chain in found.values() for seq in chain}
    run.allowed |= run.view.allowed(later)
    return found


def _fill(run: Run) -> None:
    """Give every candidate its words, and its cosine where the vector channel works."""
    known = run.known
    known.words = run.attempt(
        "fill_keyword",
        lambda: keyword.each(run.tx, run.words, run.allowed, run.view),
        known.words,
    )
    totals: Scores = {}
    for word in known.words:
        for seq, score in word.items():
            totals[seq] = totals.get(seq, 0.0) + score
    best = max(totals.values(), default=0.0)
    known.keyword = {seq: score / best if best else 1.0 for seq, score in totals.items()}
    plain, weighed, model = run.query_vector, run.weighed_vector, run.settings.embedding_model
    if plain is not None and weighed is not None and known.cosine:
        known.cosine, known.apart = run.attempt(
            "fill_vector",
            lambda: centering.compare(run.tx, plain, weighed, run.allowed, model=model),
            (known.cosine, known.cosine),
        )
