"""New versions: is there one, how they are looked for, install one."""

import asyncio

from fastapi import APIRouter

from signet import __version__, clock
from signet.config.sections import Updates
from signet.domain.updates import check, install, versions
from signet.domain.updates import settings as update_settings
from signet.domain.updates import state as update_state
from signet.paths import Workspace
from signet.wire.requests.update import UpdateConfigBody, UpdateRunBody
from signet_api.bodies import JsonRoute
from signet_api.deps import Shared

router = APIRouter(prefix="/api/update", tags=["update"], route_class=JsonRoute)


@router.get("/check")
async def get_check(state: Shared, force: str = "") -> dict[str, object]:
    """Return whether there is a new version; asks the index only with `force=true`, or when that was allowed."""
    found = await asyncio.to_thread(
        check.check,
        state.workspace,
        state.settings.updates,
        force=force == "true",
        now=clock.now(),
    )
    known, pending = found.known, await asyncio.to_thread(_pending)
    told = {
        "releaseUrl": known.release_url,
        "publishedAt": known.published_at,
        "checkError": known.check_error,
        "pendingVersion": pending,
    }
    return {
        "currentVersion": __version__,
        "latestVersion": known.latest_version,
        "updateAvailable": known.is_update,
        "isMajorUpgrade": known.is_update
        and versions.is_major(known.latest_version or __version__, __version__),
        "restartRequired": pending is not None,
        "cached": found.is_cached,
        "checkedAt": known.checked_at,
        **{name: value for name, value in told.items() if value is not None},
    }


@router.get("/config")
async def get_config(state: Shared) -> dict[str, object]:
    """Return how new versions are looked for, and what came of it last."""
    return await asyncio.to_thread(_told, state.workspace, state.settings.updates)


@router.post("/config")
async def post_config(body: UpdateConfigBody, state: Shared) -> dict[str, object]:
    """Change that, in agent.yaml."""
    wished = body.model_dump(exclude_none=True)
    changed = await asyncio.to_thread(update_settings.change, state.workspace, wished)
    told = await asyncio.to_thread(_told, state.workspace, changed)
    return {"success": True, "config": told, "persisted": True, **told}


@router.post("/run")
async def post_run(state: Shared, body: UpdateRunBody | None = None) -> dict[str, object]:
    """Install a version with the tool that installed this one; the daemon goes on until it is restarted."""
    done = await asyncio.to_thread(
        install.install,
        state.workspace,
        state.settings.updates,
        body.target_version if body else None,
        now=clock.now(),
    )
    told = {"output": done.output, "installedVersion": done.installed_version}
    return {
        "success": done.success,
        "message": done.message,
        "restartRequired": done.installed_version is not None,
        **{name: value for name, value in told.items() if value is not None},
    }


def _pending() -> str | None:
    return update_state.pending_version()


def _told(workspace: Workspace, settings: Updates) -> dict[str, object]:
    known = update_state.read(workspace)
    return {
        "autoInstall": settings.auto_install,
        "autoCheck": settings.auto_check,
        "checkInterval": settings.check_interval_seconds,
        "channel": settings.channel,
        "minInterval": update_settings.LEAST_SECONDS,
        "maxInterval": update_settings.MOST_SECONDS,
        "pendingRestartVersion": update_state.pending_version(),
        "lastAutoUpdateAt": known.last_auto_update_at,
        "lastAutoUpdateError": known.last_auto_update_error,
        "updateInProgress": update_state.is_installing(workspace),
    }
