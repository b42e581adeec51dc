"""Which entities belong together, as it was found last; `routes/repair.py` finds it anew."""

from signet.domain.graph import communities
from signet.domain.graph.communities import Overview
from signet.wire import knowledge as wire
from signet.wire.knowledge import Communities
from signet_api.deps import Shared
from signet_api.params import Agent
from signet_api.routes.knowledge import look
from signet_api.serving import serves


@serves(wire.COMMUNITIES)
async def get_communities(agent: Agent, state: Shared) -> Communities:
    """Return the groups of entities that were found last, the largest first."""
    found = await look(state, agent, communities.overview, otherwise=Overview())
    return {
        # Not in camel case as the rest of the graph: published clients read these names.
        "items": [
            {
                "id": row.id,
                "name": row.name,
                "cohesion": row.cohesion,
                "member_count": row.member_count,
                "created_at": row.created_at,
                "updated_at": row.updated_at,
            }
            for row in found.rows
        ],
        "count": len(found.rows),
        "modularity": found.modularity,
        "quality": found.quality,
    }
