"""Which files of a workspace a backup holds: all that a person owns, and nothing that the machine makes again.

The database is not among them; it is copied by itself (see db/snapshot.py).
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from signet.domain.backup.models import DATABASE, LeftOut
from signet.paths import Workspace

#: Folders and files of these names are made again by whoever needs them.
CACHES = frozenset({"__pycache__", ".cache", "node_modules", ".DS_Store"})
#: What is kept of `.daemon`; everything else there is of this run and this machine.
STATE = ("auth-secret", "last-synthesis.json")
DAEMON = ".daemon"
#: What the database's name is followed by in the names of its other files.
_DATABASE_FILES = frozenset(
    {"", "-wal", "-shm", "-journal", ".gate", ".gate.next", ".migrate.lock"}
)


@dataclass(frozen=True, slots=True)
class Found:
    """A file or a link of the workspace, by its path below the root."""

    path: str
    status: os.stat_result

    @property
    def is_link(self) -> bool:
        """Return whether it is a symbolic link."""
        return stat.S_ISLNK(self.status.st_mode)


def walk(workspace: Workspace) -> Iterator[Found | LeftOut]:
    """Yield every file of a backup and everything that stays out of it though it may be missed, in a fixed order.

    A git repository's objects come last: what its references name is then there, whatever is committed meanwhile.
    """
    root = workspace.root
    for name in _names(root):
        if name != DAEMON:
            yield from _below(workspace, name)
    for name in STATE:
        if (workspace.daemon_dir / name).is_file():
            yield from _below(workspace, f"{DAEMON}/{name}")


def _below(workspace: Workspace, path: str) -> Iterator[Found | LeftOut]:
    place = workspace.root / path
    try:
        os.fsencode(path).decode("utf-8")
        # A memory folder that lies elsewhere is ours all the same.
        status = place.stat() if path == "memory" else place.lstat()
        if stat.S_ISDIR(status.st_mode):
            for name in _names(place):
                yield from _below(workspace, f"{path}/{name}")
            return
    except FileNotFoundError:
        return  # removed while we looked
    except (OSError, UnicodeError) as error:
        yield LeftOut(
            path=_shown(path), why=getattr(error, "strerror", None) or "its name is not valid text"
        )
        return
    if _is_of_database(path):
        return
    yield from _file(workspace, path, status)


def _file(workspace: Workspace, path: str, status: os.stat_result) -> Iterator[Found | LeftOut]:
    if stat.S_ISLNK(status.st_mode):
        if leaves(workspace.root, path):
            target = (workspace.root / path).readlink()
            yield LeftOut(
                path=path,
                why=f"only the link is backed up, because it points outside the workspace: {target}",
            )
        yield Found(path, status)
    elif stat.S_ISREG(status.st_mode):
        yield Found(path, status)
    else:
        yield LeftOut(path=path, why="neither a file nor a folder")


def _names(folder: Path) -> list[str]:
    names = [place.name for place in folder.iterdir() if place.name not in CACHES]
    return sorted(names, key=lambda name: (name == "objects", name))


def leaves(root: Path, path: str) -> bool:
    """Return whether a link of the workspace points out of it."""
    return not (root / path).resolve().is_relative_to(root.resolve())


def _is_of_database(path: str) -> bool:
    """Return whether the file is the database or belongs to it: log, locks, copies of earlier schemas."""
    is_near = path.startswith(DATABASE)
    rest = path.removeprefix(DATABASE)
    return is_near and (rest in _DATABASE_FILES or rest.startswith(".bak-"))


def _shown(path: str) -> str:
    return os.fsencode(path).decode("utf-8", "replace")
