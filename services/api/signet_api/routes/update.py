"""Updates: check, settings, install."""

import asyncio

from signet import __version__, clock
from signet.config.sections import Updates
from signet.domain.updates import check, install
from signet.paths import Workspace
from signet.wire import update as wire
from signet.wire.requests.machine import UpdateConfigBody, UpdateRunBody
from signet.wire.requests.model import OnlyTrue
from signet_api.deps import Shared
from signet_api.serving import serves
from signet_api.shapes import as_wire


@serves(wire.CHECK_UPDATE)
async def get_check(state: Shared, force: OnlyTrue = False) -> wire.UpdateCheck:
    """Return whether a new version exists; queries the index only with `force`, or if allowed."""
    found = await asyncio.to_thread(
        check.check,
        state.workspace,
        state.settings.updates,
        force=force,
        now=clock.now(),
    )
    known, pending = found.known, await asyncio.to_thread(check.pending_version)
    latest = known.latest_version or __version__
    return as_wire(
        wire.UpdateCheck,
        known,
        currentVersion=__version__,
        updateAvailable=known.is_update,
        isMajorUpgrade=known.is_update and check.is_major(latest, __version__),
        restartRequired=pending is not None,
        cached=found.is_cached,
        pendingVersion=pending,
    )


@serves(wire.UPDATE_SETTINGS)
async def get_config(state: Shared) -> wire.UpdateSettings:
    """Return the update settings and the last result."""
    return await asyncio.to_thread(_settings, state.workspace, state.settings.updates)


@serves(wire.CHANGE_UPDATE_SETTINGS)
async def post_config(body: UpdateConfigBody, state: Shared) -> wire.ChangedUpdateSettings:
    """Change the update settings in agent.yaml."""
    wished = body.model_dump(exclude_none=True)
    changed = await asyncio.to_thread(check.change, state.workspace, wished)
    config = await asyncio.to_thread(_settings, state.workspace, changed)
    return {"success": True, "config": config, "persisted": True, **config}


@serves(wire.INSTALL_UPDATE)
async def post_run(state: Shared, body: UpdateRunBody | None = None) -> wire.Installed:
    """Install a version, by default the newest, with the original tool; the daemon uses it after a restart."""
    done = await asyncio.to_thread(
        install.install,
        state.workspace,
        state.settings.updates,
        body.target_version if body else None,
        now=clock.now(),
    )
    return as_wire(wire.Installed, done, restartRequired=done.installed_version is not None)


def _settings(workspace: Workspace, settings: Updates) -> wire.UpdateSettings:
    known = check.read_known(workspace)
    return as_wire(
        wire.UpdateSettings,
        settings,
        checkInterval=settings.check_interval_seconds,
        minInterval=check.LEAST_SECONDS,
        maxInterval=check.MOST_SECONDS,
        pendingRestartVersion=check.pending_version(),
        lastAutoUpdateAt=known.last_auto_update_at,
        lastAutoUpdateError=known.last_auto_update_error,
        updateInProgress=check.is_installing(workspace),
    )
