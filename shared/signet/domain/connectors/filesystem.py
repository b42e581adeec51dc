"""The files of a folder that are to be documents.

Names are read in order, one folder at a time, so that a tree of any size needs little memory. What cannot be read, is
too large or has a name that is no text is reported and left out; a folder that cannot be read hides only its own files.
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath

from signet.domain.connectors.globs import matches
from signet.domain.connectors.models import Folder
from signet.domain.documents import source
from signet.wire.connectors import SyncError


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One file: its absolute path, its path below the root, and a stamp of its state."""

    path: str
    relative: str
    stamp: str


def scan(folder: Folder) -> Iterator[Found | SyncError]:
    """Yield the files that are wanted, and what keeps others out. Raises OSError when the root cannot be listed."""
    waiting = [folder.root_path]
    while waiting:
        here = waiting.pop()
        try:
            entries = sorted(os.scandir(here), key=lambda entry: entry.name)
        except OSError as error:
            if here == folder.root_path:
                raise
            yield {"resourceId": _shown(here), "message": _why(error), "retryable": True}
            continue
        for entry in entries:
            relative = os.path.relpath(entry.path, folder.root_path)
            if is_ignored(relative, folder):
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
            elif _is_wanted(relative, folder):
                yield from _looked_at(entry.path, relative, folder)


def is_gone(path: str, folder: Folder) -> bool:
    """Return whether a file that was a document is gone; one that cannot be examined counts as there."""
    relative = os.path.relpath(path, folder.root_path)
    if (
        relative.startswith("..")
        or is_ignored(relative, folder)
        or not _is_wanted(relative, folder)
    ):
        return True
    try:
        return not stat.S_ISREG(Path(path).stat().st_mode) or not _is_inside(path, folder)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False


def is_ignored(relative: str, folder: Folder) -> bool:
    """Return whether a file or folder is left out: hidden, or named by an ignore rule (CON-8). Pure."""
    parts = PurePath(relative).parts
    return any(part.startswith(".") for part in parts) or any(
        rule in parts or relative.startswith(rule.removeprefix("./")) or matches(relative, rule)
        for rule in folder.ignore_patterns
    )


def _is_wanted(relative: str, folder: Folder) -> bool:
    return any(matches(relative, pattern) for pattern in folder.patterns)


def _is_inside(path: str, folder: Folder) -> bool:
    """Return whether reading the file would be allowed, wherever a link on its way leads."""
    return source.is_allowed(os.path.realpath(path), [folder.root_path])


def _looked_at(path: str, relative: str, folder: Folder) -> Iterator[Found | SyncError]:
    try:
        path.encode()
        found = Path(path).stat()
    except UnicodeEncodeError:
        yield {"resourceId": _shown(path), "message": "the name is not UTF-8", "retryable": False}
        return
    except OSError as error:
        yield {"resourceId": path, "message": _why(error), "retryable": True}
        return
    if not stat.S_ISREG(found.st_mode) or not _is_inside(path, folder):
        return
    if found.st_size > folder.max_file_size:
        message = f"larger than {folder.max_file_size} bytes"
        yield {"resourceId": path, "message": message, "retryable": False}
    elif not os.access(path, os.R_OK):
        yield {"resourceId": path, "message": "permission denied", "retryable": True}
    else:
        yield Found(path=path, relative=relative, stamp=f"{found.st_mtime_ns}-{found.st_size}")


def _why(error: OSError) -> str:
    return error.strerror or type(error).__name__


def _shown(path: str) -> str:
    return path.encode("utf-8", "replace").decode()
