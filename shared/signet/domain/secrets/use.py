"""Which secrets a command may have, and their values."""

import re
from collections.abc import Mapping, Sequence

from signet.domain.secrets import onepassword
from signet.domain.secrets.vault import Vault, check_name
from signet.errors import Forbidden, Invalid

#: With any of these a shell runs more, or other words, than were allowed: it parts words at blanks and tabs only.
_MORE = re.compile(r"[;&|`$<>()\\]|[^\S \t]")


async def values(vault: Vault, wanted: Mapping[str, str]) -> dict[str, str]:
    """Return the value of each variable; nothing is half resolved.

    A reference is the name of a secret or begins with `op://`. Raises Invalid, NoSuchSecret, VaultUnreadable,
    SignetError for one that cannot be decrypted, and what 1Password raises.
    """
    if not wanted:
        raise Invalid("secrets map is required")
    for variable in wanted:
        check_name(variable)
    found = {}
    for variable, reference in wanted.items():
        if reference.startswith(onepassword.REFERENCE):
            found[variable] = await onepassword.read(token(vault), reference)
        else:
            found[variable] = vault.value(reference)
    return found


def token(vault: Vault) -> str:
    """Return the token of 1Password; raises Invalid."""
    found = vault.find(onepassword.TOKEN)
    if found is None:
        raise Invalid(
            "1Password is not connected. Connect it with: signet secret onepassword connect",
            "onepassword_not_configured",
        )
    return found


def check(command: str, wanted: Mapping[str, str], allowed: Mapping[str, Sequence[str]]) -> None:
    """Raise Forbidden when a command is none of those that a secret is allowed for (`secrets.execAllow`). Pure.

    A secret that is not in the list may go to every command; one that is goes to simple commands that begin with one
    of its prefixes, word by word.
    """
    for reference in wanted.values():
        prefixes = allowed.get(reference)
        if prefixes is None:
            continue
        words = command.split()
        begins = any(words[: len(prefix.split())] == prefix.split() for prefix in prefixes)
        if not begins or _MORE.search(command):
            raise Forbidden(f"secrets.execAllow does not allow this command to use {reference}")
