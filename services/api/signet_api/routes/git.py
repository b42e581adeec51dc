"""The workspace's git repository: status, pull, push, sync, and settings."""

import asyncio

from signet import clock
from signet.domain.gitsync import sync
from signet.domain.secrets.vault import Vault
from signet.wire import git as wire
from signet.wire.requests.machine import GitConfigBody
from signet_api.deps import Shared, State
from signet_api.serving import serves


@serves(wire.GIT_STATUS)
async def get_status(state: Shared) -> wire.GitStatus:
    """Return the repository's state, without network access."""
    settings = state.settings.git
    return await asyncio.to_thread(sync.standing, state.workspace, settings, _vault(state).find)


@serves(wire.GIT_PULL)
async def post_pull(state: Shared) -> wire.GitDone:
    """Pull from the remote; `success` and `message` describe the result."""
    settings = state.settings.git
    return await asyncio.to_thread(sync.pull, state.workspace, settings, _vault(state).find)


@serves(wire.GIT_PUSH)
async def post_push(state: Shared) -> wire.GitDone:
    """Push to the remote; `success` and `message` describe the result."""
    settings = state.settings.git
    return await asyncio.to_thread(sync.push, state.workspace, settings, _vault(state).find)


@serves(wire.GIT_SYNC)
async def post_sync(state: Shared) -> wire.GitDone:
    """Pull, then push; `success` and `message` describe the result."""
    settings, now = state.settings.git, clock.now()
    return await asyncio.to_thread(
        sync.sync, state.workspace, settings, _vault(state).find, now=now
    )


@serves(wire.GIT_SETTINGS)
async def get_config(state: Shared) -> wire.GitSettings:
    """Return the effective settings."""
    return await asyncio.to_thread(sync.settings_shown, state.workspace, state.settings.git)


@serves(wire.CHANGE_GIT_SETTINGS)
async def post_config(body: GitConfigBody, state: Shared) -> wire.ChangedGitSettings:
    """Change settings in agent.yaml."""
    wished = body.model_dump(by_alias=True, exclude_none=True)
    changed = await asyncio.to_thread(sync.change_settings, state.workspace, wished)
    config = await asyncio.to_thread(sync.settings_shown, state.workspace, changed)
    return {"success": True, "config": config}


def _vault(state: State) -> Vault:
    return Vault(state.workspace.vault)
