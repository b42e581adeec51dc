"""Find ids by their beginning, so that people need not write all of one."""

from fastapi import APIRouter, Request

from signet.db import ReadTx
from signet.domain.agents import registry as agents
from signet.domain.memory import lookup
from signet_api.deps import Shared, agent_of

router = APIRouter(tags=["memory"])


@router.get("/api/memories/ids")
async def get_ids(prefix: str, request: Request, state: Shared) -> dict[str, object]:
    """Return the ids of memories that begin so, at most ten, those of forgotten ones too."""
    agent_id = await agent_of(request.query_params.get("agent_id"), None, request)
    return {"ids": await state.db.aread(_ids, prefix, agent_id)}


def _ids(tx: ReadTx, prefix: str, agent_id: str) -> list[str]:
    return lookup.ids(tx, prefix, reader=agents.reader(tx, agent_id))
