"""Reports of learned ranking: status, comparisons, and sessions with and without memory."""

import math
import statistics
from collections.abc import Callable, Iterable, Sequence

from signet.db import ReadTx
from signet.domain.learning import influence, sql, worth
from signet.domain.learning.sql import OutcomeRow, ToldRow
from signet.domain.memory import lookup
from signet.wire import evaluation as evaluation_wire
from signet.wire import predictor as wire

#: Minimum sessions, and minimum sessions without memory, before a difference is reported.
NEEDED_SESSIONS, LEAST_WITHOUT = 60, 5
#: 95 % of a normal distribution is within this many standard deviations.
_DEVIATIONS = 1.96
#: Memories per list, and characters of each.
MOST, CHARS = 5, 160


def evaluation(tx: ReadTx, *, agent_id: str, holdout: float) -> evaluation_wire.Evaluation:
    """Return the report: differences with their intervals, costs, and notable memories."""
    rows = tx.rows(OutcomeRow, sql.OUTCOMES, (agent_id,))
    given = [row for row in rows if not row.is_held_out]
    without = [row for row in rows if row.is_held_out]
    tokens, used = sum(row.tokens for row in given), sum(row.tokens_used for row in given)
    prompts, unanswered = tx.tuples(sql.PROMPTS, (agent_id,))[0]
    return {
        "sessions": len(rows),
        "neededSessions": NEEDED_SESSIONS,
        "neededWithout": LEAST_WITHOUT,
        "isEnough": is_enough(len(rows), len(without)),
        "holdout": holdout,
        "withMemory": _session_means(given),
        "withoutMemory": _session_means(without),
        "difference": {
            "corrections": _difference(given, without, lambda row: row.corrections),
            "askedAgain": _difference(given, without, lambda row: row.asked_again),
            "prompts": _difference(given, without, lambda row: row.prompts),
        },
        "tokens": {
            "given": tokens,
            "used": used,
            "wasted": tokens - used,
            "perSession": round(tokens / len(given), 1) if given else 0.0,
        },
        "unused": _listed_memories(tx, sql.UNUSED, agent_id),
        "misleading": _listed_memories(tx, sql.MISLEADING, agent_id),
        "missed": _listed_memories(tx, sql.MISSED, agent_id),
        "helpful": _listed_memories(tx, sql.HELPFUL, agent_id),
        "prompts": prompts,
        "unanswered": unanswered,
    }


def is_enough(sessions: int, without: int) -> bool:
    """Return whether there are enough sessions to distinguish a difference from chance. Pure."""
    return sessions >= NEEDED_SESSIONS and without >= LEAST_WITHOUT


def interval(values: Sequence[int]) -> evaluation_wire.Interval | None:
    """Return the mean of values with its bounds, None for no values. Pure."""
    if not values:
        return None
    mean = statistics.fmean(values)
    return _around(mean, _error(values) if len(values) > 1 else None)


def difference(more: Sequence[int], less: Sequence[int]) -> evaluation_wire.Interval | None:
    """Return the mean of `more` minus that of `less`, None if either has fewer than two values. Pure."""
    if min(len(more), len(less)) < 2:
        return None
    mean = statistics.fmean(more) - statistics.fmean(less)
    return _around(mean, math.hypot(_error(more), _error(less)))


def _error(values: Sequence[int]) -> float:
    return math.sqrt(statistics.variance(values) / len(values))


def _around(mean: float, error: float | None) -> evaluation_wire.Interval:
    if error is None:
        return {"mean": round(mean, 3), "low": None, "high": None}
    off = _DEVIATIONS * error
    return {"mean": round(mean, 3), "low": round(mean - off, 3), "high": round(mean + off, 3)}


def _session_means(rows: Sequence[OutcomeRow]) -> evaluation_wire.SomeSessions:
    return {
        "sessions": len(rows),
        "corrections": interval([row.corrections for row in rows]),
        "askedAgain": interval([row.asked_again for row in rows]),
        "prompts": interval([row.prompts for row in rows]),
    }


