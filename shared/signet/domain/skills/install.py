"""Installing a skill, so that it is there whole or not at all (SK-13)."""

import errno
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from signet.domain.folders.private import find_places
from signet.domain.skills import files, place, sources
from signet.domain.skills.files import InvalidName
from signet.domain.skills.models import FILE
from signet.domain.skills.place import CannotCopy
from signet.errors import StorageFull
from signet.paths import Workspace

_NAME = re.compile(r"[A-Za-z0-9_.\-/@]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """A skill that is in its place now: its folder's name, and where it came from."""

    name: str
    source: str


class InstallFailed(CannotCopy):
    """The skill could not be installed."""

    def __init__(self, message: str | None = None, /, **facts: object) -> None:
        super().__init__(message, success=False, **facts)


def checked(name: str) -> str:
    """Return what may name a skill to install; raises InvalidName (SK-11)."""
    parts = name.split("/")
    if not _NAME.fullmatch(name) or name[0] in "/-" or ".." in parts or len(name) > 200:
        raise InvalidName()
    return name


def install(
    folder: Path,
    name: str,
    source: str | None = None,
    *,
    catalogs: Sequence[Path] = (),
    seconds: float = sources.SECONDS,
) -> Installed:
    """Put a skill into the folder of skills, in the place of one of that name, and say where it came from.

    `source` is a path or `owner/repo[@skill]`; without it the name is looked for in the catalogs. Raises InvalidName,
    StorageFull, or InstallFailed for what cannot be had from there; then nothing was changed.
    """
    wanted = source or checked(name)
    repo = None if sources.is_path(wanted) else sources.repository(wanted)
    last = _folder_name(checked(name), repo if source is None else None)
    try:
        with place.stage(folder) as staged:
            run = sources.run_for(seconds)
            if repo is not None:
                found, origin = sources.from_repository(*repo, staged, run), wanted
            elif source is not None:
                _check_public(folder, Path(source))
                found = sources.from_path(Path(source), last, staged)
                _check_public(folder, found)
                origin = str(Path(source).expanduser())
            else:
                found, origin = _named(last, catalogs, staged, run)
            place.put(staged, sources.taken(found, staged), folder / last)
    except InstallFailed:
        raise
    except CannotCopy as error:
        raise InstallFailed(error.message) from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS):
            raise StorageFull from error
        raise InstallFailed(f"cannot install '{last}': {error.strerror or error}") from error
    return Installed(name=last, source=origin)


def _check_public(folder: Path, source: Path) -> None:
    """Raise InstallFailed for a source in a private place (CON-11): agents read a skill with all its files."""
    places = find_places(Workspace(folder.parent))
    if reason := places.named_reason(os.path.realpath(source.expanduser())):
        raise InstallFailed(f"{source} cannot be installed: {reason}")


def _named(name: str, catalogs: Sequence[Path], staged: Path, run: sources.Run) -> tuple[Path, str]:
    for catalog in catalogs:
        if (catalog / name / FILE).is_file():
            return catalog / name, "catalog"
    return sources.from_program(name, staged, run), "npx skills"


def _folder_name(name: str, repo: tuple[str, str | None] | None) -> str:
    """Return the name of the folder: that of the skill in a repository, else of the repository, else the name's end."""
    last = (repo[1] or repo[0] if repo else name).rsplit("/", 1)[-1]
    last = last.rsplit("@", 1)[-1].removesuffix(".git")
    return files.checked(last)
