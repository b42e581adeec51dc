"""Find the other paths of a file that bind mounts give it (Linux; elsewhere there are no bind mounts)."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

_TABLE = Path("/proc/self/mountinfo")
_ESCAPED = re.compile(r"\\([0-7]{3})")


class Mount(NamedTuple):
    """A mounted file system or part of one: its device, the folder in the file system, and the mount point."""

    device: str
    root: str
    point: str


def aliases(path: str, mounts: Sequence[Mount]) -> list[str]:
    """Return the other paths that lead to the same file; `path` is absolute and free of links."""
    here = max(
        (mount for mount in mounts if is_below(path, mount.point)),
        key=lambda mount: len(mount.point),
        default=None,
    )
    if here is None:
        return []
    inner = _joined(here.root, os.path.relpath(path, here.point))
    found = {
        _joined(mount.point, os.path.relpath(inner, mount.root))
        for mount in mounts
        if mount.device == here.device and is_below(inner, mount.root)
    }
    # Another file system may cover the other path.
    return sorted(one for one in found - {path} if _is_same(one, path))


def is_below(path: str, folder: str) -> bool:
    """Return whether a path is a folder or lies in it, by its text alone."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def mounted() -> list[Mount]:
    """Return what is mounted in the name space of this process, empty where the kernel has no such table."""
    try:
        lines = _TABLE.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return []
    rows = [line.split(" ") for line in lines]
    return [Mount(row[2], _plain(row[3]), _plain(row[4])) for row in rows if len(row) > 4]


def _plain(text: str) -> str:
    """Return a path whose spaces and line breaks the kernel wrote as octal numbers."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 8)), text)


def _joined(folder: str, relative: str) -> str:
    return folder if relative == "." else os.path.join(folder, relative)  # noqa: PTH118


def _is_same(one: str, other: str) -> bool:
    try:
        return os.path.samestat(os.stat(one), os.stat(other))  # noqa: PTH116
    except OSError:
        return False
