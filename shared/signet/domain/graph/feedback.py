"""The effects of sessions, ratings and time on the weights of aspects.

A session counts once: each of its uses of memories is handed over once (KG-23, `injections/ratings.py`).
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import TypeVar

from signet import clock
from signet.config.pipeline import FeedbackSettings
from signet.db import ReadTx, WriteTx, runtime_settings
from signet.db.dialect import as_list
from signet.domain.graph.sql import attributes, entities
from signet.domain.graph.sql import attributes as sql
from signet.domain.graph.sql.attributes import Weight
from signet.queue.job_context import JobContext
from signet.wire.pipeline import LastFeedback

#: An aspect that holds an active constraint never falls below this (KG-26).
CONSTRAINT_FLOOR = 0.5
#: After this many consecutive sessions that received a memory without using it, its aspects lose a step.
UNUSED_SESSIONS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightBounds:
    step: float = 0.02
    low: float = 0.1
    high: float = 1.0
    decay: float = 0.005

    @classmethod
    def from_settings(cls, settings: FeedbackSettings) -> "WeightBounds":
        return cls(
            step=settings.fts_weight_delta,
            low=settings.min_aspect_weight,
            high=settings.max_aspect_weight,
            decay=settings.decay_rate,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """How a session used an injected memory; `unused` counts consecutive sessions without use."""

    hits: int = 0
    rating: float | None = None
    unused: int = 0


def aspect_steps(use: Use) -> int:
    """Return the change in weight of a memory's aspects after a session, in steps; negative for a loss."""
    is_regretted = use.rating is not None and use.rating < 0
    is_unused = use.unused > 0 and use.unused % UNUSED_SESSIONS == 0
    return max(0, use.hits) - (is_regretted or is_unused)


def moved_weight(
    weight: float, by: float, bounds: WeightBounds, *, holds_constraint: bool
) -> float:
    after = weight + by * bounds.step
    if by >= 0:
        return min(max(weight, bounds.high), after)
    return max(_least(weight, bounds, holds_constraint), after)


def decayed_weight(weight: float, bounds: WeightBounds, *, holds_constraint: bool) -> float:
    return max(_least(weight, bounds, holds_constraint), weight - bounds.decay)


def _least(weight: float, bounds: WeightBounds, holds_constraint: bool) -> float:
    """Return the lower bound of a weight; a weight already below it stays."""
    low = max(bounds.low, CONSTRAINT_FLOOR) if holds_constraint else bounds.low
    return min(weight, low)


#: Sessions of an agent that ended since its weights last faded.
ENDED = "feedback.sessions:"
#: The changes of weights by an agent's newest session that used memories.
_LAST = "feedback.last:"
#: The change of weight for a rating of 1.
ASPECT_STEP = 0.02
STRENGTH_STEP = 0.04
CONFIDENCE_STEP = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """The numbers of used memories, of those found again, and of changed and faded aspects."""

    memories: int = 0
    found: int = 0
    aspects: int = 0
    decayed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """The aspects and edges that led to a memory, and the number of its uses of each kind."""

    aspects: Sequence[str] = ()
    edges: Sequence[str] = ()
    cited: float = 0.0
    updated: float = 0.0
    created: float = 0.0
    dead_ends: float = 0.0

    @property
    def reward(self) -> float:
        return self.cited + 0.5 * self.updated + 0.6 * self.created - 0.15 * self.dead_ends


def apply_session(
    tx: WriteTx,
    uses: Mapping[str, Use],
    *,
    agent_id: str,
    settings: FeedbackSettings,
    now: datetime,
) -> Weighed:
    """Move the weights of aspects by the uses of their memories in a session (`uses`, by memory ID).

    Weights fade every `decay_interval_sessions` sessions.
    """
    if not uses:
        return Weighed()
    aspects = _reward(tx, uses, agent_id, WeightBounds.from_settings(settings), now)
    faded: list[Weight] = []
    if settings.decay_enabled and _is_turn(tx, agent_id, settings.decay_interval_sessions):
        faded = stale(tx, settings, agent_id=agent_id, now=now)
        fade(tx, faded, settings, now=now)
    hits = sum(use.hits > 0 for use in uses.values())
    done = Weighed(memories=len(uses), found=hits, aspects=aspects, decayed=len(faded))
    stored = {"at": clock.to_text(now), **asdict(done)}
    runtime_settings.put(tx, _LAST + agent_id, json.dumps(stored))
    return done


def last(tx: ReadTx, *, agent_id: str) -> LastFeedback:
    """Return the effect of the newest session with used memories; without one there is no `lastRunAt`.

    Attributes have no weights, so none is propagated.
    """
    known = json.loads(runtime_settings.get(tx, _LAST + agent_id) or "{}")
    return {
        "lastRunAt": known.get("at"),
        "feedbackAspectsUpdated": known.get("aspects", 0),
        "feedbackFtsConfirmations": known.get("found", 0),
        "feedbackDecayedAspects": known.get("decayed", 0),
        "feedbackPropagatedAttributes": 0,
    }


