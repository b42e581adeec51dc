"""A memory's context: links, readers, and verdict."""

from signet.domain.memory import lookup, review
from signet.domain.memory.review import Verdict
from signet.wire import memory as wire_memory
from signet.wire import memory_links as wire
from signet.wire.requests.changes import VerdictBody
from signet_api.deps import Ask, Db, read_as
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
async def post_review(memory_id: str, body: VerdictBody, ask: Ask) -> wire_memory.Modified:
    """Set a verdict on a memory: `keep`, `fade`, `wrong`, or `none` to remove it; only for people, not tools.

    The pipeline never changes a memory to keep; one that may fade counts half; a wrong one is forgotten as untrue.
    """
    agent_id, judged = await ask.agent(body), Verdict(body.verdict)
    changed = await ask.change(review.judge, memory_id, judged, agent_id=agent_id)
    return changed_body(changed)
