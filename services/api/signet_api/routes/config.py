"""The workspace's user files: agent.yaml and the agent's identity."""

import asyncio

from signet import config
from signet.config import described, manifest
from signet.config.fields import MASK, literal_secrets
from signet.domain.auth import caller
from signet.domain.identity import files
from signet.errors import Invalid
from signet.paths import Workspace
from signet.text.masking import mask
from signet.wire import config as wire
from signet.wire.access import Permission
from signet.wire.done import Done
from signet.wire.requests.machine import ConfigBody, SettingsBody
from signet_api.deps import Shared
from signet_api.serving import serves


@serves(wire.CONFIG_FILES)
async def get_config(state: Shared) -> wire.ConfigFiles:
    """Return the files at the top of the workspace; secrets are masked for callers without access."""
    try:
        found = await asyncio.to_thread(files.every, state.workspace)
    except OSError:
        return {"files": [], "error": "Failed to load config files"}
    if Permission.PROGRAMS not in caller.current().permissions:
        secrets = [*literal_secrets(state.settings)]
        found = await asyncio.to_thread(_masked, found, secrets)
    return {"files": found}


def _masked(found: list[wire.ConfigFile], secrets: list[str]) -> list[wire.ConfigFile]:
    for file in found:
        for secret in secrets:
            file["content"] = file["content"].replace(secret, MASK)
        file["content"] = mask(file["content"]).text
    return found


@serves(wire.WRITE_CONFIG)
async def post_config(body: ConfigBody, state: Shared) -> Done:
    """Replace one of these files; settings that do not parse are refused with their line.

    With `if_hash`, refuse a file that has changed since (409).
    """
    if not (isinstance(body.file, str) and body.file and isinstance(body.content, str)):
        raise Invalid("Invalid request")
    await asyncio.to_thread(
        files.write, state.workspace, body.file, body.content, if_hash=body.if_hash
    )
    return {"success": True}


@serves(wire.CONFIG_SCHEMA)
async def get_config_schema(state: Shared) -> wire.ConfigSchema:
    """Return every setting with its kind, bounds, default, value and origin; secrets are masked."""
    found = await asyncio.to_thread(described.every, state.workspace, state.live.loaded)
    name, hash = await asyncio.to_thread(_file, state.workspace)
    return {
        "settings": found,
        "count": len(found),
        "file": name,
        "hash": hash,
    }


@serves(wire.CHANGE_CONFIG)
async def patch_config(body: SettingsBody, state: Shared) -> wire.ChangedConfig:
    """Change settings in agent.yaml, all or none; comments stay, and the running daemon applies them.

    Invalid values are refused; with `if_hash` also a file that has changed since (409).
    """
    config.check(body.set)
    await asyncio.to_thread(
        manifest.set_values,
        state.workspace,
        body.set,
        if_hash=body.if_hash,
        guard=caller.check_settings,
    )
    await asyncio.to_thread(state.live.look)
    name, hash = await asyncio.to_thread(_file, state.workspace)
    required = state.live.restart_required
    return {"success": True, "file": name, "hash": hash, "restartRequired": required}


def _file(workspace: Workspace) -> tuple[str, str]:
    path = manifest.place(workspace)
    return path.name, manifest.hash_of(path.read_bytes()) if path.exists() else ""
