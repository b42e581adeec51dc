"""Keys of this machine and user, and authenticated encryption with them."""

import base64
import binascii
import getpass
import re
import secrets
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from signet.errors import Kind, SignetError
from signet.files import read_file, replace_file


def seal_box(key: bytes, value: str, nonce: bytes | None = None) -> str:
    """Return a value encrypted under a nonce, random by default."""
    from nacl.secret import SecretBox

    return base64.b64encode(bytes(SecretBox(key).encrypt(value.encode(), nonce))).decode()


def open_box(key: bytes, ciphertext: str) -> str:
    """Return the value; raises SignetError."""
    from nacl.exceptions import CryptoError
    from nacl.secret import SecretBox

    try:
        return SecretBox(key).decrypt(base64.b64decode(ciphertext, validate=True)).decode()
    except (CryptoError, binascii.Error, ValueError) as error:
        raise SignetError(
            "Decryption failed - key mismatch or corrupted data", "decryption_failed"
        ) from error


KEY_FILE = "key"
KEY_BYTES = 32


class KeyMissing(SignetError, kind=Kind.BROKEN, code="vault_key_missing"):
    """The key of the vault is missing or damaged."""


def stored_key(folder: Path) -> bytes:
    """Return the key of the vault in a folder; raises KeyMissing."""
    path = folder / KEY_FILE
    try:
        found = base64.b64decode(read_file(path), validate=False)
    except FileNotFoundError as error:
        raise _unusable(path, "is missing") from error
    except binascii.Error as error:
        raise _unusable(path, "is damaged") from error
    if len(found) != KEY_BYTES:
        raise _unusable(path, "is damaged")
    return found


def made_key(folder: Path) -> bytes:
    """Return the key, created if missing. The caller holds the lock of the vault. Raises KeyMissing."""
    path = folder / KEY_FILE
    if not path.exists():
        replace_file(path, base64.b64encode(secrets.token_bytes(KEY_BYTES)) + b"\n")
    return stored_key(folder)


def _unusable(path: Path, what: str) -> KeyMissing:
    return KeyMissing(
        f"{path} {what}, and no secret can be decrypted without it. Put the file back; or remove"
        f" {path.parent}/secrets.enc and store the secrets again: signet secret put NAME"
    )


#: Where the id of that time is stored, next to the vault.
BOUND = ".machine-id"
#: Where Linux stores its ID, now and in older versions.
FILES = (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id"))
_PREFIX = "signet:secrets:"
_MAC = re.compile(r'"IOPlatformUUID"\s*=\s*"([^"]+)"')


class NoMachineId(SignetError, kind=Kind.BROKEN, code="no_machine_id"):
    """This machine has no machine id to derive a key from."""


def key_of(machine_id: str) -> bytes:
    """Return the key of a machine: BLAKE2b, 32 bytes, of prefix and id."""
    from nacl.encoding import RawEncoder
    from nacl.hash import blake2b

    digest: bytes = blake2b(f"{_PREFIX}{machine_id}".encode(), digest_size=32, encoder=RawEncoder)
    return digest


def bound_id(folder: Path) -> str:
    """Return the id that the vault in a folder was first sealed under, empty if none is stored."""
    with suppress(FileNotFoundError):
        return (folder / BOUND).read_text("utf-8").strip()
    return ""


def found_id() -> str:
    """Return the id of this machine; raises NoMachineId."""
    for path in FILES:
        with suppress(OSError):
            if found := path.read_text("utf-8").strip():
                return found
    if sys.platform == "darwin" and (found := _mac()):
        return found
    try:
        user, host = getpass.getuser(), socket.gethostname()
    except (OSError, KeyError) as error:
        raise NoMachineId from error
    if not user or not host:
        raise NoMachineId
    return f"{host}-{user}"


def _mac() -> str:
    with suppress(OSError, subprocess.SubprocessError):
        shown = subprocess.run(
            ["/usr/sbin/ioreg", "-rd1", "-c", "IOPlatformExpertDevice"],
            capture_output=True,
            text=True,
            timeout=5,
            check=True,
        )
        if found := _MAC.search(shown.stdout):
            return found[1]
    return ""
