"""Which secrets a command may have, and their values."""

import re
from collections.abc import Mapping, Sequence

from signet.domain.secrets.vault import Vault, check_name
from signet.errors import Forbidden, Invalid

#: With any of these a shell runs more, or other words, than were allowed: it parts words at blanks and tabs only.
_MORE = re.compile(r"[;&|`$<>()\\]|[^\S \t]")


def values(vault: Vault, wanted: Mapping[str, str]) -> dict[str, str]:
    """Return the value of the secret that each variable names.

    Raises Invalid, NoSuchSecret, VaultUnreadable, and SignetError for a value that cannot be decrypted.
    """
    if not wanted:
        raise Invalid("secrets map is required")
    for variable in wanted:
        check_name(variable)
    return {variable: vault.value(name) for variable, name in wanted.items()}


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
