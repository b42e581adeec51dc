"""Detect whether a local program is confined: it runs as our user but may not access all of the user's files.

A sandbox that allows local network access hides files; the daemon must not reveal what the sandbox hides. Marked
shells of agents also get no secret values. This detects usual sandboxes; it does not stop a program that hides.
"""

import os
import re
from pathlib import Path

from signet.config.env import AGENT_SHELLS

_PROC = Path("/proc")
_SELF = _PROC / "self"
#: Namespaces that a sandbox replaces.
_SPACES = ("mnt", "user", "pid")
#: Restrictions that a process can only increase (proc(5)).
_LIMITS = re.compile(rb"^(?:NoNewPrivs|Seccomp):\s*(\d+)", re.MULTILINE)


def confinement(inode: int) -> str | None:
    """Return why the process that holds a socket is confined, None if nothing indicates it."""
    folder = _holder(f"socket:[{inode}]") if inode else None
    if folder is None:
        return "the calling program is unknown to the system"
    try:
        return _reason(folder)
    except OSError:
        return "the program that asks has ended"


def _holder(name: str) -> Path | None:
    """Return the /proc folder of our user's process that holds a socket."""
    for folder in _PROC.glob("[1-9]*"):
        try:
            if folder.stat().st_uid == os.geteuid() and any(
                os.readlink(one) == name  # noqa: PTH115
                for one in os.scandir(folder / "fd")
            ):
                return folder
        except OSError:
            continue
    return None


def _reason(folder: Path) -> str | None:
    if not all((folder / "ns" / one).samefile(_SELF / "ns" / one) for one in _SPACES):
        return "the program that asks runs in a container or sandbox"
    if not (folder / "root").samefile("/"):
        return "the program that asks sees other files"
    limits, ours = (_LIMITS.findall((one / "status").read_bytes()) for one in (folder, _SELF))
    if any(int(one) > int(own) for one, own in zip(limits, ours, strict=True)):
        return "the program that asks is restricted by a sandbox"
    names = {one.partition(b"=")[0] for one in (folder / "environ").read_bytes().split(b"\0")}
    if names.intersection(map(str.encode, AGENT_SHELLS)):
        return "an agent's shell asks"
    return None
