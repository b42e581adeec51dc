"""List the files of a workspace that a backup holds (see accept.py).

The database is not among them; it is copied on its own (see db/snapshot.py).
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from signet.domain.backup import accept
from signet.domain.backup.accept import CACHES, DAEMON, SECRETS, STATE
from signet.domain.backup.models import DATABASE, LeftOut
from signet.paths import Workspace


@dataclass(frozen=True, slots=True)
class Found:
    """A file of the workspace, by its path below the root."""

    path: str
    status: os.stat_result


def walk(workspace: Workspace) -> Iterator[Found | LeftOut]:
    """Yield every file of a backup, and what a person may miss in it with the reason, in a fixed order."""
    names: dict[str, str] = {}
    for name in _names(workspace.root):
        if name in (DAEMON, SECRETS):
            continue
        for found in _below(workspace, name):
            twin = isinstance(found, Found) and accept.twin_of(found.path, names)
            yield (
                LeftOut(path=found.path, why=f"on many disks it is the same file as {twin}")
                if twin
                else found
            )
    for name in STATE:
        if (workspace.daemon_dir / name).is_file():
            yield from _below(workspace, f"{DAEMON}/{name}")


def _below(workspace: Workspace, path: str) -> Iterator[Found | LeftOut]:
    place = workspace.root / path
    try:
        os.fsencode(path).decode("utf-8")
        if why := accept.refusal(path):
            if not accept.is_of_database(path):
                yield LeftOut(path=_shown(path), why=why)
            return
        # A memory folder that lies elsewhere belongs to the workspace all the same.
        status = place.stat() if path == "memory" else place.lstat()
        if stat.S_ISDIR(status.st_mode):
            for name in _names(place):
                yield from _below(workspace, f"{path}/{name}")
            return
    except FileNotFoundError:
        return  # removed meanwhile
    except (OSError, UnicodeError) as error:
        yield LeftOut(
            path=_shown(path), why=getattr(error, "strerror", None) or "its name is not valid text"
        )
        return
    if path == DATABASE:
        return
    if stat.S_ISREG(status.st_mode):
        yield Found(path, status)
    elif stat.S_ISLNK(status.st_mode):
        yield LeftOut(path=path, why=f"a link to {place.readlink()}")
    else:
        yield LeftOut(path=path, why="neither a file nor a folder")


def _names(folder: Path) -> list[str]:
    return sorted(place.name for place in folder.iterdir() if place.name not in CACHES)


def _shown(path: str) -> str:
    return os.fsencode(path).decode("utf-8", "replace")
