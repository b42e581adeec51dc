"""Memories that wait for approval, forgotten values, and ratings."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated

from fastapi import Query

from signet import clock
from signet.config.pipeline import FeedbackSettings as Settings
from signet.db import ReadTx, WriteTx
from signet.db.visibility import Reader
from signet.domain.agents import registry as agents
from signet.domain.auth import caller
from signet.domain.graph import feedback
from signet.domain.graph.feedback import Path, WeightBounds
from signet.domain.injections import ratings
from signet.domain.injections.ratings import Feedback, Recorded
from signet.domain.memory import forgotten, review
from signet.domain.memory.models import Actor, Memory, Rules
from signet.errors import Invalid
from signet.text import words
from signet.wire import memory as wire
from signet.wire.access import RECOVER
from signet.wire.origin import Review
from signet.wire.requests.browse import ListParams
from signet.wire.requests.changes import DecisionBody, FeedbackBody
from signet_api.deps import Agent, Ask, Asker, Shared, State, agent_of
from signet_api.routes.changes import changed_body
from signet_api.serving import serves
from signet_api.shapes import as_wire


@serves(wire.REVIEW_LIST)
async def get_reviews(
    agent: Agent, query: Annotated[ListParams, Query()], state: Shared
) -> wire.WaitingMemories:
    """Return a page of memories that wait for approval, newest first."""
    return await state.db.aread(page, agent, query)


def page(tx: ReadTx, agent: str, query: ListParams) -> wire.WaitingMemories:
    """Return the answer of `/api/memory/reviews`."""
    reader = agents.reader(tx, agent, any_scope=True)
    found = review.waiting(tx, reader, limit=query.limit, after=query.cursor)
    shown = [_shown(one, review.replaces(tx, one.id)) for one in found.memories]
    return {"memories": shown, "next": found.next, "total": found.total}


@serves(wire.APPROVE)
async def post_approve(memory_id: str, ask: Ask, body: DecisionBody | None = None) -> wire.Modified:
    """Approve a waiting memory for unasked injection, as data with its origin; only for people, not tools."""
    decide, agent_id = review.approve, await ask.agent(body)
    return changed_body(await ask.change(decide, memory_id, agent_id=agent_id))


@serves(wire.REJECT)
async def post_reject(memory_id: str, ask: Ask, body: DecisionBody | None = None) -> wire.Modified:
    """Forget a waiting memory as wrong; its text is not saved again automatically. Only for people, not tools."""
    decide, agent_id = review.reject, await ask.agent(body)
    return changed_body(await ask.change(decide, memory_id, agent_id=agent_id))


def _shown(memory: Memory, replaces: list[str]) -> wire.WaitingMemory:
    return as_wire(
        wire.WaitingMemory,
        memory,
        says=words.memory(memory.type, memory.who, memory.source_type, memory.origin),
        review=memory.review or Review.WAITING,
        replaces=replaces if memory.review is Review.REPLACES else None,
    )


@serves(wire.FORGOTTEN)
async def get_forgotten(
    agent: Agent, query: Annotated[ListParams, Query()], state: Shared
) -> wire.ForgottenValues:
    """Return a page of forgotten values, newest first; they are not saved again automatically.

    The start of a text is included for callers who may recover it.
    """
    window = Rules.from_settings(state.settings).recover_within

    def page(tx: ReadTx) -> wire.ForgottenValues:
        return forgotten.newest(
            tx,
            reader=_reader(tx, agent),
            window=window,
            now=clock.now(),
            limit=query.limit,
            after=query.cursor,
        )

    found = await state.db.aread(page)
    if not caller.current().may(RECOVER):
        found["values"] = [{**one, "label": None} for one in found["values"]]
    return found


@serves(wire.LIFT)
async def post_lift(memory_id: str, agent: Agent, state: Shared) -> wire.Lifted:
    """Allow a forgotten value to be saved again; its memory stays forgotten."""

    def lift(tx: WriteTx) -> None:
        forgotten.lift(tx, memory_id, reader=_reader(tx, agent), now=clock.now())

    await state.db.awrite(lift)
    return {"success": True, "id": memory_id}


def _reader(tx: ReadTx, agent_id: str) -> Reader:
    return agents.reader(tx, agent_id, any_scope=True)


@serves(wire.RATE)
async def post_feedback(body: FeedbackBody, ask: Ask) -> wire.Rated:
    """Store ratings of a session's memories from -1 to 1, by ID; adjusts the weights that led to them.

    `unknown` lists memories that the session did not receive.
    """
    if body.memory_id is not None or body.feedback_type is not None:
        return await _say(body, ask)
    if not body.session_key or body.feedback is None:
        raise Invalid("sessionKey and feedback required")
    taken, moved = await ask.state.db.awrite(
        _take,
        body.session_key,
        _ratings(body.feedback),
        _paths(body),
        _steps(ask.state),
        await ask.agent(body),
        ask.actor(),
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


async def _say(body: FeedbackBody, ask: Asker) -> wire.Rated:
    session = body.session_id or body.session_key
    if not session or not body.memory_id:
        raise Invalid("session_id and memory_id required")
    if body.feedback_type not in tuple(Feedback):
        raise Invalid("feedback_type must be positive, negative or correction")
    said, text = Feedback(body.feedback_type), (body.correction_text or "").strip()
    if said is Feedback.CORRECTION and not text:
        raise Invalid("correction_text required")
    await ask.state.db.awrite(
        ratings.say,
        session,
        body.memory_id,
        said,
        correction=text,
        agent_id=await agent_of(body.agent_id, session, ask.request),
        actor=ask.actor(),
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
    return (
        None
        if pipeline.mutations_frozen or not learns.enabled
        else WeightBounds.from_settings(learns)
    )


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
