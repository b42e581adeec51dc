"""The files that a person edits: agent.yaml and those that say who the agent is."""

import asyncio

from signet.domain.identity import files
from signet.errors import Invalid
from signet.wire import config as wire
from signet.wire.config import ConfigFiles
from signet.wire.done import Done
from signet.wire.requests.config import ConfigBody
from signet_api.deps import Shared
from signet_api.serving import serves


@serves(wire.CONFIG_FILES)
async def get_config(state: Shared) -> ConfigFiles:
    """Return the files at the top of the workspace."""
    try:
        return {"files": await asyncio.to_thread(files.every, state.workspace)}
    except OSError:
        return {"files": [], "error": "Failed to load config files"}


@serves(wire.WRITE_CONFIG)
async def post_config(body: ConfigBody, state: Shared) -> Done:
    """Replace one of these files; settings that do not parse are refused with their line."""
    if not (isinstance(body.file, str) and body.file and isinstance(body.content, str)):
        raise Invalid("Invalid request")
    await asyncio.to_thread(files.write, state.workspace, body.file, body.content)
    return {"success": True}
