"""Find the repository that a folder belongs to, by reading a few files of git. No program is started.

A project is a repository, named by the resolved path of its main working tree in NFC. Linked worktrees, subfolders and
symbolic links belong to it; clones, submodules and folders outside of git are separate projects. The author of a folder
may have written anything into it, so a `.git` file counts only if the repository that it names points back to it, or
made it. A repository of another user counts for nothing. Every read is bounded. Loads little: hooks use it.
"""

import os
import re
import stat
import struct
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from signet.files import read_small

#: Most parents of a folder that are searched, and worktrees of a repository.
MOST_PARENTS, MOST_WORKTREES = 256, 100
#: Files of a folder that are searched in the index of a repository.
MOST_FILES = 256
#: Git writes the files of a new worktree in this time.
_MOMENT_SECONDS = 2
#: Commits that identify the repository of two folders, and bytes read for them at each end.
MOST_COMMITS, MOST_BYTES = 64, 32_768
_IS_WINDOWS = os.name == "nt"
_MACHINE_IDS = (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id"))

_URI = re.compile(r"(?:file|vscode-remote)://[^/]*(/.*)", re.DOTALL | re.IGNORECASE)
#: Editors write "/c:/work", too.
_DRIVE = re.compile(r"(?:[\\/]{2}\?[\\/]|/)?([A-Za-z]):[\\/](.*)", re.DOTALL)
_WSL_SHARE = re.compile(r"[\\/]{2}wsl(?:\.localhost|\$)[\\/][^\\/]+(.*)", re.DOTALL | re.IGNORECASE)
_MOUNTED_DRIVE = re.compile(r"/(?:mnt|cygdrive)/([A-Za-z])(?:/(.*))?", re.DOTALL)
_MSYS_DRIVE = re.compile(r"/([A-Za-z])(?:/(.*))?", re.DOTALL)
#: Where Claude Code and Codex make worktrees: below the repository, and by its name.
_CLAUDE = re.compile(r"(.+?)/\.claude/worktrees/[^/]+(?:/(.*))?", re.DOTALL)
_CLAUDE_BELOW = re.compile(r"^\.claude/worktrees/[^/]+(?:/|$)")
_CODEX = re.compile(r".+/\.codex/worktrees/[^/]+/([^/]+)(?:/(.*))?", re.DOTALL)

#: What Claude Code replaces in the name of the folder for a project.
_NO_NAME = re.compile(r"[^A-Za-z0-9]")

_HASH = re.compile(rb"\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b")
_REMOTE = re.compile(r'\s*\[\s*remote\s+"(.*)"\s*\]', re.IGNORECASE)
_SECTION = re.compile(r"\s*\[")
_SETTING = re.compile(r"(url|worktree)\s*+=\s*+(.*)", re.IGNORECASE)
_SCP = re.compile(r"(?:[^@/]+@)?([^:/@]+):(?!//)(.+)")
_URL = re.compile(
    r"(?:ssh|git|https?|git\+ssh)://(?:[^@/]*@)?([^/:]+)(?::\d+)?/(.+)", re.IGNORECASE
)


def is_within(folder: str, parents: Iterable[str]) -> bool:
    """Return whether a folder is one of these or below one, by name or through symbolic links; `~` is the home."""
    wanted = [Path(path(Path(one).expanduser())) for one in parents for path in _NAMES]
    here = [Path(path(folder)) for path in _NAMES]
    return any(one == place or one in place.parents for one in wanted for place in here)


#: How a folder is named: as given, and without symbolic links.
_NAMES = (os.path.normpath, os.path.realpath)


class ProjectPlace(NamedTuple):
    """The project of a folder, and the folder's path below its working tree, empty at the root.

    `root` is the main working tree, `tree` the one with the folder, `common` git's folder for all working trees; if
    `common` is outside of the main one, `apart` is its name. Outside of git, `root` is the folder itself and the others
    are empty.
    """

    project: str
    sub_path: str = ""
    root: str = ""
    tree: str = ""
    common: str = ""
    apart: str = ""

    @property
    def is_repository(self) -> bool:
        return bool(self.common)


#: The place of an unknown folder.
NOWHERE = ProjectPlace("")


class FolderEvidence(NamedTuple):
    """Evidence of a repository for another machine: the address of its remote, and some of its commits."""

    remote: str | None = None
    commits: tuple[str, ...] = ()


def spelled(named: str) -> str:
    """Return the one spelling of a path or URI on Windows, in WSL and in Git Bash, in NFC; another name stays. Pure."""
    text = unicodedata.normalize("NFC", named.strip())
    if uri := _URI.fullmatch(text):
        from urllib.parse import unquote  # most hooks need none

        text = unquote(uri[1])
    if share := _WSL_SHARE.fullmatch(text):
        text = share[1].replace("\\", "/") or "/"
    drives = (_DRIVE, _MOUNTED_DRIVE, _MSYS_DRIVE) if _IS_WINDOWS else (_DRIVE,)
    drive = next((found for one in drives if (found := one.fullmatch(text))), None)
    if drive:
        below = (drive[2] or "").replace("\\", "/")
        text = f"{drive[1].upper()}:/{below}" if _IS_WINDOWS else f"/mnt/{drive[1].lower()}/{below}"
    if not _is_absolute(text):
        return text.rstrip("/") or text
    return os.path.normpath(text) if _IS_WINDOWS else "/" + os.path.normpath(text).lstrip("/")


def is_on_drive(path: str) -> bool:
    """Return whether a spelled path is on a drive of Windows. Pure."""
    return any(one.fullmatch(path) for one in (_MOUNTED_DRIVE, _DRIVE))


def locate(named: str) -> ProjectPlace:
    """Return the place of a folder, even if deleted; reads the disk. A name that is not a path is its own project."""
    path = spelled(named)
    try:
        real = _real(path) if _is_absolute(path) else ""
    except (OSError, ValueError):  # no file can have that name
        real = ""
    if not real:
        return ProjectPlace(path, root=path)
    folders = (real, *_parents(real))
    owner = next(filter(None, map(_stat, folders)), None)
    users = {owner.st_uid, _user()} if owner else set[int]()
    for folder in folders:
        if found := _tree(folder, users):
            below = _CLAUDE_BELOW.sub("", _below(_name(real), _name(folder)), count=1)
            root, common = found
            apart = "" if common == root or _is_below(common, root) else _name(common)
            return ProjectPlace(_name(root), below, root, folder, common, apart)
    if shape := _CLAUDE.fullmatch(_slashed(real)):
        base = locate(shape[1])
        return base._replace(sub_path=shape[2] or "")
    return ProjectPlace(_name(real), root=real)


def may_name(named: str, project: str) -> bool:
    """Return whether a name can only mean a project by its form: a worktree of Codex, or Claude Code's folder. Pure."""
    if named.startswith("-"):
        return named == _NO_NAME.sub("-", project)
    shape = _CODEX.fullmatch(_slashed(named))
    return shape is not None and shape[1] == Path(project).name


def worktrees(place: ProjectPlace) -> list[str]:
    """Return the linked worktrees that a repository lists, including those with deleted folders."""
    try:
        with os.scandir(Path(place.common, "worktrees")) as entries:
            names = sorted(one.path for one, _ in zip(entries, range(MOST_WORKTREES), strict=False))
    except OSError:
        return []
    back = ((one, _line(Path(one, "gitdir"))) for one in names)
    trees = (_dirname(os.path.realpath(_join(one, said))) for one, said in back if said)
    return [_name(one) for one in trees]


def evidence(place: ProjectPlace) -> FolderEvidence:
    """Return the evidence that identifies a repository on another machine; empty for a folder outside of git."""
    if not place.common:
        return FolderEvidence()
    found: dict[bytes, None] = {}
    for name in ("logs/HEAD", "HEAD", "packed-refs"):
        for part in _ends(Path(place.common, name)):
            found |= dict.fromkeys(_HASH.findall(part))
    head = _line(Path(place.common, "HEAD")).removeprefix("ref:").strip()
    if head.startswith("refs/") and ".." not in head:
        found |= dict.fromkeys(_HASH.findall(_line(Path(place.common, head)).encode()))
    commits = [one.decode() for one in found if one.strip(b"0")]
    half = MOST_COMMITS // 2
    kept = commits if len(commits) <= MOST_COMMITS else commits[:half] + commits[-half:]
    return FolderEvidence(remote_name(_remote(place.common)), tuple(kept))


def remote_name(address: str) -> str | None:
    """Return a remote in the form that all its addresses share; None for a folder of this machine. Pure."""
    found = _URL.fullmatch(address.strip()) or _SCP.fullmatch(address.strip())
    if found is None or (len(found[1]) == 1 and _DRIVE.match(address)):
        return None
    path = found[2].strip("/").removesuffix(".git").rstrip("/")
    return f"{found[1].lower()}/{path}" if path else None


@cache
def machine() -> str:
    """Return a constant name for this machine and home, made of their hash."""
    import socket
    from hashlib import sha256  # most hooks need neither

    ids = (read_small(path) for path in _MACHINE_IDS)
    found = next(filter(None, ids), None) or socket.gethostname().encode()
    return sha256(b"signet:" + found.strip() + os.fsencode(Path.home())).hexdigest()[:16]


def described(named: str) -> dict[str, object]:
    """Describe a folder for a daemon on another machine, which cannot read it."""
    place = locate(named)
    found = evidence(place)
    return {
        "machine": machine(),
        "root": spelled(place.root),
        "tree": spelled(place.tree) if place.tree else "",
        "subPath": place.sub_path,
        "isRepository": place.is_repository,
        "remote": found.remote,
        "commits": list(found.commits),
    }


def _tree(folder: str, users: set[int]) -> tuple[str, str] | None:
    """Return the main working tree and the shared folder of git, where a working tree of these users begins here."""
    entry = _join(folder, ".git")
    there = _stat(entry)
    if there is None or there.st_uid not in users:
        return None
    if stat.S_ISDIR(there.st_mode):
        return (folder, entry) if _is_git_folder(entry) else None
    target = _git_of(folder)
    if target == os.path.realpath(entry):
        return None
    common = _common_of(target, entry)
    if common:
        return _main_tree(common), common
    # A submodule, or a repository that does not point back: it is itself, whatever it claims to be a part of.
    is_own = _is_git_folder(target) and (
        _is_below(target, folder)
        or _tree_named_by(target) == os.path.realpath(folder)
        or _has_files_of(target, folder)
    )
    return folder, target if is_own else entry


def _common_of(target: str, entry: str) -> str | None:
    """Return the shared folder of git of a linked worktree whose repository lists it, None for any other."""
    said, back = _line(Path(target, "commondir")), _line(Path(target, "gitdir"))
    if not (said and back):
        return None
    common = os.path.realpath(_join(target, said))
    is_listed = _dirname(target) == _join(common, "worktrees")
    named = os.path.realpath(_join(target, back))
    points_back = named == os.path.realpath(entry) or (
        _stat(named) is None and _are_of_one_moment(entry, _join(target, "commondir"))
    )
    return common if is_listed and points_back and _is_git_folder(common) else None


def _are_of_one_moment(one: str, other: str) -> bool:
    """Return whether two files changed last in the same seconds, as those that git writes for a new worktree.

    `mv` keeps that time, and no archive or copy can bring it. Git itself corrects its path after a day.
    """
    found = [there.st_ctime for path in (one, other) if (there := _stat(path))]
    return len(found) == 2 and abs(found[0] - found[1]) <= _MOMENT_SECONDS


def _main_tree(common: str) -> str:
    trees = filter(None, (_dirname(common), _tree_named_by(common)))
    return next((one for one in trees if _git_of(one) == common), common)


def _git_of(tree: str) -> str:
    said = _line(Path(tree, ".git"))
    is_named = said.startswith("gitdir:")
    return os.path.realpath(_join(tree, said[7:].strip() if is_named else ".git"))


def _has_files_of(git_folder: str, tree: str) -> bool:
    """Return whether the index of a repository has a file of this folder, by its times and inode.

    Nothing else tells where the tree is after `git init --separate-git-dir`. No copy keeps these numbers.
    """
    try:
        with os.scandir(tree) as entries:
            files = [one.stat() for one, _ in zip(entries, range(MOST_FILES), strict=False)]
    except OSError:
        return False
    index, second = b"".join(_ends(Path(git_folder, "index"))), 10**9
    found = (
        (*divmod(one.st_ctime_ns, second), *divmod(one.st_mtime_ns, second), one.st_dev, one.st_ino)
        for one in files
    )
    return any(struct.pack(">6I", *(part & 0xFFFFFFFF for part in one)) in index for one in found)


def _tree_named_by(git_folder: str) -> str:
    said = next((value for key, value, _ in _settings(git_folder) if key == "worktree"), "")
    return os.path.realpath(_join(git_folder, said)) if said else ""


def _remote(git_folder: str) -> str:
    named = {remote: value for key, value, remote in _settings(git_folder) if key == "url"}
    return named.get("origin") or next(iter(named.values()), "")


def _settings(git_folder: str) -> Iterator[tuple[str, str, str]]:
    """Yield the addresses of remotes and the working tree in a repository's settings: key, value, remote."""
    remote = ""
    text = (read_small(Path(git_folder, "config")) or b"").decode("utf-8", "replace")
    for line in text.split("\n"):
        if _SECTION.match(line):
            named = _REMOTE.match(line)
            remote = named[1] if named else ""
        elif (found := _SETTING.fullmatch(line.strip())) and (
            remote or found[1].lower() == "worktree"
        ):
            yield found[1].lower(), found[2].strip('"'), remote


def _is_git_folder(path: str) -> bool:
    head = _line(Path(path, "HEAD"))
    is_head = head.startswith("ref:") or _HASH.fullmatch(head.encode()) is not None
    return is_head and all(_is_folder(_join(path, one)) for one in ("objects", "refs"))


def _is_folder(path: str) -> bool:
    found = _stat(path)
    return found is not None and stat.S_ISDIR(found.st_mode)


def _line(path: Path) -> str:
    return (read_small(path) or b"").decode("utf-8", "surrogateescape").partition("\n")[0].strip()


def _ends(path: Path) -> Iterator[bytes]:
    """Yield the beginning and the end of a regular file."""
    if not (found := _stat(str(path))) or not stat.S_ISREG(found.st_mode):
        return
    try:
        with path.open("rb") as file:
            yield file.read(MOST_BYTES)
            if found.st_size > 2 * MOST_BYTES:
                file.seek(-MOST_BYTES, os.SEEK_END)
            yield file.read(MOST_BYTES)
    except OSError:
        return


def _real(path: str) -> str:
    """Return a path without links; each name counts in another Unicode form too, where only that exists."""
    if path.isascii() or _stat(path):
        return os.path.realpath(path)
    found = ""
    for name in path.split("/"):
        forms = (_join(found, one) if found else one + "/" for one in _forms(name))
        found = next(filter(_stat, forms), f"{found.rstrip('/')}/{name}")
    return os.path.realpath(found)


def _forms(name: str) -> tuple[str, str]:
    return name, unicodedata.normalize("NFD", name)


def _name(path: str) -> str:
    return unicodedata.normalize("NFC", path)


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)  # noqa: PTH116
    except (OSError, ValueError):
        return None


def _user() -> int:
    return os.geteuid() if hasattr(os, "geteuid") else 0


def _parents(path: str) -> list[str]:
    return [str(one) for one in Path(path).parents][:MOST_PARENTS]


def _below(path: str, folder: str) -> str:
    sub_path = "" if path == folder else os.path.relpath(path, folder)
    return sub_path.replace("\\", "/") if _IS_WINDOWS else sub_path


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(os.path.realpath(folder).rstrip(os.sep) + os.sep)


def _join(folder: str, name: str) -> str:
    return os.path.join(folder, name)  # noqa: PTH118


def _dirname(path: str) -> str:
    return os.path.dirname(path)  # noqa: PTH120


def _slashed(path: str) -> str:
    return path.replace("\\", "/") if _IS_WINDOWS else path


def _is_absolute(path: str) -> bool:
    return path.startswith("/") or (_IS_WINDOWS and _DRIVE.match(path) is not None)
