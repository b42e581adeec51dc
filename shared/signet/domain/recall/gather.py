"""The candidates of one recall, and what each channel knows of every one of them.

Each channel brings its best; then each candidate gets what the other channels would have said of it. A lone
score as it is loses a tenth of the evidence or more (design/retrieval.md §1).
"""

from signet import clock
from signet.db import fts
from signet.domain.recall import graph, keyword, store, vector
from signet.domain.recall.models import Fusion, RecallSettings, Scores
from signet.domain.recall.run import Run


def gather(run: Run) -> None:
    """Ask every channel; afterwards `known` holds the candidates that pass all filters."""
    filled = run.settings.fusion is Fusion.FILLED
    ranks: Scores = run.attempt("keyword", lambda: _keyword(run, strict=not filled), {})
    hints: Scores = run.attempt("hints", lambda: _hints(run), {})
    cosine: Scores = run.attempt("vector", lambda: _vector(run), {})
    structure: Scores = run.attempt("graph", lambda: _graph(run), {})
    for name, found in (
        ("keyword", ranks),
        ("hint", hints),
        ("vector", cosine),
        ("graph", structure),
    ):
        run.trail.channel(name, found)
    if filled:
        _fill(run, ranks, hints, cosine, structure)
    else:
        _pass(run, {*ranks, *hints, *cosine, *structure})
    known = run.known
    known.keyword = fts.scores(_only(run, ranks))
    known.hint, known.cosine = _only(run, hints), _only(run, cosine)
    known.structure = _only(run, structure)


def _keyword(run: Run, *, strict: bool) -> dict[int, float]:
    return keyword.find(run.tx, run.words, run.where, run.pool, strict=strict)


def _hints(run: Run) -> Scores:
    if not run.settings.hints:
        return {}
    return keyword.hints(run.tx, run.words, run.query.reader.agent_id, run.where, run.pool)


def _vector(run: Run) -> Scores:
    if run.query_vector is None:
        return {}
    model = run.settings.embedding_model
    return vector.find(run.tx, run.query_vector, run.where, run.pool, model=model)


def _graph(run: Run) -> Scores:
    """Walk the graph where it is on; the best first."""
    settings = run.settings
    if not settings.graph:
        return {}
    until = clock.monotonic_ms() + _patience_ms(settings)
    run.walk = graph.walk(
        run.tx,
        run.words,
        run.query.reader.agent_id,
        settings.bounds if settings.traversal else None,
        lambda: clock.monotonic_ms() >= until,
    )
    if not settings.traversal_primary or not settings.traversal:
        run.related = graph.related(run.tx, run.walk.focal)
    found = graph.structure(run.tx, run.walk)
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))


def _patience_ms(settings: RecallSettings) -> int:
    return settings.traversal_timeout_ms if settings.traversal else settings.graph_timeout_ms


def _fill(
    run: Run, ranks: dict[int, float], hints: Scores, cosine: Scores, structure: Scores
) -> None:
    """Add the neighbours of the candidates, and to all of them the scores that are missing."""
    own = {*ranks, *hints, *cosine, *structure}
    if run.settings.neighbour_weight > 0:
        run.beside = run.attempt("neighbours", lambda: store.beside(run.tx, own), {})
    _pass(run, own.union(*run.beside.values()))
    with_words = [seq for seq in run.allowed if seq not in ranks]
    more: Scores = run.attempt(
        "fill_keyword", lambda: keyword.fill(run.tx, run.words, with_words), {}
    )
    ranks |= more
    query_vector = run.query_vector
    if query_vector is not None and cosine:
        model = run.settings.embedding_model
        bare = [seq for seq in run.allowed if seq not in cosine]
        rest: Scores = run.attempt(
            "fill_vector", lambda: vector.fill(run.tx, query_vector, bare, model=model), {}
        )
        cosine |= rest


def _pass(run: Run, candidates: set[int]) -> None:
    run.allowed = run.attempt("filter", lambda: store.allowed(run.tx, candidates, run.where), {})


def _only(run: Run, scores: dict[int, float]) -> dict[int, float]:
    return {seq: score for seq, score in scores.items() if seq in run.allowed}
