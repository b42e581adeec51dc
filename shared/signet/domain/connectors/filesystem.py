"""List the files of a connected folder that become documents.

Lists one folder at a time, in the order of names, so that memory use does not grow with the tree. Reports and skips
files that are unreadable, too large or whose name is not UTF-8. An unreadable folder hides only its own files.
"""

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePath

from signet.domain.connectors.models import Folder
from signet.domain.folders.private import Places, is_below, is_settings
from signet.domain.folders.reading import NotAllowed, opened_folder
from signet.wire.connectors import SyncError


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFile:
    """One file: its absolute path, its path below the root, and a stamp of its state."""

    path: str
    relative: str
    stamp: str


def scan(folder: Folder, places: Places) -> Iterator[FoundFile | SyncError]:
    """Yield the files to read and the reasons why others are skipped, never one from a private place (CON-11).

    Raises OSError if the root cannot be listed, and NotAllowed if a link has taken its place.
    """
    waiting = [folder.root_path]
    while waiting:
        here = waiting.pop()
        try:
            with opened_folder(here) as handle, os.scandir(handle) as found:
                entries = sorted(
                    (one.name, one.is_dir(follow_symlinks=False), one.is_symlink()) for one in found
                )
        except (OSError, NotAllowed) as error:
            if here == folder.root_path:
                raise
            yield {"resourceId": _shown(here), "message": _why(error), "retryable": True}
            continue
        for name, is_folder, is_link in entries:
            path = f"{here.rstrip('/')}/{name}"
            relative = os.path.relpath(path, folder.root_path)
            if is_ignored(relative, folder):
                continue
            if is_folder and (reason := places.reason(path)):
                message = f"private: {reason}"
                yield {"resourceId": _shown(path), "message": message, "retryable": False}
            elif is_folder:
                waiting.append(path)
            elif (
                _is_wanted(relative, folder)
                and not is_settings(path)
                and (not is_link or _is_inside(path, folder, places))
            ):
                yield from _checked(path, relative, folder)


def is_gone(path: str, folder: Folder, places: Places) -> bool:
    """Return whether the file of a document no longer belongs to the folder; an unreadable one still does."""
    relative = os.path.relpath(path, folder.root_path)
    if (
        relative.startswith("..")
        or is_ignored(relative, folder)
        or not _is_wanted(relative, folder)
    ):
        return True
    try:
        is_file = stat.S_ISREG(Path(path).stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return not is_file or not _is_inside(path, folder, places)


def is_ignored(relative: str, folder: Folder) -> bool:
    """Return whether a file or folder is skipped: hidden, or named by an ignore rule (CON-8). Pure."""
    parts = PurePath(relative).parts
    return any(part.startswith(".") for part in parts) or any(
        rule in parts or relative.startswith(rule.removeprefix("./")) or matches(relative, rule)
        for rule in folder.ignore_patterns
    )


def _is_wanted(relative: str, folder: Folder) -> bool:
    return any(matches(relative, pattern) for pattern in folder.patterns)


def _is_inside(path: str, folder: Folder, places: Places) -> bool:
    real = os.path.realpath(path)
    if real == path:  # the scan checks its folder
        return True
    return is_below(real, folder.root_path) and places.file_reason(real) is None


def _checked(path: str, relative: str, folder: Folder) -> Iterator[FoundFile | SyncError]:
    try:
        path.encode()
        found = Path(path).stat()
    except UnicodeEncodeError:
        yield {"resourceId": _shown(path), "message": "the name is not UTF-8", "retryable": False}
        return
    except OSError as error:
        yield {"resourceId": path, "message": _why(error), "retryable": True}
        return
    if not stat.S_ISREG(found.st_mode):
        return
    if found.st_size > folder.max_file_size:
        message = f"larger than {folder.max_file_size} bytes"
        yield {"resourceId": path, "message": message, "retryable": False}
    elif not os.access(path, os.R_OK):
        yield {"resourceId": path, "message": "permission denied", "retryable": True}
    else:
        yield FoundFile(path=path, relative=relative, stamp=f"{found.st_mtime_ns}-{found.st_size}")


def _why(error: OSError | NotAllowed) -> str:
    if isinstance(error, NotAllowed):
        return error.message
    return error.strerror or type(error).__name__


def _shown(path: str) -> str:
    return path.encode("utf-8", "replace").decode()


_TOKEN = re.compile(r"\*\*/|\*\*|\*|\?|\[!?[^\]/]{1,100}+\]|[{},]|.", re.DOTALL)
_MEANING = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}


@lru_cache(maxsize=256)
def compiled(glob: str) -> re.Pattern[str]:
    """Return the pattern that matches a whole path, with `/` between its parts, as the glob does."""
    found: list[str] = []
    depth = 0
    star, star_at = "", 0
    balanced = glob.count("{") == glob.count("}")
    for token in _TOKEN.findall(glob.removeprefix("./")):
        if star and (token == star or token == "**"):
            # This star takes in whatever the one before gives up: the first place is right, and no other is tried.
            found[star_at] = f"(?>{_MEANING[star]}?"
            found.append(")")
        if token in ("**/", "{", "}", "*", "**"):
            star, star_at = token if token[-1] == "*" and not depth else "", len(found)
        if token in _MEANING:
            found.append(_MEANING[token])
        elif token[0] == "[" and len(token) > 1:
            inside = token[1:-1].replace("\\", "\\\\").replace("[", "\\[").replace("^", "\\^")
            found.append(f"[^{inside[1:]}]" if inside[0] == "!" else f"[{inside}]")
        elif balanced and token == "{":
            depth += 1
            found.append("(?:")
        elif depth and token in ",}":
            depth -= token == "}"
            found.append("|" if token == "," else ")")
        else:
            found.append(re.escape(token))
    try:
        return re.compile("".join(found), re.DOTALL)
    except re.error:  # `[z-a]`, `}{`: no valid pattern
        return re.compile(re.escape(glob))


def matches(path: str, glob: str) -> bool:
    """Return whether the glob means this relative path."""
    return compiled(glob).fullmatch(path) is not None
