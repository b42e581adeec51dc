"""A memory's context: links, readers, and verdict."""

from fastapi import Request

from signet import clock
from signet.domain.memory import lookup, review
from signet.domain.memory.models import Rules
from signet.domain.memory.review import Verdict
from signet.wire import memory as wire_memory
from signet.wire import memory_links as wire
from signet.wire.requests.changes import VerdictBody
from signet_api.deps import Db, Shared, Who, agent_of, read_as
from signet_api.params import Agent
from signet_api.routes.changes import changed_body
from signet_api.serving import serves


@serves(wire.LINKS)
async def get_links(memory_id: str, agent: Agent, db: Db) -> wire.Links:
    """Return a memory's sources, derived memories, corrections, and entities."""
    return await read_as(db, agent, lookup.links_of_memory, memory_id)


@serves(wire.ACCESS)
async def get_access(memory_id: str, agent: Agent, db: Db) -> wire.Access:
    """Return which agents may read a memory, and the deciding rule."""
    return await read_as(db, agent, lookup.access, memory_id)


@serves(wire.JUDGE)
async def post_review(
    memory_id: str, body: VerdictBody, request: Request, state: Shared, actor: Who
) -> wire_memory.Modified:
    """Set a verdict on a memory: `keep`, `fade`, `wrong`, or `none` to remove it; only for people, not tools.

    The pipeline never changes a memory to keep; one that may fade counts half; a wrong one is forgotten as untrue.
    """
    changed = await state.db.awrite(
        review.judge,
        memory_id,
        Verdict(body.verdict),
        agent_id=await agent_of(body.agent_id, None, request),
        actor=actor,
        rules=Rules.of(state.settings),
        now=clock.now(),
    )
    return changed_body(changed)
