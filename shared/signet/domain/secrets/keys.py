"""The key of the vault: 32 random bytes in a private file next to it.

No backup, export or git sync copies the file. A copy of the vault alone therefore decrypts nothing; a copy of the whole
folder `.secrets` decrypts everything.
"""

import base64
import binascii
import secrets
from pathlib import Path

from signet.errors import Kind, SignetError
from signet.files import read_file, replace_file

FILE = "key"
BYTES = 32


class KeyMissing(SignetError):
    """The key of the vault is missing or damaged."""

    kind = Kind.BROKEN
    code = "vault_key_missing"


def stored(folder: Path) -> bytes:
    """Return the key of the vault in a folder; raises KeyMissing."""
    path = folder / FILE
    try:
        found = base64.b64decode(read_file(path), validate=False)
    except FileNotFoundError as error:
        raise _unusable(path, "is missing") from error
    except binascii.Error as error:
        raise _unusable(path, "is damaged") from error
    if len(found) != BYTES:
        raise _unusable(path, "is damaged")
    return found


def made(folder: Path) -> bytes:
    """Return the key, created if there is none. The caller holds the lock of the vault. Raises KeyMissing."""
    path = folder / FILE
    if not path.exists():
        replace_file(path, base64.b64encode(secrets.token_bytes(BYTES)) + b"\n")
    return stored(folder)


def _unusable(path: Path, what: str) -> KeyMissing:
    return KeyMissing(
        f"{path} {what}, and no secret can be decrypted without it. Put the file back; or remove"
        f" {path.parent}/secrets.enc and store the secrets again: signet secret put NAME"
    )
