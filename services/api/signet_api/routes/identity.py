"""Who the agent is."""

import asyncio

from signet.domain.identity import files, identity
from signet.wire import config as wire
from signet_api.deps import Shared, State
from signet_api.serving import serves


@serves(wire.IDENTITY)
async def get_identity(state: Shared) -> wire.Identity:
    """Return name, creature and vibe, as IDENTITY.md tells them."""
    return await read(state)


async def read(state: State) -> wire.Identity:
    """Return the answer of `/api/identity`."""
    raw = await asyncio.to_thread(files.read, state.workspace, "IDENTITY.md")
    return identity.parse((raw or b"").decode("utf-8", "replace"))
