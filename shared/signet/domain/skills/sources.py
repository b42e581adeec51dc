"""Sources of skills (a folder or archive, a repository, a catalog, the `skills` program), and folders put in place.

Each source is copied to a temporary folder, in which the skill is searched. New files are written to a hidden folder
next to the old, so that a reader sees the old skill, the new one, or none, and never a part. `tidy` removes what a
killed process has left.
"""

import os
import re
import shutil
import stat
import subprocess
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from signet.domain.skills.models import FILE
from signet.errors import Kind, SignetError
from signet.process import group

#: Hidden, so that it is never taken for a skill.
_STAGE = ".stage-"
_OLD = "old"
#: No installation takes longer than this.
ABANDONED_SECONDS = 600.0

#: Most files of a skill: scripts and samples, not a virtual environment.
MAX_FILES = 2_000
MAX_TOTAL_BYTES = 50_000_000


class CannotCopy(SignetError, kind=Kind.INVALID, code="install_failed"):
    """A skill cannot be copied."""


@contextmanager
def stage(folder: Path) -> Iterator[Path]:
    """Create a hidden folder for preparing something; it is deleted afterwards."""
    folder.mkdir(parents=True, exist_ok=True)
    tidy(folder)
    made = Path(tempfile.mkdtemp(prefix=_STAGE, dir=folder))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def put_in_place(staged: Path, ready: Path, target: Path) -> None:
    """Move a prepared folder to its place; the former one is deleted with the stage."""
    if target.is_symlink():
        target.unlink()
    old = staged / _OLD / target.name
    had = target.exists()
    if had:
        old.parent.mkdir()
        target.rename(old)
    try:
        ready.rename(target)
    except OSError:
        if had:
            old.rename(target)
        raise


def discard(folder: Path, target: Path) -> None:
    """Remove a folder atomically; of a link only the link."""
    if target.is_symlink():
        target.unlink()
        return
    with stage(folder) as staged:
        target.rename(staged / target.name)


def tidy(folder: Path) -> None:
    """Remove remains of killed processes, and restore folders that they had moved away and not replaced."""
    long_ago = time.time() - ABANDONED_SECONDS
    for staged in folder.glob(f"{_STAGE}*"):
        with suppress(OSError):
            if staged.stat().st_ctime > long_ago:
                continue
            for old in (staged / _OLD).glob("*"):
                if not (folder / old.name).exists():
                    old.rename(folder / old.name)
        shutil.rmtree(staged, ignore_errors=True)


def copy(source: Path, target: Path) -> None:
    """Copy a folder without version-control data.

    Links that point inside stay links; raises CannotCopy for others, for special files, and for too much data.
    """
    root = source.resolve()
    count = total = 0
    target.mkdir()
    for at, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name.lower() != ".git"]
        made = target / Path(at).relative_to(root)
        for name in (*folders, *(name for name in files if name.lower() != ".git")):
            path = Path(at) / name
            count += 1
            total += path.lstat().st_size if path.is_file() else 0
            if count > MAX_FILES or total > MAX_TOTAL_BYTES:
                raise CannotCopy(
                    f"a skill may have at most {MAX_FILES} files and {MAX_TOTAL_BYTES // 1_000_000} MB"
                )
            if path.is_symlink():
                _check_link(root, path)
                (made / name).symlink_to(path.readlink())
            elif path.is_dir():
                (made / name).mkdir()
            elif path.is_file():
                shutil.copy2(path, made / name)
            else:
                raise CannotCopy(f"{path.relative_to(root)} is not a regular file")


def _check_link(root: Path, path: Path) -> None:
    leads_to = path.readlink()
    if leads_to.is_absolute() or not path.resolve().is_relative_to(root):
        raise CannotCopy(f"{path.relative_to(root)} is a link to outside the skill")


#: Time limit of programs that download (SK-13).
SECONDS = 60.0

_REPOSITORY = re.compile(r"(?P<repo>[\w.\-]+/[\w.\-]+)(?:@(?P<skill>[\w.\-]+))?", re.ASCII)
_ARCHIVES = (".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar", ".zip")
#: Maximum folder depth of a skill in a download.
_DEPTH = 5
_SAID_CHARS = 300

Run = Callable[[Sequence[str], Path, Mapping[str, str]], None]


def is_path(text: str) -> bool:
    return text.startswith(("/", "./", "../", "~")) or text in (".", "..") or is_archive(text)


def is_archive(text: str) -> bool:
    return text.lower().endswith(_ARCHIVES)


def stem(path: Path) -> str:
    ending = next((end for end in _ARCHIVES if path.name.lower().endswith(end)), "")
    return path.name[: len(path.name) - len(ending)]


def repository(text: str) -> tuple[str, str | None] | None:
    """Split `owner/repo[@skill]` into repository and skill; None for anything else."""
    found = _REPOSITORY.fullmatch(text)
    return (found["repo"], found["skill"]) if found else None


def from_path(path: Path, name: str, staged: Path) -> Path:
    """Return the skill in a local folder or archive; raises CannotCopy."""
    place = path.expanduser()
    if place.is_dir():
        return located(place, name)
    if not place.is_file():
        raise CannotCopy(f"{place} does not exist")
    unpacked = staged / "unpacked"
    unpacked.mkdir()
    try:
        _unpack(place, unpacked)
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError, KeyError, ValueError) as error:
        raise CannotCopy(f"{place.name} cannot be unpacked: {error}") from error
    return located(unpacked, name)


