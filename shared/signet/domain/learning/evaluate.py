"""Compare sessions with memory and held-out sessions without."""

import math
import statistics
from collections.abc import Callable, Iterable, Sequence

from signet.db import ReadTx
from signet.domain.learning import sql
from signet.domain.learning.sql import OutcomeRow, ToldRow
from signet.domain.memory import lookup
from signet.wire import evaluation as wire

#: Minimum sessions, and minimum sessions without memory, before a difference is reported.
LEAST_SESSIONS, LEAST_WITHOUT = 60, 5
#: 95 % of a normal distribution is within this many standard deviations.
_DEVIATIONS = 1.96
#: Memories per list, and characters of each.
MOST, CHARS = 5, 160


def report(tx: ReadTx, *, agent_id: str, holdout: float) -> wire.Evaluation:
    """Return the report: differences with their intervals, costs, and notable memories."""
    rows = tx.rows(OutcomeRow, sql.OUTCOMES, (agent_id,))
    given = [row for row in rows if not row.is_held_out]
    without = [row for row in rows if row.is_held_out]
    tokens, used = sum(row.tokens for row in given), sum(row.tokens_used for row in given)
    prompts, unanswered = tx.tuples(sql.PROMPTS, (agent_id,))[0]
    return {
        "sessions": len(rows),
        "neededSessions": LEAST_SESSIONS,
        "neededWithout": LEAST_WITHOUT,
        "isEnough": is_enough(len(rows), len(without)),
        "holdout": holdout,
        "withMemory": _sessions(given),
        "withoutMemory": _sessions(without),
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
        "unused": _told(tx, sql.UNUSED, agent_id),
        "misleading": _told(tx, sql.MISLEADING, agent_id),
        "missed": _told(tx, sql.MISSED, agent_id),
        "helpful": _told(tx, sql.HELPFUL, agent_id),
        "prompts": prompts,
        "unanswered": unanswered,
    }


def is_enough(sessions: int, without: int) -> bool:
    """Return whether there are enough sessions to distinguish a difference from chance. Pure."""
    return sessions >= LEAST_SESSIONS and without >= LEAST_WITHOUT


def interval(values: Sequence[int]) -> wire.Interval | None:
    """Return the mean of values with its bounds, None for no values. Pure."""
    if not values:
        return None
    mean = statistics.fmean(values)
    return _around(mean, _error(values) if len(values) > 1 else None)


def difference(more: Sequence[int], less: Sequence[int]) -> wire.Interval | None:
    """Return the mean of `more` minus that of `less`, None if either has fewer than two values. Pure."""
    if min(len(more), len(less)) < 2:
        return None
    mean = statistics.fmean(more) - statistics.fmean(less)
    return _around(mean, math.hypot(_error(more), _error(less)))


def _error(values: Sequence[int]) -> float:
    return math.sqrt(statistics.variance(values) / len(values))


def _around(mean: float, error: float | None) -> wire.Interval:
    if error is None:
        return {"mean": round(mean, 3), "low": None, "high": None}
    off = _DEVIATIONS * error
    return {"mean": round(mean, 3), "low": round(mean - off, 3), "high": round(mean + off, 3)}


def _sessions(rows: Sequence[OutcomeRow]) -> wire.SomeSessions:
    return {
        "sessions": len(rows),
        "corrections": interval([row.corrections for row in rows]),
        "askedAgain": interval([row.asked_again for row in rows]),
        "prompts": interval([row.prompts for row in rows]),
    }


def _difference(
    given: Iterable[OutcomeRow], without: Iterable[OutcomeRow], of: Callable[[OutcomeRow], int]
) -> wire.Interval | None:
    return difference([of(row) for row in given], [of(row) for row in without])


def _told(tx: ReadTx, statement: str, agent_id: str) -> list[wire.Told]:
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
