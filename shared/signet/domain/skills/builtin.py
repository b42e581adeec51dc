"""The skills that come with the product."""

from pathlib import Path

from signet import resources
from signet.domain.skills import files, place, sources
from signet.domain.skills.models import FILE
from signet.errors import NotFound, SignetError


def folder() -> Path:
    """Return the folder that holds them."""
    return resources.template("skills")


def sync(skills: Path) -> list[str]:
    """Copy the product's skills into a folder of skills; return the names of those that changed.

    One of the same name is replaced only when its SKILL.md says `builtin: true`: a person's own skill is never
    touched, nor a folder or link that is no readable skill.
    """
    changed = []
    for ours in files.every(folder()):
        if _is_wanted(skills, ours.name, ours.fingerprint):
            with place.stage(skills) as staged:
                ready = sources.taken(ours.path.parent, staged)
                place.put(staged, ready, skills / ours.name)
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
