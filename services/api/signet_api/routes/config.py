"""The workspace's user files: agent.yaml and the agent's identity."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from signet import __version__, clock, config
from signet.config import described, manifest
from signet.config.fields import MASK, literal_secrets
from signet.config.sections import Updates
from signet.domain.auth import caller
from signet.domain.gitsync import sync
from signet.domain.harnesses import registry
from signet.domain.harnesses.models import Site
from signet.domain.identity import files
from signet.domain.secrets import use
from signet.domain.secrets.vault import Vault
from signet.domain.sessions import calls
from signet.domain.updates import check, install
from signet.errors import Forbidden, Invalid
from signet.observe import logs
from signet.paths import Workspace
from signet.text.masking import mask
from signet.wire import config as wire_config
from signet.wire import git as wire_git
from signet.wire import harnesses as wire_harnesses
from signet.wire import secrets as wire
from signet.wire import update as wire_update
from signet.wire.access import Permission
from signet.wire.done import Done
from signet.wire.requests.machine import (
    ConfigBody,
    ExecBody,
    GitConfigBody,
    SecretBody,
    SettingsBody,
    UpdateConfigBody,
    UpdateRunBody,
)
from signet.wire.requests.model import Flag
from signet_api.deps import Shared, State, Who
from signet_api.serving import serves
from signet_api.shapes import as_wire


@serves(wire_config.CONFIG_FILES)
async def get_config(state: Shared) -> wire_config.ConfigFiles:
    """Return the files at the top of the workspace; secrets are masked for callers without access."""
    try:
        found = await asyncio.to_thread(files.every, state.workspace)
    except OSError:
        return {"files": [], "error": "Failed to load config files"}
    if Permission.PROGRAMS not in caller.current().permissions:
        secrets = [*literal_secrets(state.settings)]
        found = await asyncio.to_thread(_masked, found, secrets)
    return {"files": found}


def _masked(
    found: list[wire_config.ConfigFile], secrets: list[str]
) -> list[wire_config.ConfigFile]:
    for file in found:
        for secret in secrets:
            file["content"] = file["content"].replace(secret, MASK)
        file["content"] = mask(file["content"]).text
    return found


@serves(wire_config.WRITE_CONFIG)
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


@serves(wire_config.CONFIG_SCHEMA)
async def get_config_schema(state: Shared) -> wire_config.ConfigSchema:
    """Return every setting with its kind, bounds, default, value and origin; secrets are masked."""
    found = await asyncio.to_thread(described.every, state.workspace, state.live.loaded)
    name, hash = await asyncio.to_thread(_file, state.workspace)
    return {"settings": found, "count": len(found), "file": name, "hash": hash}


@serves(wire_config.CHANGE_CONFIG)
async def patch_config(body: SettingsBody, state: Shared) -> wire_config.ChangedConfig:
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
    await asyncio.to_thread(state.live.poll)
    name, hash = await asyncio.to_thread(_file, state.workspace)
    required = state.live.restart_required
    return {"success": True, "file": name, "hash": hash, "restartRequired": required}


def _file(workspace: Workspace) -> tuple[str, str]:
    path = manifest.place(workspace)
    return path.name, manifest.hash_of(path.read_bytes()) if path.exists() else ""


@serves(wire_harnesses.HARNESSES)
async def get_harnesses(state: Shared) -> wire_harnesses.Harnesses:
    """Return every supported harness with its file and last call."""
    seen = await state.db.aread(calls.harnesses)
    return {"harnesses": await asyncio.to_thread(_listed, _site(state), seen)}


@serves(wire_harnesses.REGENERATE_HARNESSES)
async def post_regenerate(state: Shared) -> wire_harnesses.Regenerated:
    """Repair harness connections and rewrite generated files; `output` lists results and failures."""
    output, is_whole = await asyncio.to_thread(_regenerated, _site(state), state)
    message = (
        "Harnesses are up to date" if is_whole else "Some harnesses could not be brought up to date"
    )
    return {"success": is_whole, "message": message, "output": output}


def _site(state: State) -> Site:
    return registry.with_programs(
        Site(workspace=state.workspace, home=Path.home(), port=state.port)
    )


def _listed(site: Site, seen: dict[str, str]) -> list[wire_harnesses.KnownHarness]:
    paths = {one.id: one.config_path(site) for one in registry.HARNESSES.values()}
    paths["opencode"] = site.config_home / "opencode" / "AGENTS.md"
    paths["openclaw"] = site.workspace.root / "AGENTS.md"
    entries = registry.every(site)
    return [
        {
            "name": one.name,
            "id": one.id,
            "path": str(paths[one.id]),
            "exists": paths[one.id].exists(),
            "lastSeen": seen.get(one.id),
            "connected": one.is_installed(site),
            "plugin": any(each.plugin_removal for each in entries[one.id]),
            "problems": [
                f"{each.place}: {each.problem}" for each in entries[one.id] if each.problem
            ],
            "notices": [each.notice for each in entries[one.id] if each.notice],
        }
        for one in registry.HARNESSES.values()
    ]


def _regenerated(site: Site, state: State) -> tuple[str, bool]:
    both = registry.joined(
        registry.mend_connected(site), registry.sync_workspace(site, state.settings)
    )
    return both.output, not both.failures


log = logs.get("secrets")

#: Limits of a command's time, in milliseconds (SE-42).
LEAST_MS, MOST_MS = 1_000, 600_000


@serves(wire.SECRETS)
async def get_secrets(state: Shared) -> wire.Secrets:
    """Return the names of all secrets, oldest first; values are never listed."""
    return {"secrets": await asyncio.to_thread(vault_of(state).names)}


@serves(wire.RUN_WITH_SECRETS)
async def post_exec(body: ExecBody, state: Shared, actor: Who) -> wire.Ran:
    """Run a shell command on this machine; `secrets` maps variables to secret names. Its output is masked."""
    return await _ran(state, body, body.secrets, actor.name)


@serves(wire.RUN_WITH_SECRET)
async def post_exec_one(name: str, body: ExecBody, state: Shared, actor: Who) -> wire.Ran:
    """Run a shell command with one secret in the variable of its name."""
    return await _ran(state, body, body.secrets or {name: name}, actor.name)


@serves(wire.SECRET)
async def get_secret(name: str, state: Shared, actor: Who) -> wire.SecretValue:
    """Return one value to a person on this machine; agents can use it only as a command's variable."""
    asked = caller.current()
    if not asked.is_local_user:
        raise Forbidden("A value is shown on this machine only")
    if not state.settings.secrets.allow_read:
        raise Forbidden("secrets.allowRead is false")
    value = await asyncio.to_thread(vault_of(state).value, name)
    log.info("secret.read", name=name, actor=actor.name)
    return {"name": name, "value": value}


