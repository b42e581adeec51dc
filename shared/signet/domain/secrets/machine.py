"""The key of vaults of version 1, which is derived from the id of the machine.

Every user of the machine can read that id, so the vault is sealed again under a random key (`keys.py`) the first time
that something is stored. The id that a vault was first sealed under lies next to it, because ids and host names change.
"""

import getpass
import re
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from signet.errors import Kind, SignetError

#: Where the id of that time is stored, next to the vault.
BOUND = ".machine-id"
#: Where Linux keeps its id, and where it did before.
FILES = (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id"))
_PREFIX = "signet:secrets:"
_MAC = re.compile(r'"IOPlatformUUID"\s*=\s*"([^"]+)"')


class NoMachineId(SignetError):
    """This machine has no machine id to derive a key from."""

    kind = Kind.BROKEN
    code = "no_machine_id"


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