def apply_ratings(
    tx: WriteTx,
    ratings: Mapping[str, float],
    paths: Mapping[str, Path],
    *,
    agent_id: str,
    bounds: WeightBounds,
    now: datetime,
) -> int:
    """Move the aspects and edges that led to the rated memories; return how many moved.

    Each moves by a step times the memory's worth: its rating (-1..1) and its uses.
    """
    bounds, at, moved = replace(bounds, step=ASPECT_STEP), clock.to_text(now), 0
    for memory_id, path in paths.items():
        by = worth(ratings[memory_id], path) if memory_id in ratings else 0.0
        for aspect_id in path.aspects if by else ():
            known = tx.row(sql.Weight, sql.ONE_WEIGHT, (aspect_id, agent_id))
            if known is not None and known.is_shown:
                tx.run(sql.SET_WEIGHT, (_moved(known, by, bounds), at, aspect_id))
                moved += 1
        for edge_id in path.edges if by else ():
            steps = STRENGTH_STEP * by, CONFIDENCE_STEP * by
            moved += tx.run(sql.STEP_EDGE, (*steps, at, edge_id, agent_id))
    return moved


def worth(rating: float, path: Path) -> float:
    return min(1.0, max(-1.0, rating + path.reward))


def stale(
    tx: ReadTx, settings: FeedbackSettings, *, now: datetime, agent_id: str | None = None
) -> list[Weight]:
    """Return the aspects of one or all agents unchanged for `stale_days` that can still fade."""
    return tx.rows(
        sql.Weight,
        sql.STALE_WEIGHTS,
        {
            "before": clock.to_text(now - timedelta(days=settings.stale_days)),
            "agent": agent_id,
            "low": settings.min_aspect_weight,
            "floor": CONSTRAINT_FLOOR,
        },
    )


def fade(
    tx: WriteTx, found: Sequence[Weight], settings: FeedbackSettings, *, now: datetime
) -> None:
    """Lower the weights of stale aspects that have not changed meanwhile.

    Fading is a change, so each fades at most once in `stale_days`.
    """
    bounds = WeightBounds.from_settings(settings)
    at = clock.to_text(now)
    for one in found:
        weight = decayed_weight(one.weight, bounds, holds_constraint=bool(one.holds_constraint))
        tx.run(sql.SET_UNTOUCHED_WEIGHT, (weight, at, one.id, one.updated_at))


def _reward(
    tx: WriteTx, uses: Mapping[str, Use], agent_id: str, bounds: WeightBounds, now: datetime
) -> int:
    steps: defaultdict[Weight, int] = defaultdict(int)
    for memory_id, *weight in tx.tuples(sql.OF_MEMORIES, (as_list(uses), agent_id)):
        steps[Weight(*weight)] += aspect_steps(uses[memory_id])
    at = clock.to_text(now)
    changes = [
        (_moved(one, by, bounds), at, one.id)
        for one, by in steps.items()
        if by < 0 or (by > 0 and one.is_shown)
    ]
    tx.many(sql.SET_WEIGHT, changes)
    return len(changes)


def _moved(one: Weight, by: float, bounds: WeightBounds) -> float:
    return moved_weight(one.weight, by, bounds, holds_constraint=bool(one.holds_constraint))


def _is_turn(tx: WriteTx, agent_id: str, interval: int) -> bool:
    """Count an ended session; return whether weights should fade now."""
    ended = runtime_settings.get_number(tx, ENDED + agent_id) + 1
    runtime_settings.put(tx, ENDED + agent_id, 0 if ended >= interval else ended)
    return ended >= interval


T = TypeVar("T")

#: Rows changed in one transaction.
BATCH = 200


def run_upkeep(job: JobContext, settings: FeedbackSettings, *, now: datetime) -> None:
    """Do all due upkeep and complete the job with its counts; raises LeaseLost, Cancelled."""
    unfounded = job.db.read(lambda tx: tx.column(attributes.UNFOUNDED))
    for some in _batches(unfounded):
        job.check()
        job.db.write_quick(attributes.retire, some, at=clock.to_text(now))
    fades = settings.enabled and settings.decay_enabled
    fading = job.db.read(stale, settings, now=now) if fades else []
    for part in _batches(fading):
        job.check()
        job.db.write_quick(fade, part, settings, now=now)
    cancelled = 0
    while some_more := job.db.write_quick(cancel_expired, now=now, limit=BATCH):
        cancelled += some_more
    done = {"retired": len(unfounded), "faded": len(fading), "tasksCancelled": cancelled}
    job.commit(lambda tx: done)


def _batches(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(rows), BATCH):
        yield rows[start : start + BATCH]


def cancel_expired(tx: WriteTx, *, now: datetime, limit: int) -> int:
    return tx.run(entities.CANCEL, (clock.to_text(now), limit))


def delete_ended(tx: WriteTx, *, now: datetime, limit: int) -> int:
    """Delete ended, unpinned tasks after their retention (KG-22); return their number."""
    gone = tx.column(entities.ENDED, (clock.to_text(now), limit))
    entities.delete(tx, gone)
    return len(gone)
