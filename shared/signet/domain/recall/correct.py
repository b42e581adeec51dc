"""The stages after the merge, in their order: rehearsal, time, hubs, questions, communities, the kind of answer,
resolution, ratings, what was learned, and what was replaced last."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta

from signet import clock
from signet.domain.learning import influence, worth
from signet.domain.recall import (
    answer_type,
    blend,
    dampen,
    rehearse,
    superseded,
    time_boost,
    time_lookup,
)
from signet.domain.recall.answer_type import Kind
from signet.domain.recall.models import Scores
from signet.domain.recall.run import Run
from signet.domain.recall.sql import community, reading

#: Results per place on the page whose text is read to see whether they settle something.
READ_PER_RESULT = 3


def correct(run: Run, scores: Scores) -> Scores:
    """Return the final scores."""
    settings, query = run.settings, run.query
    agent_id = query.reader.agent_id
    run.worth = run.attempt("worth", lambda: worth.known(run.tx, agent_id), run.worth)
    kinds = answer_type.of(run.query.text)
    stages: tuple[tuple[str, bool, Callable[[Scores], Scores]], ...] = (
        ("rehearsal", settings.rehearsal_weight > 0, lambda s: _rehearsed(run, s)),
        ("time", settings.time_weight > 0 and bool(run.when.spans), lambda s: _timed(run, s)),
        ("hubs", settings.graph and settings.hubs, lambda s: _without_hubs(run, s)),
        ("questions", settings.questions, lambda s: _asking(run, s)),
        ("community", query.community and bool(run.focal), lambda s: _within(run, s)),
        ("expected", bool(kinds), lambda s: _expected(run, s, kinds)),
        ("resolution", settings.resolution, lambda s: _resolved(run, s)),
        ("rated", bool(run.worth.rated), lambda s: s | _times(s, run.worth.rated)),
        ("learned", settings.learns and bool(run.worth.learned), lambda s: _learned(run, s)),
        (
            "superseded",
            bool(run.replaced),
            lambda s: superseded.behind(s, run.replaced, run.allowed),
        ),
    )
    for name, is_on, stage in stages:
        if is_on and scores:
            scores = run.apply(name, scores, stage)
    return scores


def _learned(run: Run, scores: Scores) -> Scores:
    """Raise what helped in earlier sessions and lower what did not, once that has proven to be better."""
    changed = _times(scores, run.worth.learned)
    if not changed:
        return scores
    run.unlearned = scores
    is_on = influence.is_on(run.tx, run.query.reader.agent_id)
    return scores | changed if is_on else scores


def _times(scores: Scores, factors: Mapping[int, float]) -> Scores:
    """Return the scores that have a factor, multiplied by it: what agents rated counts so, too (PR-13)."""
    return {seq: scores[seq] * factors[seq] for seq in scores.keys() & factors.keys()}


def _rehearsed(run: Run, scores: Scores) -> Scores:
    settings = run.settings
    used = {seq: row for seq in scores if (row := run.allowed[seq]).access_count > 0}
    # What was returned together was used at the same instant.
    days = {text: _days_since(run, text) for text in {row.last_accessed for row in used.values()}}
    raised = {
        seq: scores[seq]
        * rehearse.factor(
            row.access_count,
            days[row.last_accessed],
            weight=rehearse.GENTLE * settings.rehearsal_weight,
            half_life_days=settings.rehearsal_half_life_days,
        )
        for seq, row in used.items()
    }
    return scores | raised


def _days_since(run: Run, text: str | None) -> float | None:
    try:
        return (run.now - clock.parse(text)) / timedelta(days=1) if text else None
    except ValueError:  # a row of an older file; it counts as one without a date
        return None


def _timed(run: Run, scores: Scores) -> Scores:
    told = time_lookup.of(run.tx, scores)
    return time_boost.lift(scores, told, run.when.spans, weight=run.settings.time_weight)


def _without_hubs(run: Run, scores: Scores) -> Scores:
    """Lower what hangs on hubs alone, but not on one that the question names.

    Measured: in a conversation both speakers are hubs, and lowering what mentions them costs 3 % of MRR.
    """
    agent_id = run.query.reader.agent_id
    memories = run.view.table.of_agent(agent_id)
    if reading.most_mentions(run.tx, agent_id) < dampen.least_degree(memories):
        return scores
    asked = {entity.id for entity in run.focal}
    degrees = {
        seq: list(sizes.values())
        for seq, sizes in reading.degrees(run.tx, scores).items()
        if asked.isdisjoint(sizes)
    }
    return dampen.hubs(scores, degrees, memories=memories)


def _asking(run: Run, scores: Scores) -> Scores:
    """Lower what asks among the best; the rest cannot reach the page."""
    return dampen.questions(scores, {seq for seq in _best(run, scores) if run.allowed[seq].asks})


def _best(run: Run, scores: Scores) -> list[int]:
    return sorted(scores, key=scores.__getitem__, reverse=True)[: READ_PER_RESULT * run.query.size]


def _within(run: Run, scores: Scores) -> Scores:
    """Return the candidates of the communities of what is asked about, if that is a page of them; else all (KG-19)."""
    focal = json.dumps([entity.id for entity in run.focal])
    rows = run.tx.all(community.WITHIN, {"seqs": json.dumps(list(scores)), "focal": focal})
    inside = {row[0]: scores[row[0]] for row in rows}
    return inside if len(inside) >= run.query.size else scores


def _expected(run: Run, scores: Scores, kinds: Sequence[Kind]) -> Scores:
    """Raise what gives the sort of answer that is asked for."""
    texts = run.texts(_best(run, scores))
    shares = {seq: answer_type.given(kinds, run.allowed[seq].type, t) for seq, t in texts.items()}
    weight = answer_type.LIFT * blend.shortness([row.passages for row in run.allowed.values()])
    return answer_type.lift(scores, shares, weight=weight)


def _resolved(run: Run, scores: Scores) -> Scores:
    """Raise what settles something among the best; the rest cannot reach the page."""
    table = run.view.table
    known = table.settling(_best(run, scores))
    new = [seq for seq, settles in known.items() if settles < 0]
    found = {
        seq: dampen.is_resolved(run.allowed[seq].type, text) for seq, text in run.texts(new).items()
    }
    table.settled(found)
    resolved = {seq for seq, settles in (known | found).items() if settles > 0}
    return dampen.resolution(scores, resolved, boost=dampen.RESOLUTION_BOOST)
