"""Secrets: names, and commands that receive values."""

import asyncio
from collections.abc import Mapping

from signet.domain.auth import caller
from signet.domain.secrets import use
from signet.domain.secrets.vault import Vault
from signet.errors import Forbidden, Invalid
from signet.observe import logs
from signet.wire import secrets as wire
from signet.wire.requests.machine import ExecBody, SecretBody
from signet_api.deps import Shared, State, Who
from signet_api.serving import serves

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
