"""What could be installed without any network: the skills of catalog folders of this machine.

A catalog is a folder of skills. `SIGNET_SKILL_CATALOG` names some (colons between), `$XDG_CONFIG_HOME/signet/skills`
is one, and so are the product's own. Front matter may hold `category`, `installs` and `stars`.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from signet.domain.skills import builtin, files
from signet.domain.skills.models import Skill
from signet.paths import config_home

CATEGORIES = ("UI", "Security", "Data", "Knowledge", "Web", "Development", "Automation", "Other")
#: What a star and being verified are worth, in installations.
STAR, VERIFIED = 200, 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One skill of a catalog, or one that is installed."""

    skill: Skill
    is_installed: bool

    @property
    def category(self) -> str:
        """Return one of the categories."""
        known = {name.lower(): name for name in CATEGORIES}
        return known.get((self.skill.category or "").lower(), "Other")

    @property
    def popularity(self) -> int:
        """Return what entries are ordered by."""
        skill = self.skill
        return skill.installs + STAR * skill.stars + VERIFIED * skill.verified


def folders() -> list[Path]:
    """Return the catalogs in the order in which a name is looked for."""
    named = os.environ.get("SIGNET_SKILL_CATALOG", "").split(os.pathsep)
    found = [Path(path).expanduser() for path in named if path.strip()]
    return [*found, config_home() / "skills", builtin.folder()]


def browse(skills: Path, catalogs: Sequence[Path]) -> list[Entry]:
    """Return what the catalogs offer, the most popular first; of a name that stands twice, the first."""
    installed = files.identities(skills)
    found: dict[str, Entry] = {}
    for catalog in catalogs:
        for skill in files.every(catalog):
            entry = Entry(skill=skill, is_installed=skill.name in installed)
            found.setdefault(skill.name, entry)
    return sorted(found.values(), key=lambda entry: (-entry.popularity, entry.skill.name))


def search(skills: Path, catalogs: Sequence[Path], query: str) -> list[Entry]:
    """Return installed skills and those of catalogs that hold every word of the query, installed ones first."""
    words = query.casefold().split()
    mine = [Entry(skill=s, is_installed=True) for s in files.every(skills)]
    known = {entry.skill.name for entry in mine}
    offered = [entry for entry in browse(skills, catalogs) if entry.skill.name not in known]
    return [entry for entry in (*mine, *offered) if _holds(entry.skill, words)]


def short(number: int) -> str:
    """Return a count as it is shown: `950`, `1.2K`, `3.4M`."""
    for size, unit in ((1_000_000, "M"), (1_000, "K")):
        if number >= size:
            return f"{number / size:.1f}".removesuffix(".0") + unit
    return str(number)


def _holds(skill: Skill, words: Sequence[str]) -> bool:
    text = " ".join((skill.name, skill.title, skill.description, *skill.triggers, *skill.tags))
    text = text.casefold()
    return all(word in text for word in words)
