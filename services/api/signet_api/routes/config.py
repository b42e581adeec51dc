"""The files that a person edits: agent.yaml and those that say who the agent is."""

import asyncio
from dataclasses import asdict

from fastapi import APIRouter

from signet.domain.identity import files
from signet.errors import Invalid
from signet.wire.requests.config import ConfigBody
from signet_api.bodies import JsonRoute
from signet_api.deps import Shared

router = APIRouter(tags=["config"], route_class=JsonRoute)


@router.get("/api/config")
async def get_config(state: Shared) -> dict[str, object]:
    """Return the files at the top of the workspace."""
    try:
        found = await asyncio.to_thread(files.every, state.workspace)
    except OSError:
        return {"files": [], "error": "Failed to load config files"}
    return {"files": [asdict(file) for file in found]}


@router.post("/api/config")
async def post_config(body: ConfigBody, state: Shared) -> dict[str, object]:
    """Replace one of these files; settings that do not parse are refused with their line."""
    if not (isinstance(body.file, str) and body.file and isinstance(body.content, str)):
        raise Invalid("Invalid request")
    await asyncio.to_thread(files.write, state.workspace, body.file, body.content)
    return {"success": True}