@serves(wire.PUT_SECRET)
async def post_secret(name: str, body: SecretBody, state: Shared, actor: Who) -> wire.KeptSecret:
    """Store a secret, replacing an earlier one."""
    await asyncio.to_thread(vault_of(state).put, name, body.value)
    log.info("secret.stored", name=name, actor=actor.name)
    return {"success": True, "name": name}


@serves(wire.REMOVE_SECRET)
async def delete_secret(name: str, state: Shared, actor: Who) -> wire.KeptSecret:
    """Delete a secret."""
    await asyncio.to_thread(vault_of(state).delete, name)
    log.info("secret.deleted", name=name, actor=actor.name)
    return {"success": True, "name": name}


def vault_of(state: State) -> Vault:
    return Vault(state.workspace.vault)


async def _ran(state: State, body: ExecBody, wanted: Mapping[str, str], actor: str) -> wire.Ran:
    if not body.command.strip():
        raise Invalid("command is required")
    milliseconds = body.timeout_ms
    if milliseconds is not None and not LEAST_MS <= milliseconds <= MOST_MS:
        raise Invalid(f"timeoutMs must be from {LEAST_MS} to {MOST_MS}")
    use.check_names(body.command, wanted, state.settings.secrets.exec_allow)
    values = await asyncio.to_thread(use.values, vault_of(state), wanted)
    log.info("secret.used", names=sorted(wanted.values()), actor=actor)
    return await use.run(
        ["sh", "-c", body.command],
        values,
        folder=state.workspace.root,
        seconds=use.SECONDS if milliseconds is None else milliseconds / 1000,
    )


@serves(wire_git.GIT_STATUS)
async def get_status(state: Shared) -> wire_git.GitStatus:
    """Return the repository's state, without network access."""
    settings = state.settings.git
    return await asyncio.to_thread(sync.standing, state.workspace, settings, vault_of(state).find)


