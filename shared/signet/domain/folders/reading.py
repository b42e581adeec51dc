"""Open files and folders so that the check and the bytes belong to the same file.

A path can lead elsewhere a moment after it was checked. So a file is opened first, and then its real path, as the
kernel reports it for the open file, is checked.
"""

import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from signet import engine, files
from signet.errors import Invalid, Kind, PermanentJobError
from signet.paths import Workspace

#: Returns why the file at a real path must not be read, None if it may be.
Check = Callable[[str], str | None]

_GONE = " (deleted)"
_FLAGS = 0 if sys.platform == "win32" else os.O_NONBLOCK | os.O_NOFOLLOW


class NotAllowed(Invalid, code="path_not_allowed"):
    """This path must not be read."""


class SharedByHosts(PermanentJobError, kind=Kind.UNSUPPORTED, code="paths_need_local_memory"):
    """The memory is on a server: any of its hosts may run a job, and a path may lead to another file there."""


def check_local(workspace: Workspace) -> None:
    """Raise SharedByHosts unless the memory is in the file of this workspace, so that its paths mean this machine's."""
    if engine.url_of(workspace.database) is not None:
        raise SharedByHosts(
            "Connected folders and documents by path are not read while the memory is on a server (storage.url), "
            "because its hosts have different files. Add a file as a text: signet document add FILE"
        )


class NotAFile(Invalid, code="not_a_file"):
    """This is not a regular file."""


@contextmanager
def opened(path: str | Path, check: Check) -> Iterator[BinaryIO]:
    """Open a regular file for reading; links count as the file they lead to.

    Raises NotAllowed with the reason of `check`, NotAFile, and OSError.
    """
    resolved = os.path.realpath(path)
    _pass(check, resolved)  # before opening, which has effects on some devices
    with files.opened(resolved, _FLAGS) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise NotAFile(f"{path} is not a regular file")
        # Windows cannot tell; only the command line reads files there.
        if sys.platform != "win32" and (real := real_path(file.fileno())) != resolved:
            _pass(check, real)
        yield file


def below(folder: str | Path) -> Check:
    """Return a check that lets only a folder with its files pass, or a single file."""
    root = os.path.realpath(folder)

    def check(real: str) -> str | None:
        inside = Path(real).is_relative_to(root)
        return (
            None if inside else f"leads to {real}, outside of {root}: import that file by its path"
        )

    return check


@contextmanager
def opened_folder(path: str) -> Iterator[int]:
    """Open the folder at a path without links. Raises NotAllowed for any other path, and OSError."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        if (real := real_path(handle)) != path:
            raise NotAllowed(f"{path} leads to {real} now")
        yield handle
    finally:
        os.close(handle)


def real_folder(path: str) -> str:
    """Return the path of a folder without links and as the disk spells it; raises OSError."""
    handle = os.open(os.path.realpath(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return real_path(handle)
    finally:
        os.close(handle)


def real_path(handle: int) -> str:
    """Return the kernel's path of an open file or folder; raises OSError if it has none."""
    if sys.platform == "darwin":
        import fcntl

        return os.fsdecode(fcntl.fcntl(handle, fcntl.F_GETPATH, bytes(1024)).rstrip(b"\0"))
    found = os.readlink(f"/proc/self/fd/{handle}")  # noqa: PTH115
    return found.removesuffix(_GONE) if os.fstat(handle).st_nlink == 0 else found


def _pass(check: Check, path: str) -> None:
    if reason := check(path):
        raise NotAllowed(reason)
