"""The 1Password account of a workspace: connect it, look at it, copy credentials out of it into the vault.

What comes back is what both the HTTP interface and the command line show; names, never values.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from signet.domain.secrets import onepassword, use
from signet.domain.secrets.vault import Vault
from signet.errors import Invalid, SignetError
from signet.wire.secrets import (
    ConnectedOnePassword,
    DisconnectedOnePassword,
    ImportedSecrets,
    OnePassword,
    Vaults,
)


@dataclass(slots=True)
class Copied:
    """What an import did."""

    vaults: int = 0
    items: int = 0
    imported: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def body(self) -> ImportedSecrets:
        """Return it as JSON."""
        return {
            "success": not self.errors,
            "vaultsScanned": self.vaults,
            "itemsScanned": self.items,
            "importedCount": len(self.imported),
            "skippedCount": len(self.skipped),
            "errorCount": len(self.errors),
            "imported": self.imported,
            "skipped": self.skipped,
            "errors": self.errors,
        }


async def status(vault: Vault) -> OnePassword:
    """Return whether an account is configured and answers, and its vaults."""
    token = vault.find(onepassword.TOKEN)
    if token is None:
        return {"configured": False, "connected": False, "vaults": []}
    try:
        found = await onepassword.vaults(token)
    except SignetError as error:
        return {"configured": True, "connected": False, "vaults": [], "error": error.message}
    return {"configured": True, "connected": True, "vaultCount": len(found), "vaults": found}


async def connect(vault: Vault, token: str) -> ConnectedOnePassword:
    """Keep a token, once it has opened its list of vaults; raises Invalid for one that does not."""
    token = token.strip()
    if not token:
        raise Invalid("token is required")
    try:
        found = await onepassword.vaults(token)
    except onepassword.Refused as error:
        raise Invalid(error.message) from error
    vault.put(onepassword.TOKEN, token)
    return {"success": True, "connected": True, "vaultCount": len(found), "vaults": found}


def disconnect(vault: Vault) -> DisconnectedOnePassword:
    """Forget the token."""
    existed = onepassword.TOKEN in vault.names()
    if existed:
        vault.delete(onepassword.TOKEN)
    return {"success": True, "disconnected": True, "existed": existed}


async def vaults(vault: Vault) -> Vaults:
    """Return the vaults of the account; raises Invalid, Refused."""
    found = await onepassword.vaults(use.token(vault))
    return {"vaults": found, "count": len(found)}


async def copy(
    vault: Vault,
    *,
    names: Sequence[str] | None,
    prefix: str,
    overwrite: bool,
    token: str | None = None,
) -> Copied:
    """Copy the credentials of some vaults, or of all; without `overwrite` a name that exists is left alone.

    What cannot be read or stored is reported and does not stop the rest. Raises Refused, and Invalid,
    also for an unknown vault.
    """
    token = token or use.token(vault)
    done = Copied()
    existing = set(vault.names())
    taken: set[str] = set()
    for one in onepassword.chosen(await onepassword.vaults(token), names):
        done.vaults += 1
        try:
            found = await onepassword.fields(token, one["id"])
        except onepassword.Refused as error:
            done.errors.append(f"{one['name']}: {error.message}")
            continue
        done.items += len({title for title, _, _ in found})
        for title, label, value in found:
            name = onepassword.name_of(prefix, (one["name"], title, label), taken)
            taken.add(name)
            if name in existing and not overwrite:
                done.skipped.append(name)
                continue
            try:
                vault.put(name, value)
            except Invalid as error:
                done.errors.append(f"{name}: {error.message}")
                continue
            done.imported.append(name)
    return done