@serves(wire_git.GIT_PULL)
async def post_pull(state: Shared) -> wire_git.GitDone:
    """Pull from the remote; `success` and `message` describe the result."""
    settings = state.settings.git
    return await asyncio.to_thread(sync.pull, state.workspace, settings, vault_of(state).find)


@serves(wire_git.GIT_PUSH)
async def post_push(state: Shared) -> wire_git.GitDone:
    """Push to the remote; `success` and `message` describe the result."""
    settings = state.settings.git
    return await asyncio.to_thread(sync.push, state.workspace, settings, vault_of(state).find)


@serves(wire_git.GIT_SYNC)
async def post_sync(state: Shared) -> wire_git.GitDone:
    """Pull, then push; `success` and `message` describe the result."""
    settings, now = state.settings.git, clock.now()
    return await asyncio.to_thread(
        sync.sync, state.workspace, settings, vault_of(state).find, now=now
    )


@serves(wire_git.GIT_SETTINGS)
async def get_git_config(state: Shared) -> wire_git.GitSettings:
    """Return the effective settings."""
    return await asyncio.to_thread(sync.settings_shown, state.workspace, state.settings.git)


@serves(wire_git.CHANGE_GIT_SETTINGS)
async def post_git_config(body: GitConfigBody, state: Shared) -> wire_git.ChangedGitSettings:
    """Change settings in agent.yaml."""
    wished = body.model_dump(by_alias=True, exclude_none=True)
    changed = await asyncio.to_thread(sync.change_settings, state.workspace, wished)
    config = await asyncio.to_thread(sync.settings_shown, state.workspace, changed)
    return {"success": True, "config": config}


@serves(wire_update.CHECK_UPDATE)
async def get_check(state: Shared, force: Flag = False) -> wire_update.UpdateCheck:
    """Return whether a new version exists; queries the index only with `force`, or if allowed."""
    found = await asyncio.to_thread(
        check.check, state.workspace, state.settings.updates, force=force, now=clock.now()
    )
    known, pending = found.known, await asyncio.to_thread(check.pending_version)
    latest = known.latest_version or __version__
    return as_wire(
        wire_update.UpdateCheck,
        known,
        currentVersion=__version__,
        updateAvailable=known.is_update,
        isMajorUpgrade=known.is_update and check.is_major(latest, __version__),
        restartRequired=pending is not None,
        cached=found.is_cached,
        pendingVersion=pending,
    )


@serves(wire_update.UPDATE_SETTINGS)
async def get_update_config(state: Shared) -> wire_update.UpdateSettings:
    """Return the update settings and the last result."""
    return await asyncio.to_thread(_settings, state.workspace, state.settings.updates)


@serves(wire_update.CHANGE_UPDATE_SETTINGS)
async def post_update_config(
    body: UpdateConfigBody, state: Shared
) -> wire_update.ChangedUpdateSettings:
    """Change the update settings in agent.yaml."""
    wished = body.model_dump(exclude_none=True)
    changed = await asyncio.to_thread(check.change, state.workspace, wished)
    config = await asyncio.to_thread(_settings, state.workspace, changed)
    return {"success": True, "config": config, "persisted": True, **config}


@serves(wire_update.INSTALL_UPDATE)
async def post_run(state: Shared, body: UpdateRunBody | None = None) -> wire_update.Installed:
    """Install a version, by default the newest, with the original tool; the daemon uses it after a restart."""
    done = await asyncio.to_thread(
        install.install,
        state.workspace,
        state.settings.updates,
        body.target_version if body else None,
        now=clock.now(),
    )
    return as_wire(wire_update.Installed, done, restartRequired=done.installed_version is not None)


def _settings(workspace: Workspace, settings: Updates) -> wire_update.UpdateSettings:
    known = check.read_known(workspace)
    return as_wire(
        wire_update.UpdateSettings,
        settings,
        checkInterval=settings.check_interval_seconds,
        minInterval=check.LEAST_SECONDS,
        maxInterval=check.MOST_SECONDS,
        pendingRestartVersion=check.pending_version(),
        lastAutoUpdateAt=known.last_auto_update_at,
        lastAutoUpdateError=known.last_auto_update_error,
        updateInProgress=check.is_installing(workspace),
    )
