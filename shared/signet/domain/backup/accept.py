"""Decide which files a backup holds and a restore writes: one rule for both (BK-1).

Accepted are visible files of the workspace and two hidden ones that Signet makes. Keys, the vault, git repositories,
links and other hidden files are never written by a restore, whatever an archive contains.
"""

import unicodedata
from collections.abc import Collection
from pathlib import PurePosixPath

from signet.domain.backup.models import DATABASE, BadBackup

#: The folder of secrets, and the vault in it; a backup holds it only under a passphrase.
SECRETS, VAULT = ".secrets", ".secrets/secrets.enc"
DAEMON, GIT = ".daemon", ".git"
#: Files of `.daemon` that belong to the memories, not to this machine or this run.
STATE = ("last-synthesis.json",)
#: The names at the top of a workspace that hold memories; everything else decides how agents and Signet behave.
MEMORIES = ("memory", *(f"{DAEMON}/{name}" for name in STATE))
_HIDDEN = frozenset({".gitignore", *(f"{DAEMON}/{name}" for name in STATE)})
#: Folders and files of these names are made again by the programs that need them.
CACHES = frozenset({"__pycache__", ".cache", "node_modules", ".DS_Store"})

#: What the database's name is followed by in the names of its other files.
_DATABASE_FILES = frozenset(
    {
        "",
        "-wal",
        "-shm",
        "-journal",
        ".gate",
        ".gate.next",
        ".migrate.lock",
        ".mark",
        ".damage",
        ".rescued",
    }
)

MAX_FILES = 500_000
MAX_DEPTH, MAX_NAME_BYTES, MAX_PATH_BYTES = 32, 255, 1_024

_WHY = {
    GIT: "git repositories are not part of a backup: push yours to a remote",
    SECRETS: "secrets are not in a backup unless you ask for it: signet backup --secrets",
    DAEMON: "keys and runtime files stay on their machine",
}


def refusal(path: str) -> str | None:
    """Return why a restore does not write this path, None if it does. Pure."""
    if path in _HIDDEN:
        return None
    if path != DATABASE and is_of_database(path):
        return "SQLite would apply it to the database; the database is in a backup as a whole"
    first, *_ = parts = path.split("/")
    if why := _WHY.get(first.lower()):
        return why
    if any(_is_hidden(part) for part in parts):
        return "hidden files are not part of a backup"
    if any(unicodedata.category(letter) == "Cc" for letter in path):
        return "its name contains a control character"
    is_long = len(path.encode()) > MAX_PATH_BYTES or len(parts) > MAX_DEPTH
    if is_long or any(len(part.encode()) > MAX_NAME_BYTES for part in parts):
        return "its path is too long"
    return None


def is_of_database(path: str) -> bool:
    """Return whether a file is the database or belongs to it: log, locks, copies of earlier schemas."""
    name = unicodedata.normalize("NFC", _visible(path)).lower()
    rest = name.removeprefix(DATABASE)
    return name.startswith(DATABASE) and (
        rest in _DATABASE_FILES or rest.startswith((".bak-", "-mj"))
    )


def check_paths(paths: Collection[str]) -> None:
    """Raise BadBackup for an archive whose paths no workspace can have, or that lead out of it. Pure."""
    if len(paths) > MAX_FILES:
        raise BadBackup(f"It contains {len(paths):,} files; at most {MAX_FILES:,} are restored")
    known = set(paths)
    if len(known) != len(paths):
        raise BadBackup("It contains a file twice")
    for path in paths:
        _check_path(path)
        if any(str(parent) in known for parent in PurePosixPath(path).parents):
            raise BadBackup(f"It contains {path!r}, and a file in the place of its folder")


def twin_of(path: str, names: dict[str, str]) -> str | None:
    """Return the earlier path that differs from this one, or from a folder of it, only in case or Unicode form.

    `names` collects the paths; folders count because `Notes/a` and `notes/b` would share one.
    """
    for part in (str(one) for one in (PurePosixPath(path), *PurePosixPath(path).parents)):
        known = names.setdefault(unicodedata.normalize("NFC", part).lower(), part)
        if known != part:
            return known
    return None


def _check_path(path: str) -> None:
    try:
        path.encode()
    except UnicodeEncodeError as error:
        raise BadBackup(f"It contains a name that is not valid text: {path!r}") from error
    place = PurePosixPath(path)
    is_plain = str(place) == path and not place.is_absolute() and ".." not in place.parts
    if not is_plain or "\0" in path or path == ".":
        raise BadBackup(f"It would write outside the workspace: {path!r}")


def _is_hidden(name: str) -> bool:
    """Return whether a name is hidden."""
    visible = _visible(name)
    return visible.startswith(".") or not visible.strip()


def _visible(name: str) -> str:
    """Return a name as a disk reads it that ignores invisible letters."""
    return "".join(letter for letter in name if unicodedata.category(letter) != "Cf")
