"""The skills of the workspace as links in a harness's folder of skills (HN-32).

A folder of the same name is never touched. A link is replaced, and what it led to is remembered.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from signet.domain.harnesses.records import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link that changes: None is one that is not there."""

    path: Path
    earlier: str | None
    later: str | None


def planned(folder: Path, skills: Path, record: Record, *, mends: bool = False) -> list[Link]:
    """Return the links to make and replace, and those that lead to skills that are gone.

    Mending links skills that are new, and none whose link a person has taken away.
    """
    found = []
    for skill in _folders(skills):
        path = folder / skill.name
        earlier = _target(path)
        if mends and str(path) in record.links and earlier != str(skill):
            continue
        if earlier == str(skill) or (earlier is None and os.path.lexists(path)):
            continue
        found.append(Link(path=path, earlier=earlier, later=str(skill)))
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        earlier = _target(path)
        if earlier is not None and Path(earlier).parent == skills and not path.exists():
            found.append(Link(path=path, earlier=earlier, later=None))
    return found


def undone(folder: Path, skills: Path, record: Record) -> list[Link]:
    """Return the links to take away or lead back; without a record of them all that lead into the workspace."""
    found = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        target = _target(path)
        is_ours = str(path) in record.links or not record.is_installed
        if target is not None and Path(target).parent == skills and is_ours:
            back = record.links.get(str(path))
            found.append(Link(path=path, earlier=target, later=back))
    return found


def note(links: list[Link], skills: Path, record: Record) -> None:
    """Remember what the links led to before we changed them."""
    for link in links:
        theirs = link.earlier is not None and Path(link.earlier).parent != skills
        record.links.setdefault(str(link.path), link.earlier if theirs else None)


def apply(links: list[Link]) -> None:
    """Make the changes, each in one step."""
    for link in links:
        if link.later is None:
            link.path.unlink(missing_ok=True)
            continue
        part = link.path.with_name(f".{link.path.name}.signet")
        part.unlink(missing_ok=True)
        part.symlink_to(link.later)
        part.replace(link.path)


def _folders(skills: Path) -> list[Path]:
    if not skills.is_dir():
        return []
    return [one for one in sorted(skills.iterdir()) if one.is_dir() and one.name[0] != "."]


def _target(path: Path) -> str | None:
    return str(path.readlink()) if path.is_symlink() else None
