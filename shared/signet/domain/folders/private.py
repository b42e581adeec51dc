"""Private places that are never read, also through mounts."""

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import NamedTuple

from signet.config.manifest import NAMES
from signet.files import identity_of
from signet.paths import Workspace, config_home

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
    """Return the mounts in the name space of this process; empty if the kernel has no such table."""
    try:
        lines = _TABLE.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return []
    rows = [line.split(" ") for line in lines]
    return [Mount(row[2], _plain(row[3]), _plain(row[4])) for row in rows if len(row) > 4]


def _plain(text: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 8)), text)


def _joined(folder: str, relative: str) -> str:
    return folder if relative == "." else os.path.join(folder, relative)  # noqa: PTH118


def _is_same(one: str, other: str) -> bool:
    try:
        return os.path.samestat(os.stat(one), os.stat(other))  # noqa: PTH116
    except OSError:
        return False


#: Names of folders that hold keys or passwords; nothing is read from them, even if the user names the folder.
_KEYS = frozenset(
    ".daemon .secrets .ssh .gnupg .aws .azure .kube .docker .password-store .mozilla keyrings appdata".split()
)
_SYSTEM = (
    *("/boot", "/dev", "/etc", "/proc", "/run/credentials", "/run/secrets", "/run/user", "/sys"),
    *("/var/spool", "/private/etc", "/private/var/db", "/private/var/root"),
)
#: Folders of programs in a home that have no hidden name. (Documents in iCloud lie in `Library/Mobile Documents`.)
_PROGRAMS = ("snap",)
_PROGRAMS_MAC = tuple(
    f"Library/{name}"
    for name in (
        *("Accounts", "Application Support", "Containers", "Cookies", "Group Containers"),
        *("Keychains", "Mail", "Messages", "Preferences", "Safari"),
    )
)
#: Variables that name folders with settings, keys or sessions.
_VARIABLES = (
    *("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GNUPGHOME", "PASSWORD_STORE_DIR"),
    *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME"),
)
#: Files that identify a folder, even if it was moved or copied.
_MARKS = {
    ".daemon": "a Signet workspace",
    ".gpg-id": "a password store",
    "key4.db": "a browser profile",
    "Local State": "a browser profile",
}

_Id = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Places:
    """The private places that exist now.

    `inside` maps the identity of each place to its description, `above` that of each folder which contains one.
    """

    workspace: str
    inside: Mapping[_Id | None, str]
    above: Mapping[_Id | None, str]
    mounts: Sequence[Mount]

    def folder_reason(self, path: str) -> str | None:
        """Return why a folder must not be read with all its files, None if it may be."""
        return self.above.get(identity_of(path)) or self.reason(path)

    def file_reason(self, path: str) -> str | None:
        """Return why a file must not be read, None if it may be."""
        return f"{PurePath(path).name} holds settings" if is_settings(path) else self.reason(path)

    def named_reason(self, path: str) -> str | None:
        """Return why a folder or file that the user named on the command line must not be read.

        Hidden folders are allowed there, keys and whole homes are not.
        """
        if above := self.above.get(identity_of(path)):
            return above
        for one in self._paths(path):
            if key := next(
                (part for part in PurePath(one).parts if part.casefold() in _KEYS), None
            ):
                return f"{key} holds keys"
        return None

    def reason(self, path: str) -> str | None:
        """Return why a folder or file lies in a private place, None if it does not."""
        return next(filter(None, map(self._reason, self._paths(path))), None)

    def _paths(self, path: str) -> list[str]:
        return [path, *aliases(path, self.mounts)]

    def _reason(self, path: str) -> str | None:
        own = is_below(path, self.workspace)
        shown = os.path.relpath(path, self.workspace) if own else path
        parts = [part for part in PurePath(shown).parts if part not in (".", "..")]
        if hidden := next((part for part in parts if part.startswith(".")), None):
            return f"{hidden} is hidden"
        if key := next((part for part in parts if part.casefold() in _KEYS), None):
            return f"{key} holds keys"
        for folder in (path, *map(str, PurePath(path).parents)):
            if folder == self.workspace:
                break
            if place := self.inside.get(identity_of(folder)):
                return place
            if kind := mark_of(folder):
                return f"{folder} is {kind}"
        return None


def find_places(workspace: Workspace) -> Places:
    inside: dict[_Id | None, str] = {}
    above: dict[_Id | None, str] = {}
    own = os.path.realpath(workspace.root)
    home = os.path.realpath(Path.home())
    for place, description in (
        (home, "it is your home folder"),
        (own, "it is the Signet workspace"),
    ):
        above[identity_of(place)] = description
        _add_above(above, place)
    for private, description in _private(workspace, home):
        real = os.path.realpath(private)
        if identity := identity_of(real):
            inside.setdefault(identity, description)
            _add_above(above, real)
    above.pop(None, None)
    return Places(workspace=own, inside=inside, above=above, mounts=mounted())


def is_settings(path: str) -> bool:
    """Return whether a file has a name of Signet's settings file."""
    return path.rpartition("/")[2] in NAMES


def mark_of(folder: str) -> str | None:
    """Return the kind of private folder that its files show, such as "a browser profile"."""
    found = (kind for name, kind in _MARKS.items() if os.path.lexists(f"{folder}/{name}"))
    return next(found, None)


def _private(workspace: Workspace, home: str) -> Iterator[tuple[str | Path, str]]:
    for system in _SYSTEM:
        yield system, f"{system} belongs to the system"
    for name in (*_PROGRAMS, *(_PROGRAMS_MAC if sys.platform == "darwin" else ())):
        yield f"{home}/{name}", f"~/{name} holds the data of programs"
    for variable in _VARIABLES:
        if value := os.environ.get(variable):
            yield value, f"{variable} names it as a folder of programs"
    yield config_home(), "Signet keeps its settings there"
    yield workspace.runtime_dir, "Signet runs there"
    # Versions with tool servers stored their keys in `marketplace`.
    for own in (workspace.daemon_dir, workspace.secrets_dir, workspace.root / "marketplace"):
        yield own, f"{own.name} is a private part of the Signet workspace"
    for end in ("", "-wal", "-shm", "-journal"):
        yield f"{workspace.database}{end}", "it is the Signet database"


def _add_above(above: dict[_Id | None, str], place: str) -> None:
    for parent in PurePath(place).parents:
        above.setdefault(identity_of(str(parent)), f"it contains {place}")
