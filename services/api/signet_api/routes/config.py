"""The files of the workspace that a person edits, and who the agent is."""

import asyncio

from signet.domain.identity import files, identity
from signet.errors import Invalid
from signet.wire import config as wire
from signet.wire.done import Done
from signet.wire.requests.machine import ConfigBody
from signet_api.deps import Shared
from signet_api.serving import serves
from signet_api.shapes import as_wire


@serves(wire.CONFIG_FILES)
async def get_config(state: Shared) -> wire.ConfigFiles:
    """Return the files at the top of the workspace."""
    try:
        found = await asyncio.to_thread(files.every, state.workspace)
    except OSError:
        return {"files": [], "error": "Failed to load config files"}
    return {
        "files": [{"name": file.name, "content": file.content, "size": file.size} for file in found]
    }


@serves(wire.WRITE_CONFIG)
async def post_config(body: ConfigBody, state: Shared) -> Done:
    """Replace one of these files; settings that do not parse are refused with their line."""
    if not (isinstance(body.file, str) and body.file and isinstance(body.content, str)):
        raise Invalid("Invalid request")
    await asyncio.to_thread(files.write, state.workspace, body.file, body.content)
    return {"success": True}


@serves(wire.IDENTITY)
async def get_identity(state: Shared) -> wire.Identity:
    """Return name, creature and vibe, as IDENTITY.md tells them."""
    raw = await asyncio.to_thread(files.read, state.workspace, "IDENTITY.md")
    found = identity.parse((raw or b"").decode("utf-8", "replace"))
    return as_wire(wire.Identity, found)
