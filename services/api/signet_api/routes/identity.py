"""Who the agent is."""

import asyncio
from dataclasses import asdict

from fastapi import APIRouter

from signet.domain.identity import files, identity
from signet_api.deps import Shared

router = APIRouter(tags=["config"])


@router.get("/api/identity")
async def get_identity(state: Shared) -> dict[str, object]:
    """Return name, creature and vibe, as IDENTITY.md tells them."""
    raw = await asyncio.to_thread(files.read, state.workspace, "IDENTITY.md")
    return asdict(identity.parse((raw or b"").decode("utf-8", "replace")))
