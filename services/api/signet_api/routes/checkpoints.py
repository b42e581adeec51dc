"""Where sessions stood."""

import asyncio
from typing import Annotated

from signet.domain.auth import caller
from signet.domain.sessions import checkpoints
from signet.errors import Invalid
from signet.wire import sessions as wire
from signet.wire.requests.model import Text, Whole
from signet.wire.sessions import Checkpoints
from signet_api.deps import Shared
from signet_api.serving import serves

MAX_ROWS = 100


@serves(wire.CHECKPOINTS)
async def get_checkpoints(
    state: Shared, project: Text = None, limit: Annotated[int, Whole(1, MAX_ROWS)] = 10
) -> Checkpoints:
    """Return the newest checkpoints of a project, newest first."""
    project = (project or "").strip()
    if not project:
        raise Invalid("project query parameter required")
    asked = caller.current()
    asked.check_row(project=project)
    path = await asyncio.to_thread(checkpoints.real_path, project)
    rows = await state.db.aread(
        checkpoints.of_project, path, agent_id=asked.scope.agent, limit=limit
    )
    return {"checkpoints": rows, "count": len(rows)}


@serves(wire.SESSION_CHECKPOINTS)
async def get_session_checkpoints(session_key: str, state: Shared) -> Checkpoints:
    """Return all checkpoints of a session, newest first."""
    scope = caller.current().scope
    rows = await state.db.aread(
        checkpoints.of_session, session_key, agent_id=scope.agent, project=scope.project
    )
    return {"checkpoints": rows, "count": len(rows)}
