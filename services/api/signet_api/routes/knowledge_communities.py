"""Which entities belong together, as it was found last; `routes/repair.py` finds it anew."""

from fastapi import APIRouter, Request

from signet.domain.graph import communities
from signet.domain.graph.communities import Overview
from signet_api.deps import Shared
from signet_api.routes.knowledge import agent, as_wire, look

router = APIRouter(tags=["knowledge"])


@router.get("/api/knowledge/communities")
async def get_communities(request: Request, state: Shared) -> dict[str, object]:
    """Return the groups of entities that were found last, the largest first."""
    found = await look(state, await agent(request), communities.overview, otherwise=Overview())
    return {
        "items": [as_wire(row) for row in found.rows],
        "count": len(found.rows),
        "modularity": found.modularity,
        "quality": found.quality,
    }