def _difference(
    given: Iterable[OutcomeRow], without: Iterable[OutcomeRow], of: Callable[[OutcomeRow], int]
) -> evaluation_wire.Interval | None:
    return difference([of(row) for row in given], [of(row) for row in without])


def _listed_memories(tx: ReadTx, statement: str, agent_id: str) -> list[evaluation_wire.Told]:
    rows = tx.rows(ToldRow, statement, (agent_id, MOST))
    texts = {
        one.id: one.content[:CHARS]
        for one in lookup.several(tx, [row.memory_id for row in rows])
        if not one.is_deleted
    }
    return [
        {
            "id": row.memory_id,
            "content": texts.get(row.memory_id),
            "given": row.given,
            "helped": row.helped,
            "hurt": row.hurt,
        }
        for row in rows
    ]


#: Minimum number of sessions that can prove anything, all won.
LEAST_SESSIONS = next(n for n in range(100) if influence.evidence(n, 0) >= influence.ENOUGH)


def status(tx: ReadTx, *, agent_id: str, window: int) -> wire.PredictorStatus:
    labels, last = tx.tuples(sql.LABEL_COUNT, (agent_id,))[0]
    stored = influence.state(tx, agent_id)
    found = influence.standing_of(tx, agent_id, window=window)
    trained = bool(tx.value(sql.TRAINED, (agent_id,)))
    return {
        "enabled": True,
        "alive": True,
        "crashCount": 0,
        "crashDisabled": False,
        "status": {
            "trained": trained,
            "training_pairs": labels,
            "model_version": worth.VERSION if trained else None,
            "last_trained": last,
            "native_dimensions": 0,
            "feature_dimensions": 0,
        },
        "state": {
            "alpha": stored.alpha,
            "successRate": found.rate,
            "coldStartExited": found.is_on,
            "sessions": found.wins + found.losses + found.ties,
            "minSessions": LEAST_SESSIONS,
            "activeVersion": worth.VERSION if found.is_on else None,
            "lastRollback": stored.last_rollback,
            "wins": found.wins,
            "losses": found.losses,
            "ties": found.ties,
            "evidence": round(found.evidence, 3),
            "enoughEvidence": influence.ENOUGH,
        },
    }


def count_labels(tx: ReadTx, *, agent_id: str) -> int:
    return int(tx.tuples(sql.LABEL_COUNT, (agent_id,))[0][0])


def comparisons(
    tx: ReadTx,
    *,
    agent_id: str,
    project: str | None,
    entity_id: str | None,
    since: str | None,
    until: str | None,
    limit: int,
    offset: int,
) -> wire.ComparisonPage:
    """Return a page of compared sessions, newest first; instants are ISO text."""
    asked = {
        "agent": agent_id,
        "project": project,
        "entity": entity_id,
        "since": since,
        "until": until,
        "limit": limit,
        "offset": offset,
    }
    return {
        "total": int(tx.value(sql.COUNT_COMPARED, asked)),
        "limit": limit,
        "offset": offset,
        "items": tx.records(wire.ComparedSession, sql.COMPARED, asked),
    }


def by_project(tx: ReadTx, *, agent_id: str) -> list[wire.ProjectResult]:
    """Return the results by project, most sessions first."""
    return tx.records(wire.ProjectResult, sql.BY_PROJECT, (agent_id,))


def by_entity(tx: ReadTx, *, agent_id: str) -> list[wire.EntityResult]:
    """Return the results by the session's entity, most sessions first."""
    return tx.records(wire.EntityResult, sql.BY_ENTITY, (agent_id,))


def trainings(tx: ReadTx, *, agent_id: str, limit: int) -> list[wire.Training]:
    """Return activations and stops of learned ranking, newest first."""
    return tx.records(wire.Training, sql.TRAININGS, (agent_id, limit))
