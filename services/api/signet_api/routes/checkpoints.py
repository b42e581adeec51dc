"""Where sessions stood."""

import asyncio

from fastapi import APIRouter, Request

from signet.domain.auth import caller
from signet.domain.sessions import checkpoints
from signet.errors import Invalid
from signet_api.deps import Shared
from signet_api.params import whole

router = APIRouter(prefix="/api/checkpoints", tags=["sessions"])

MAX_ROWS = 100


@router.get("")
async def get_checkpoints(request: Request, state: Shared) -> dict[str, object]:
    """Return the newest checkpoints of a project, newest first."""
    project = (request.query_params.get("project") or "").strip()
    if not project:
        raise Invalid("project query parameter required")
    limit = whole(request.query_params.get("limit"), 10, low=1, high=MAX_ROWS)
    asked = caller.current()
    asked.check_row(project=project)
    path = await asyncio.to_thread(checkpoints.real_path, project)
    rows = await state.db.aread(
        checkpoints.of_project, path, agent_id=asked.scope.agent, limit=limit
    )
    return {"checkpoints": rows, "count": len(rows)}


@router.get("/{session_key}")
async def get_session_checkpoints(session_key: str, state: Shared) -> dict[str, object]:
    """Return all checkpoints of a session, newest first."""
    scope = caller.current().scope
    rows = await state.db.aread(
        checkpoints.of_session, session_key, agent_id=scope.agent, project=scope.project
    )
    return {"checkpoints": rows, "count": len(rows)}
