"""Feedback of agents on injected memories."""

from collections.abc import Mapping
from datetime import datetime

from fastapi import Request

from signet import clock
from signet.config.pipeline import FeedbackSettings as Settings
from signet.db import WriteTx
from signet.domain.graph import feedback
from signet.domain.graph.feedback import Path
from signet.domain.graph.weights import WeightBounds
from signet.domain.injections import ratings
from signet.domain.injections.ratings import Feedback, Recorded
from signet.domain.memory.models import Actor
from signet.errors import Invalid
from signet.wire import memory as wire
from signet.wire.requests.changes import FeedbackBody
from signet_api.deps import Shared, State, Who, agent_of
from signet_api.serving import serves


@serves(wire.RATE)
async def post_feedback(
    body: FeedbackBody, request: Request, state: Shared, actor: Who
) -> wire.Rated:
    """Store ratings of a session's memories from -1 to 1, by ID; adjusts the weights that led to them.

    `unknown` lists memories that the session did not receive.
    """
    if body.memory_id is not None or body.feedback_type is not None:
        return await _say(body, request, state, actor)
    if not body.session_key or body.feedback is None:
        raise Invalid("sessionKey and feedback required")
    agent_id = await agent_of(body.agent_id, body.session_key, request)
    taken, moved = await state.db.awrite(
        _take,
        body.session_key,
        _ratings(body.feedback),
        _paths(body),
        _steps(state),
        agent_id,
        actor,
        now=clock.now(),
    )
    return {
        "ok": True,
        "recorded": len(taken.scores),
        "unknown": list(taken.unknown),
        "accepted": len(taken.scores),
        "rejected": len(taken.unknown),
        "propagated": moved,
    }


async def _say(body: FeedbackBody, request: Request, state: State, actor: Actor) -> wire.Rated:
    session = body.session_id or body.session_key
    if not session or not body.memory_id:
        raise Invalid("session_id and memory_id required")
    if body.feedback_type not in tuple(Feedback):
        raise Invalid("feedback_type must be positive, negative or correction")
    said, text = Feedback(body.feedback_type), (body.correction_text or "").strip()
    if said is Feedback.CORRECTION and not text:
        raise Invalid("correction_text required")
    await state.db.awrite(
        ratings.say,
        session,
        body.memory_id,
        said,
        correction=text,
        agent_id=await agent_of(body.agent_id, session, request),
        actor=actor,
        now=clock.now(),
    )
    return {"ok": True, "recorded": 1}


def _take(
    tx: WriteTx,
    session_key: str,
    rated: Mapping[str, float],
    ways: Mapping[str, Path],
    bounds: WeightBounds | None,
    agent_id: str,
    actor: Actor,
    *,
    now: datetime,
) -> tuple[Recorded, int]:
    taken = ratings.record(tx, session_key, rated, agent_id=agent_id, actor=actor, now=now)
    if bounds is None:
        return taken, 0
    moved = feedback.apply_ratings(
        tx, taken.scores, ways, agent_id=agent_id, bounds=bounds, now=now
    )
    return taken, moved


def _steps(state: State) -> WeightBounds | None:
    """Return the maximum weight change, None if disabled."""
    pipeline = state.settings.pipeline
    learns: Settings = pipeline.feedback
    return None if pipeline.mutations_frozen or not learns.enabled else WeightBounds.of(learns)


def _ratings(said: object) -> dict[str, float]:
    """Return ratings by ID; raises Invalid unless it is a non-empty map of IDs to numbers."""
    if isinstance(said, dict) and said and all(_is_number(value) for value in said.values()):
        return {str(name): float(max(-1, min(1, value))) for name, value in said.items()}
    raise Invalid("Invalid feedback format — expected map of ID to number (-1 to 1)")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _paths(body: FeedbackBody) -> dict[str, Path]:
    """Return how each memory was found and used."""
    found = {}
    for memory_id, path in body.paths.items():
        reward = body.rewards.get(memory_id)
        found[memory_id] = Path(
            aspects=tuple(path.aspect_ids),
            edges=tuple(path.dependency_ids),
            cited=reward.forward_citation if reward else 0.0,
            updated=reward.update_after_retrieval if reward else 0.0,
            created=reward.downstream_creation if reward else 0.0,
            dead_ends=reward.dead_end if reward else 0.0,
        )
    return found
