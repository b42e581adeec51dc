"""What sessions, ratings and time do to the weights of aspects. The rules are in `weights.py`.

A session counts once: each of its uses of memories is handed over once (KG-23, `injections/usefulness.py`).
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta

from signet import clock
from signet.config.pipeline import FeedbackSettings
from signet.db import ReadTx, WriteTx, runtime_settings
from signet.db.dialect import as_list
from signet.domain.graph import weights
from signet.domain.graph.sql import weights as sql
from signet.domain.graph.sql.weights import Weight
from signet.domain.graph.weights import Use, WeightBounds
from signet.wire.pipeline import LastFeedback

#: Sessions of an agent that ended since its weights last faded.
ENDED = "feedback.sessions:"
#: What the newest session of an agent that used memories did to its weights.
_LAST = "feedback.last:"
#: Steps of one rating of 1.
ASPECT_STEP = 0.02
STRENGTH_STEP = 0.04
CONFIDENCE_STEP = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """How many memories a session used, how many of them were found again, and how many aspects moved or faded."""

    memories: int = 0
    found: int = 0
    aspects: int = 0
    decayed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """What led to a memory, by ids, and how often it was cited, updated, built upon or led nowhere afterwards."""

    aspects: Sequence[str] = ()
    edges: Sequence[str] = ()
    cited: float = 0.0
    updated: float = 0.0
    created: float = 0.0
    dead_ends: float = 0.0

    @property
    def reward(self) -> float:
        """Return what was done with the memory, in ratings."""
        return self.cited + 0.5 * self.updated + 0.6 * self.created - 0.15 * self.dead_ends


def apply_session(
    tx: WriteTx,
    uses: Mapping[str, Use],
    *,
    agent_id: str,
    settings: FeedbackSettings,
    now: datetime,
) -> Weighed:
    """Move the weights of aspects by how the memories that a session was given served it (`uses`, by memory id).

    Every `decay_interval_sessions` sessions weights fade.
    """
    if not uses:
        return Weighed()
    aspects = _reward(tx, uses, agent_id, WeightBounds.of(settings), now)
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
    """Return what the newest session of an agent that used memories did; `lastRunAt` is None before the first one.

    An attribute has no weight of its own: none is propagated.
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
    """Move the aspects and edges that led to the rated memories of this agent; return how many moved.

    Each moves by a small step times what the memory was worth: its rating (-1..1), and what was done with it.
    """
    bounds, at, moved = replace(bounds, step=ASPECT_STEP), clock.to_text(now), 0
    for memory_id, path in paths.items():
        by = worth(ratings[memory_id], path) if memory_id in ratings else 0.0
        for aspect_id in path.aspects if by else ():
            known = tx.row(sql.Weight, sql.ONE, (aspect_id, agent_id))
            if known is not None and known.is_shown:
                tx.run(sql.SET, (_moved(known, by, bounds), at, aspect_id))
                moved += 1
        for edge_id in path.edges if by else ():
            steps = STRENGTH_STEP * by, CONFIDENCE_STEP * by
            moved += tx.run(sql.STEP, (*steps, at, edge_id, agent_id))
    return moved


def worth(rating: float, path: Path) -> float:
    """Return what a memory was worth, -1..1."""
    return min(1.0, max(-1.0, rating + path.reward))


def stale(
    tx: ReadTx, settings: FeedbackSettings, *, now: datetime, agent_id: str | None = None
) -> list[Weight]:
    """Return the aspects that have not changed for `stale_days` and can still fade; of one agent, or of all."""
    return tx.rows(
        sql.Weight,
        sql.STALE,
        {
            "before": clock.to_text(now - timedelta(days=settings.stale_days)),
            "agent": agent_id,
            "low": settings.min_aspect_weight,
            "floor": weights.CONSTRAINT_FLOOR,
        },
    )


def fade(
    tx: WriteTx, found: Sequence[Weight], settings: FeedbackSettings, *, now: datetime
) -> None:
    """Lower the weight of stale aspects, unless they have changed meanwhile.

    That is a change, so each fades at most once in `stale_days`.
    """
    bounds = WeightBounds.of(settings)
    at = clock.to_text(now)
    for one in found:
        weight = weights.decayed(one.weight, bounds, holds_constraint=bool(one.holds_constraint))
        tx.run(sql.SET_UNTOUCHED, (weight, at, one.id, one.updated_at))


def _reward(
    tx: WriteTx, uses: Mapping[str, Use], agent_id: str, bounds: WeightBounds, now: datetime
) -> int:
    steps: defaultdict[Weight, int] = defaultdict(int)
    for memory_id, *weight in tx.tuples(sql.OF_MEMORIES, (as_list(uses), agent_id)):
        steps[Weight(*weight)] += weights.steps(uses[memory_id])
    at = clock.to_text(now)
    changes = [
        (_moved(one, by, bounds), at, one.id)
        for one, by in steps.items()
        if by < 0 or (by > 0 and one.is_shown)
    ]
    tx.many(sql.SET, changes)
    return len(changes)


def _moved(one: Weight, by: float, bounds: WeightBounds) -> float:
    return weights.moved(one.weight, by, bounds, holds_constraint=bool(one.holds_constraint))


def _is_turn(tx: WriteTx, agent_id: str, interval: int) -> bool:
    """Count a session that ended; say whether weights are to fade now."""
    ended = runtime_settings.get_number(tx, ENDED + agent_id) + 1
    runtime_settings.put(tx, ENDED + agent_id, 0 if ended >= interval else ended)
    return ended >= interval
