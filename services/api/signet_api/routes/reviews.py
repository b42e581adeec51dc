"""Memories that wait for approval: list, approve, reject."""

from collections.abc import Callable
from typing import Annotated

from fastapi import Query, Request

from signet import clock
from signet.db import ReadTx
from signet.domain.agents import registry as agents
from signet.domain.memory import review
from signet.domain.memory.models import Actor, Changed, Memory, Rules
from signet.wire import memory as wire
from signet.wire.origin import Review
from signet.wire.requests.browse import ForgottenParams
from signet.wire.requests.changes import DecisionBody
from signet_api.deps import Shared, State, Who, agent_of
from signet_api.params import Agent
from signet_api.routes.changes import changed_body
from signet_api.serving import serves
from signet_api.shapes import as_wire


@serves(wire.REVIEW_LIST)
async def get_reviews(
    agent: Agent, query: Annotated[ForgottenParams, Query()], state: Shared
) -> wire.WaitingMemories:
    """Return a page of memories that wait for approval, newest first."""
    return await state.db.aread(page, agent, query)


def page(tx: ReadTx, agent: str, query: ForgottenParams) -> wire.WaitingMemories:
    """Return the answer of `/api/memory/reviews`."""
    reader = agents.reader(tx, agent, any_scope=True)
    found, total = review.waiting(tx, reader, limit=query.limit, offset=query.offset)
    return {
        "memories": [_shown(one, review.replaces(tx, one.id)) for one in found],
        "total": total,
    }


@serves(wire.APPROVE)
async def post_approve(
    memory_id: str, request: Request, state: Shared, actor: Who, body: DecisionBody | None = None
) -> wire.Modified:
    """Approve a waiting memory for unasked injection, as data with its origin; only for people, not tools."""
    agent = await agent_of(body.agent_id if body else None, None, request)
    return await _decided(review.approve, memory_id, agent, state, actor)


@serves(wire.REJECT)
async def post_reject(
    memory_id: str, request: Request, state: Shared, actor: Who, body: DecisionBody | None = None
) -> wire.Modified:
    """Forget a waiting memory as wrong; its text is not saved again automatically. Only for people, not tools."""
    agent = await agent_of(body.agent_id if body else None, None, request)
    return await _decided(review.reject, memory_id, agent, state, actor)


async def _decided(
    decide: Callable[..., Changed], memory_id: str, agent: str, state: State, actor: Actor
) -> wire.Modified:
    rules, now = Rules.of(state.settings), clock.now()
    changed = await state.db.awrite(
        decide, memory_id, agent_id=agent, actor=actor, rules=rules, now=now
    )
    return changed_body(changed)


def _shown(memory: Memory, replaces: list[str]) -> wire.WaitingMemory:
    return as_wire(
        wire.WaitingMemory,
        memory,
        review=memory.review or Review.WAITING,
        replaces=replaces if memory.review is Review.REPLACES else None,
    )
