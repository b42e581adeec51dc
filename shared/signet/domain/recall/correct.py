"""Corrections to the model's scores: graph, communities, ratings, learning, superseded memories."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence

from signet.domain.learning import influence, worth
from signet.domain.recall import rank, topics, tuning
from signet.domain.recall.models import Scores
from signet.domain.recall.run import Run
from signet.domain.recall.sql import supplement


def correct(run: Run, scores: Scores) -> Scores:
    """Return the final scores, in log-odds."""
    settings, query = run.settings, run.query
    agent_id = query.reader.agent_id
    asking = [seq for seq in run.said if run.allowed[seq].asks]
    run.worth = run.attempt("worth", run.worth, worth.known, run.tx, agent_id)
    stages: tuple[tuple[str, bool, Callable[[Scores], Scores]], ...] = (
        ("graph", bool(run.structure), lambda s: _linked(run, s)),
        ("community", query.community and bool(run.focal), lambda s: _within(run, s)),
        ("rated", bool(run.worth.rated), lambda s: _rated(run, s)),
        ("learned", settings.learns and bool(run.worth.learned), lambda s: _learned(run, s)),
        ("asks", bool(asking), lambda s: s | {seq: s[seq] - tuning.ONLY_ASKS for seq in asking}),
        ("newest", bool(run.said), lambda s: _newest(run, s)),
        ("superseded", bool(run.replaced), lambda s: behind(s, run.replaced, run.allowed)),
    )
    run.judged = scores
    for name, is_on, stage in stages:
        if is_on and scores:
            scores = run.apply(name, scores, stage)
        if name == "graph":
            run.judged = scores
    run.newer = run.attempt("topics", {}, topics.successors, run, scores)
    if not run.newer:
        return scores
    scores = run.apply("topics", scores, lambda s: topics.ordered(run, s))
    run.judged = scores | run.judged  # with new candidates
    return scores


def _linked(run: Run, scores: Scores) -> Scores:
    """Raise memories found only by the graph by their importance, and rank them below all others."""
    alone = {
        seq: max(scores[seq], rank.logit(tuning.GRAPH_SHARE * one))
        for seq, one in run.structure.items()
        if run.trail.by_graph_alone(seq)
    }
    others = sorted((one for seq, one in scores.items() if seq not in alone), reverse=True)
    page = others[: run.query.size]
    ceiling = page[-1] - tuning.BELOW_PAGE if page else rank.logit(1.0)
    return scores | {seq: min(one, ceiling) for seq, one in alone.items()}


def _learned(run: Run, scores: Scores) -> Scores:
    """Apply the learned factors to the scores, if learning is in use."""
    changed = _times(scores, run.worth.learned)
    if not changed:
        return scores
    run.unlearned = scores
    is_on = influence.is_on(run.tx, run.query.reader.agent_id)
    return scores | changed if is_on else scores


def _rated(run: Run, scores: Scores) -> Scores:
    """Lower the relevance of memories that agents rated useless, by their factors (PR-13)."""
    rated = run.worth.rated
    lowered = {
        seq: rank.logit(rated[seq] * rank.relevance(scores[seq]))
        for seq in scores.keys() & rated.keys()
    }
    return scores | lowered


def _newest(run: Run, scores: Scores) -> Scores:
    """Raise the newest among passages with similar scores, because things change."""
    said = scores.keys() & run.said.keys()
    least = max((scores[seq] for seq in said), default=0.0) - tuning.NEWEST_WITHIN
    near = sorted(
        (seq for seq in said if scores[seq] >= least), key=lambda seq: run.said[seq].said_at
    )
    share = tuning.NEWEST / max(1, len(near) - 1)
    return scores | {seq: scores[seq] + share * place for place, seq in enumerate(near)}


def _times(scores: Scores, factors: Mapping[int, float]) -> Scores:
    """Return scores plus the log-odds of their factors."""
    return {seq: scores[seq] + rank.odds(factors[seq]) for seq in scores.keys() & factors.keys()}


def _within(run: Run, scores: Scores) -> Scores:
    """Keep the candidates in the communities of the question, if they fill a page; else keep all (KG-19)."""
    focal = json.dumps([entity.id for entity in run.focal])
    rows = run.tx.all(supplement.WITHIN, {"seqs": json.dumps(list(scores)), "focal": focal})
    inside = {row[0]: scores[row[0]] for row in rows}
    return inside if len(inside) >= run.query.size else scores


def behind(
    scores: Scores, replaced: Mapping[int, Sequence[int]], allowed: Collection[int]
) -> Scores:
    """Rank current memories at least as high as those they supersede.

    `replaced` maps each superseded memory to its successors, nearest first; those in `allowed` become candidates.
    """
    after = dict(scores)
    old = {
        seq: [s for s in later if s in allowed] for seq, later in replaced.items() if seq in scores
    }
    for seq, later in old.items():
        if later:
            after[later[-1]] = max(after.get(later[-1], scores[seq]), scores[seq])
    for seq, later in sorted(old.items(), key=lambda pair: len(pair[1])):
        ceiling = min((after[s] for s in later if s in after), default=scores[seq])
        after[seq] = min(scores[seq] - tuning.SUPERSEDED, ceiling - tuning.BEHIND_SUCCESSOR)
    return after
