"""1Password as a source of secrets."""

import asyncio

from signet.domain.secrets import account
from signet.wire import secrets as wire
from signet.wire.requests.secrets import ConnectBody, SecretsImportBody
from signet_api.deps import Shared
from signet_api.routes.secrets import from_here, vault_of
from signet_api.serving import serves


@serves(wire.ONE_PASSWORD, first=from_here)
async def get_status(state: Shared) -> wire.OnePassword:
    """Return whether 1Password is connected, and its vaults."""
    return await account.status(vault_of(state))


@serves(wire.CONNECT_ONE_PASSWORD, first=from_here)
async def post_connect(body: ConnectBody, state: Shared) -> wire.ConnectedOnePassword:
    """Keep the token of a service account, once it has opened its list of vaults."""
    return await account.connect(vault_of(state), body.token)


@serves(wire.DISCONNECT_ONE_PASSWORD, first=from_here)
async def delete_connect(state: Shared) -> wire.DisconnectedOnePassword:
    """Forget the token."""
    return await asyncio.to_thread(account.disconnect, vault_of(state))


@serves(wire.ONE_PASSWORD_VAULTS, first=from_here)
async def get_vaults(state: Shared) -> wire.Vaults:
    """Return the vaults that the token opens."""
    return await account.vaults(vault_of(state))


@serves(wire.IMPORT_FROM_ONE_PASSWORD, first=from_here)
async def post_import(body: SecretsImportBody, state: Shared) -> wire.ImportedSecrets:
    """Copy credentials into the vault; without `overwrite` a name that exists is left alone."""
    done = await account.copy(
        vault_of(state),
        names=body.vaults,
        prefix=body.prefix,
        overwrite=body.overwrite,
        token=body.token,
    )
    return done.body
