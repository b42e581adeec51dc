"""The id of this machine, which the key of the vault is made from.

The id that was used first is stored next to the vault and is used from then on: host names and ids of machines change,
and a vault that cannot be opened any more is worse than one that is bound to an old name.
"""

import getpass
import re
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from signet.errors import Kind, SignetError
from signet.files import replace_file

#: Where Linux keeps it, and where it did before.
FILES = (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id"))
_MAC = re.compile(r'"IOPlatformUUID"\s*=\s*"([^"]+)"')


class NoMachineId(SignetError):
    """This machine has no machine id to derive a key from."""

    kind = Kind.BROKEN
    code = "no_machine_id"


def machine_id(folder: Path) -> str:
    """Return the id that the vault in `folder` is bound to; raises NoMachineId, or OSError."""
    kept = folder / ".machine-id"
    with suppress(FileNotFoundError):
        if found := kept.read_text("utf-8").strip():
            return found
    return found_id()


def keep(folder: Path) -> str:
    """Return the id and keep it in `folder`, for a vault that is about to be written."""
    found = machine_id(folder)
    kept = folder / ".machine-id"
    if not kept.exists():
        replace_file(kept, f"{found}\n".encode())
    return found


def found_id() -> str:
    """Return what the machine says of itself; raises NoMachineId."""
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
