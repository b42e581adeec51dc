"""The workspace as a git repository: how it stands, pull, push, both, and its settings."""

import asyncio
from dataclasses import asdict

from fastapi import APIRouter

from signet import clock
from signet.domain.gitsync import settings as git_settings
from signet.domain.gitsync import status, sync
from signet.domain.gitsync.sync import Outcome
from signet.domain.secrets.vault import Vault
from signet.wire.requests.git import GitConfigBody
from signet_api.bodies import JsonRoute
from signet_api.deps import Shared, State

router = APIRouter(prefix="/api/git", tags=["git"], route_class=JsonRoute)


@router.get("/status")
async def get_status(state: Shared) -> dict[str, object]:
    """Return how the repository stands; asks nobody on the network."""
    settings = state.settings.git
    found = await asyncio.to_thread(status.standing, state.workspace, settings, _vault(state).find)
    return {
        "isRepo": found.is_repo,
        "branch": found.branch,
        "remote": found.remote,
        "hasCredentials": found.has_credentials,
        "authMethod": found.auth_method,
        "autoSync": settings.auto_sync,
        "lastSync": found.last_sync,
        "uncommittedChanges": found.uncommitted_changes,
        "unpushedCommits": found.unpushed_commits,
        "unpulledCommits": found.unpulled_commits,
        "problem": found.problem,
    }


@router.post("/pull")
async def post_pull(state: Shared) -> dict[str, object]:
    """Bring in what the remote has beyond this copy."""
    settings = state.settings.git
    done = await asyncio.to_thread(sync.pull, state.workspace, settings, _vault(state).find)
    return _told(done)


@router.post("/push")
async def post_push(state: Shared) -> dict[str, object]:
    """Send what this copy has beyond the remote."""
    settings = state.settings.git
    done = await asyncio.to_thread(sync.push, state.workspace, settings, _vault(state).find)
    return _told(done)


@router.post("/sync")
async def post_sync(state: Shared) -> dict[str, object]:
    """Pull, then push."""
    settings, now = state.settings.git, clock.now()
    done = await asyncio.to_thread(
        sync.sync, state.workspace, settings, _vault(state).find, now=now
    )
    return _told(done)


@router.get("/config")
async def get_config(state: Shared) -> dict[str, object]:
    """Return the settings in force."""
    return await asyncio.to_thread(git_settings.shown, state.workspace, state.settings.git)


@router.post("/config")
async def post_config(body: GitConfigBody, state: Shared) -> dict[str, object]:
    """Change settings, in agent.yaml."""
    wished = body.model_dump(by_alias=True, exclude_none=True)
    changed = await asyncio.to_thread(git_settings.change, state.workspace, wished)
    config = await asyncio.to_thread(git_settings.shown, state.workspace, changed)
    return {"success": True, "config": config}


def _vault(state: State) -> Vault:
    return Vault(state.workspace.vault)


def _told(done: Outcome) -> dict[str, object]:
    return {name: value for name, value in asdict(done).items() if value is not None}
