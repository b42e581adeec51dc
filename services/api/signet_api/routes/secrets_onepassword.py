"""1Password as a source of secrets."""

import asyncio

from fastapi import APIRouter, Depends

from signet.domain.secrets import account
from signet.wire.requests.secrets import ConnectBody, ImportBody
from signet_api.bodies import JsonRoute
from signet_api.deps import Shared
from signet_api.routes.secrets import from_here, vault_of

router = APIRouter(
    prefix="/api/secrets/1password",
    tags=["secrets"],
    route_class=JsonRoute,
    dependencies=[Depends(from_here)],
)


@router.get("/status")
async def get_status(state: Shared) -> dict[str, object]:
    """Return whether 1Password is connected, and its vaults."""
    return await account.status(vault_of(state))


@router.post("/connect")
async def post_connect(body: ConnectBody, state: Shared) -> dict[str, object]:
    """Keep the token of a service account, once it has opened its list of vaults."""
    return await account.connect(vault_of(state), body.token)


@router.delete("/connect")
async def delete_connect(state: Shared) -> dict[str, object]:
    """Forget the token."""
    return await asyncio.to_thread(account.disconnect, vault_of(state))


@router.get("/vaults")
async def get_vaults(state: Shared) -> dict[str, object]:
    """Return the vaults that the token opens."""
    return await account.vaults(vault_of(state))


@router.post("/import")
async def post_import(body: ImportBody, state: Shared) -> dict[str, object]:
    """Copy credentials into the vault; without `overwrite` a name that exists is left alone."""
    done = await account.copy(
        vault_of(state),
        names=body.vaults,
        prefix=body.prefix,
        overwrite=body.overwrite,
        token=body.token,
    )
    return done.body
