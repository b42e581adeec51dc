"""Spaces: who may use them, and what enters and leaves them."""

from typing import Annotated

from fastapi import Query

from signet import clock
from signet.domain.memory.models import Rules
from signet.domain.spaces import registry, share
from signet.domain.spaces.share import ShareFilter
from signet.wire import spaces as wire
from signet.wire.done import Done
from signet.wire.requests.changes import DecisionBody
from signet.wire.requests.spaces import (
    DecideBody,
    NewSpaceBody,
    ShareBody,
    ShareParams,
    SpaceBody,
)
from signet_api.deps import Agent, Ask, Db, Shared, Who
from signet_api.serving import serves
from signet_api.shapes import filled


@serves(wire.SPACES)
async def get_spaces(db: Db) -> wire.Spaces:
    """Return the spaces that the caller's key names; every space without a key, and for admins."""
    return {"spaces": await db.aread(registry.every)}


@serves(wire.ADD_SPACE)
async def post_space(body: NewSpaceBody, db: Db, actor: Who) -> wire.Space:
    """Create a space. Nothing is in it, and no key reads it, until you share memories and issue keys."""
    given = (body.name.strip(), body.description or "", bool(body.review))
    return await db.awrite(registry.add, *given, actor=actor, now=clock.now())


@serves(wire.CHANGE_SPACE)
async def patch_space(space: str, body: SpaceBody, db: Db) -> wire.Space:
    """Change the description of a space, or whether what is shared waits for approval."""
    return await db.awrite(registry.change, space, body.description, body.review)


@serves(wire.REMOVE_SPACE)
async def delete_space(space: str, state: Shared, actor: Who) -> Done:
    """Remove a space and withdraw all its memories."""
    rules = Rules.from_settings(state.settings)
    await state.db.aread(registry.get, space)
    while await state.db.awrite(
        share.withdraw_all, space, actor=actor, rules=rules, now=clock.now()
    ):
        pass
    await state.db.awrite(registry.remove, space)
    return {"success": True}


@serves(wire.SHARES)
async def get_shares(agent: Agent, query: Annotated[ShareParams, Query()], db: Db) -> wire.Shares:
    """Return what was shared, newest first: your own, what is in spaces that you read, what waits for your decision."""
    asked = filled(ShareFilter, query)
    return await db.aread(share.page, asked, agent_id=agent)


@serves(wire.SHARE)
async def post_share(memory_id: str, body: ShareBody, ask: Ask) -> wire.Share:
    """Let a memory enter a space, or propose it where the space asks for review; only for people, not tools.

    From then on it is read through keys of the space. Its author stays named; facts derived from it stay private.
    """
    agent_id = await ask.agent(body)
    return await ask.change(
        share.share, memory_id, body.space, agent_id=agent_id, note=body.note, actor=ask.actor()
    )


@serves(wire.WITHDRAW)
async def post_withdraw(memory_id: str, ask: Ask, body: DecisionBody | None = None) -> wire.Share:
    """Return a memory to its author, with its earlier text and fields, or cancel a proposal; only for people."""
    return await ask.change(share.withdraw, memory_id, actor=ask.actor())


@serves(wire.DECIDE_SHARE)
async def post_decide_share(share_id: str, body: DecideBody, ask: Ask) -> wire.Share:
    """Approve or refuse a memory that somebody else proposed; 409 if it has changed since."""
    return await ask.change(share.decide, share_id, approves=body.approve, actor=ask.actor())