def from_repository(repo: str, inside: str | None, staged: Path, run: Run) -> Path:
    """Return a skill of a GitHub repository, fetched without history: the one named `inside`."""
    if shutil.which("git") is None:
        raise CannotCopy("git is needed to install from a repository, and is not installed")
    target = staged / "clone"
    arguments = ["git", "-c", "core.hooksPath=/dev/null", "clone", "--quiet", "--depth", "1"]
    arguments += ["--single-branch", "--no-tags", "--", f"https://github.com/{repo}.git"]
    run([*arguments, str(target)], staged, {"GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "true"})
    return located(target, inside, is_exact=inside is not None)


def from_program(name: str, staged: Path, run: Run) -> Path:
    """Return a skill that the `skills` program installs, in a temporary home.

    Only an installed program is run: a mistyped name must not fetch and run a stranger's program.
    """
    home = staged / "home"
    home.mkdir()
    more = {
        "HOME": str(home),
        "npm_config_fetch_retries": "0",
        "npm_config_update_notifier": "false",
    }
    try:
        run(["npx", "--no-install", "skills", "install", name], home, more)
    except (CannotCopy, OSError) as error:
        raise CannotCopy(
            f"no catalog of this machine has '{name}', and the skills program could not install it ({error});"
            " pass a folder, an archive or owner/repo@skill"
        ) from error
    return located(home, name, is_exact=True)


def located(root: Path, name: str | None, *, is_exact: bool = False) -> Path:
    """Return the skill folder below `root` with this name, or the only one. Raises CannotCopy.

    A root with a SKILL.md is the skill, unless one of this name is below it. `is_exact` accepts no other name.
    """
    found = _skills(root)
    named = [path for path in found if path.name == name and path != root]
    if named:
        return named[0]
    if not is_exact and (root in found or len(found) == 1):
        return found[0]
    if not found:
        raise CannotCopy(f"there is no {FILE} in the source")
    names = ", ".join(path.name for path in found[:10] if path != root) or "one without a folder"
    if is_exact:
        raise CannotCopy(f"the source has no skill '{name}', only: {names}")
    raise CannotCopy(f"the source has several skills: {names}; choose one with @name")


def run_for(seconds: float) -> Run:
    """Return a function that runs a program within `seconds`, and raises CannotCopy if it fails."""

    def run(arguments: Sequence[str], folder: Path, more: Mapping[str, str]) -> None:
        try:
            status, output = group.run(
                arguments, folder=folder, environ={**os.environ, **more}, seconds=seconds
            )
        except subprocess.TimeoutExpired as error:
            raise CannotCopy(f"{arguments[0]} took longer than {seconds:g} s") from error
        if status:
            first = next((line for line in output.splitlines() if line.strip()), "")
            shown = " ".join(first.split())[:_SAID_CHARS]
            raise CannotCopy(f"{arguments[0]} failed: {shown or status}")

    return run


def taken(found: Path, staged: Path) -> Path:
    """Copy a found skill to the stage; raises CannotCopy."""
    ready = staged / "ready"
    try:
        copy(found, ready)
    except OSError as error:
        raise CannotCopy(f"cannot copy {found.name}: {error.strerror or error}") from error
    return ready


def _skills(root: Path) -> list[Path]:
    """Return the folders with a SKILL.md, the nearest first; not those inside another skill, except the root."""
    found = []
    for at, folders, files in os.walk(root):
        here = Path(at)
        depth = len(here.relative_to(root).parts)
        folders[:] = sorted(name for name in folders if name not in (".git", "node_modules"))
        if depth >= _DEPTH:
            folders.clear()
        if FILE in files:
            found.append(here)
            if here != root:
                folders.clear()
    return sorted(found, key=lambda path: (len(path.parts), path))


def _unpack(archive: Path, target: Path) -> None:
    if archive.name.lower().endswith(".zip"):
        with zipfile.ZipFile(archive) as packed:
            _check_size([entry.file_size for entry in packed.infolist()])
            for entry in packed.infolist():
                made = Path(packed.extract(entry, target))
                if entry.external_attr >> 16 & stat.S_IXUSR and made.is_file():
                    made.chmod(0o755)
        return
    with tarfile.open(archive) as packed_tar:
        sizes = []
        for member in packed_tar:
            sizes.append(member.size)
            _check_size(sizes)
        _untar(packed_tar, target)


def _untar(packed: tarfile.TarFile, target: Path) -> None:
    """Extract files and folders, then links, so that nothing is written through a link.

    The standard library does that safely from Python 3.11.4 on; Debian 12 has 3.11.2.
    """
    links: list[tuple[Path, str]] = []
    for member in packed:
        place = target / member.name.lstrip("/")
        if ".." in place.parts:
            raise ValueError(f"{member.name} is outside the archive")
        if member.isdir():
            place.mkdir(parents=True, exist_ok=True)
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        if member.issym():
            links.append((place, member.linkname))
            continue
        content = packed.extractfile(member)
        if content is None:
            raise ValueError(f"{member.name} is no file")
        with content, place.open("wb") as made:
            shutil.copyfileobj(content, made)
        if member.mode & stat.S_IXUSR:
            place.chmod(0o755)
    for place, to in links:
        place.symlink_to(to)


def _check_size(sizes: Sequence[int]) -> None:
    if len(sizes) > MAX_FILES or sum(sizes) > MAX_TOTAL_BYTES:
        raise CannotCopy("the archive is too large for a skill")
