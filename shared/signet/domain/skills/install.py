"""Install skills: built-in ones, and those of catalogs and other sources."""

import errno
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from signet import resources
from signet.domain.folders.private import find_places
from signet.domain.skills import files, sources
from signet.domain.skills.files import InvalidName
from signet.domain.skills.models import FILE, SkillFile
from signet.domain.skills.sources import CannotCopy
from signet.errors import NotFound, SignetError, StorageFull
from signet.paths import Workspace, config_home


def builtin_folder() -> Path:
    return resources.template("skills")


def sync_builtin(skills: Path) -> list[str]:
    """Copy the product's skills into a folder; return the names of the changed ones.

    An existing one is replaced only if its SKILL.md has `builtin: true`; a person's own skill, an unreadable folder or
    a link never is.
    """
    changed = []
    for ours in files.every(builtin_folder()):
        if _is_wanted(skills, ours.name, ours.fingerprint):
            with sources.stage(skills) as staged:
                ready = sources.taken(ours.path.parent, staged)
                sources.put_in_place(staged, ready, skills / ours.name)
            changed.append(ours.name)
    return changed


def _is_wanted(skills: Path, name: str, fingerprint: str) -> bool:
    target = skills / name
    if target.is_symlink() or (target.exists() and not (target / FILE).is_file()):
        return False
    try:
        theirs = files.load(skills, name)
    except NotFound:
        return True
    except SignetError:
        return False
    return theirs.builtin and theirs.fingerprint != fingerprint


CATEGORIES = ("UI", "Security", "Data", "Knowledge", "Web", "Development", "Automation", "Other")
#: Weight of a star and of being verified, in installations.
STAR, VERIFIED = 200, 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogEntry:
    skill: SkillFile
    is_installed: bool

    @property
    def category(self) -> str:
        known = {name.lower(): name for name in CATEGORIES}
        return known.get((self.skill.category or "").lower(), "Other")

    @property
    def popularity(self) -> int:
        skill = self.skill
        return skill.installs + STAR * skill.stars + VERIFIED * skill.verified


def catalog_folders() -> list[Path]:
    named = os.environ.get("SIGNET_SKILL_CATALOG", "").split(os.pathsep)
    found = [Path(path).expanduser() for path in named if path.strip()]
    return [*found, config_home() / "skills", builtin_folder()]


def browse(skills: Path, catalogs: Sequence[Path]) -> list[CatalogEntry]:
    """Return the skills of the catalogs, the most popular first; of duplicates the first."""
    installed = files.identities(skills)
    found: dict[str, CatalogEntry] = {}
    for catalog in catalogs:
        for skill in files.every(catalog):
            entry = CatalogEntry(skill=skill, is_installed=skill.name in installed)
            found.setdefault(skill.name, entry)
    return sorted(found.values(), key=lambda entry: (-entry.popularity, entry.skill.name))


def search(skills: Path, catalogs: Sequence[Path], query: str) -> list[CatalogEntry]:
    """Return installed and catalog skills with every word of the query, installed ones first."""
    words = query.casefold().split()
    mine = [CatalogEntry(skill=s, is_installed=True) for s in files.every(skills)]
    known = {entry.skill.name for entry in mine}
    offered = [entry for entry in browse(skills, catalogs) if entry.skill.name not in known]
    return [entry for entry in (*mine, *offered) if _has_words(entry.skill, words)]


def short(number: int) -> str:
    """Return a count in short form: `950`, `1.2K`, `3.4M`."""
    for size, unit in ((1_000_000, "M"), (1_000, "K")):
        if number >= size:
            return f"{number / size:.1f}".removesuffix(".0") + unit
    return str(number)


def _has_words(skill: SkillFile, words: Sequence[str]) -> bool:
    text = " ".join((skill.name, skill.title, skill.description, *skill.triggers, *skill.tags))
    text = text.casefold()
    return all(word in text for word in words)


_NAME = re.compile(r"[A-Za-z0-9_.\-/@]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedSkill:
    """An installed skill: its folder's name, and its source."""

    name: str
    source: str


class InstallFailed(CannotCopy):
    def __init__(self, message: str | None = None, /, **facts: object) -> None:
        super().__init__(message, success=False, **facts)


def checked(name: str) -> str:
    """Return the name of a skill to install; raises InvalidName (SK-11)."""
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
) -> PlacedSkill:
    """Install a skill in place of one with its name, and return its source.

    `source` is a path or `owner/repo[@skill]`; without one the catalogs are searched. Raises InvalidName, StorageFull,
    or InstallFailed; then nothing was changed.
    """
    wanted = source or checked(name)
    repo = None if sources.is_path(wanted) else sources.repository(wanted)
    last = _folder_name(checked(name), repo if source is None else None)
    try:
        with sources.stage(folder) as staged:
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
            sources.put_in_place(staged, sources.taken(found, staged), folder / last)
    except InstallFailed:
        raise
    except CannotCopy as error:
        raise InstallFailed(error.message) from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS):
            raise StorageFull from error
        raise InstallFailed(f"cannot install '{last}': {error.strerror or error}") from error
    return PlacedSkill(name=last, source=origin)


def _check_public(folder: Path, source: Path) -> None:
    """Raise InstallFailed for a source in a private place (CON-11): agents read all files of a skill."""
    places = find_places(Workspace(folder.parent))
    if reason := places.named_reason(os.path.realpath(source.expanduser())):
        raise InstallFailed(f"{source} cannot be installed: {reason}")


def _named(name: str, catalogs: Sequence[Path], staged: Path, run: sources.Run) -> tuple[Path, str]:
    for catalog in catalogs:
        if (catalog / name / FILE).is_file():
            return catalog / name, "catalog"
    return sources.from_program(name, staged, run), "npx skills"


def _folder_name(name: str, repo: tuple[str, str | None] | None) -> str:
    last = (repo[1] or repo[0] if repo else name).rsplit("/", 1)[-1]
    last = last.rsplit("@", 1)[-1].removesuffix(".git")
    return files.checked(last)
