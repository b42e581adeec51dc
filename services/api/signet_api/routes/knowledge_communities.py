"""Which entities belong together, as it was found last; `routes/repair.py` finds it anew."""

from signet.domain.graph import communities
from signet.wire import knowledge as wire
from signet.wire.knowledge import Communities
from signet_api.deps import Shared
from signet_api.params import Agent
from signet_api.routes.knowledge import look
from signet_api.serving import serves


@serves(wire.COMMUNITIES)
async def get_communities(agent: Agent, state: Shared) -> Communities:
    """Return the groups of entities that were found last, the largest first."""
    return await look(state, agent, communities.overview, otherwise=communities.NOTHING)
