"""Change the files of a harness atomically, and together as far as possible.

Connecting adds all our entries, at the person's request. Mending is the daemon's automatic update, and it restores
nothing that a person removed: a missing file stays missing, a file that is exactly as we left it is written as
connecting would write it today, and in a file that was edited since only our remaining entries are updated.

All changes are computed first; a file that does not parse stops the installation before anything is written. Then, for
each file: a copy next to it before our first change, the record that undoes it, the file. A process that is killed in
between leaves whole files, and the next run finishes the work.
"""

import difflib
import os
import shutil
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from signet.domain.harnesses import instructions, records
from signet.domain.harnesses.jsonedit import ConfigUnreadable
from signet.domain.harnesses.models import FilePatch
from signet.domain.harnesses.records import Record, Undo
from signet.errors import Conflict
from signet.files import replace_file
from signet.paths import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillLink:
    """A change of a link; None is a missing one."""

    path: Path
    earlier: str | None
    later: str | None


def planned_links(
    folder: Path, skills: Path, record: Record, *, mends: bool = False
) -> list[SkillLink]:
    """Return the links to make and replace, and those to deleted skills.

    Mending links new skills, and none whose link a person has removed.
    """
    found = []
    for skill in _skill_folders(skills):
        path = folder / skill.name
        earlier = _link_target(path)
        if mends and str(path) in record.links and earlier != str(skill):
            continue
        if earlier == str(skill) or (earlier is None and os.path.lexists(path)):
            continue
        found.append(SkillLink(path=path, earlier=earlier, later=str(skill)))
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        earlier = _link_target(path)
        if earlier is not None and Path(earlier).parent == skills and not path.exists():
            found.append(SkillLink(path=path, earlier=earlier, later=None))
    return found


def undone_links(folder: Path, skills: Path, record: Record) -> list[SkillLink]:
    """Return the links to remove or restore; without a record, all that lead into the workspace."""
    found = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        target = _link_target(path)
        is_ours = str(path) in record.links or not record.is_installed
        if target is not None and Path(target).parent == skills and is_ours:
            back = record.links.get(str(path))
            found.append(SkillLink(path=path, earlier=target, later=back))
    return found


def note_links(links: list[SkillLink], skills: Path, record: Record) -> None:
    """Record the targets of the links before our change."""
    for link in links:
        theirs = link.earlier is not None and Path(link.earlier).parent != skills
        record.links.setdefault(str(link.path), link.earlier if theirs else None)


def apply_links(links: list[SkillLink]) -> None:
    """Make each change atomically."""
    for link in links:
        if link.later is None:
            link.path.unlink(missing_ok=True)
            continue
        part = link.path.with_name(f".{link.path.name}.signet")
        part.unlink(missing_ok=True)
        part.symlink_to(link.later)
        part.replace(link.path)


def _skill_folders(skills: Path) -> list[Path]:
    if not skills.is_dir():
        return []
    return [one for one in sorted(skills.iterdir()) if one.is_dir() and one.name[0] != "."]


def _link_target(path: Path) -> str | None:
    return str(path.readlink()) if path.is_symlink() else None


_NO_NEWLINE = r"\ No newline at end of file"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """A change of a file; None is a missing file."""

    path: Path
    earlier: str | None
    later: str | None
    #: Whether the present file is not ours, so that it is copied first.
    is_copied: bool
    #: The record that is written before the change.
    undo: Undo | None


def planned(
    patches: Iterable[FilePatch], record: Record, *, mends: bool = False
) -> list[FileChange]:
    """Return the changes of connecting, or those of mending.

    Raises ConfigUnreadable with the path of a file that cannot be read.
    """
    found = []
    for patch in patches:
        kept = record.files.get(str(patch.path))
        earlier = _text(patch.path)
        if mends and (patch.is_final or earlier is None):
            continue
        is_left = earlier is not None and kept is not None and kept.is_of(earlier.encode())
        is_generated = earlier is not None and instructions.is_generated(earlier)
        if mends and not (is_left or is_generated):
            if kept is not None and patch.content is None:
                found += _renewed(patch, earlier or "", record)
            continue
        with _named(patch.path):
            later = (
                patch.content if patch.content is not None else patch.put(_or_empty(earlier, patch))
            )
        if later == earlier and not is_generated:
            continue
        if patch.is_final:
            found.append(_change(patch, earlier, later, is_copied=True))
            continue
        with _named(patch.path):
            base = _base(patch, earlier, record)
            # From the user's text, so that entries of older versions of us are removed.
            if patch.content is None:
                later = patch.put(_or_empty(base, patch))
            before = patch.before(_or_empty(base, patch))
        if later == earlier:
            continue
        assert later is not None
        theirs = earlier is not None and not is_generated and _is_theirs(patch, earlier, record)
        undo = records.undo(base, later, before)
        found.append(_change(patch, earlier, later, is_copied=theirs, undo=undo))
    return found


def _renewed(patch: FilePatch, earlier: str, record: Record) -> list[FileChange]:
    """Return the change that updates our remaining entries in a file that was edited since."""
    before = record.files[str(patch.path)].before
    with _named(patch.path):
        if patch.take(earlier, {}) == earlier:
            return []  # no entry of ours is left
        later = patch.renew(earlier) if patch.renew is not None else patch.put(earlier)
    if later is None or later == earlier:
        return []
    base = _base(patch, earlier, record)
    return [_change(patch, earlier, later, is_copied=False, undo=records.undo(base, later, before))]


def undone(patches: Sequence[FilePatch], record: Record) -> tuple[list[FileChange], dict[str, str]]:
    """Return the changes of disconnecting, and the files that do not parse and stay, each with its error."""
    found: list[FileChange] = []
    refused: dict[str, str] = {}
    for patch in patches:
        try:
            with _named(patch.path):
                earlier = _text(patch.path)
                if earlier is None:
                    continue
                later = _base(patch, earlier, record)
        except ConfigUnreadable as error:
            refused[str(patch.path)] = error.message
            continue
        if later != earlier:
            known = str(patch.path) in record.files
            copied = patch.content is not None and known and _is_theirs(patch, earlier, record)
            found.append(_change(patch, earlier, later, is_copied=copied))
    return found, refused


def _base(patch: FilePatch, earlier: str | None, record: Record) -> str | None:
    """Return the file without our changes; None if it would not exist."""
    kept = record.files.get(str(patch.path))
    if earlier is None:
        return None
    if instructions.is_generated(earlier):
        return None
    if kept is not None and kept.is_of(earlier.encode()):
        return kept.earlier(earlier) if kept.was_there else None
    if patch.content is not None:
        # The file from before us was restored, or somebody wrote it since.
        is_theirs = kept.was_there if kept is not None else earlier != patch.content
        return earlier if is_theirs else None
    if not earlier.strip():
        return earlier
    left = patch.take(earlier, kept.before if kept else {})
    is_new = kept is not None and not kept.was_there
    return None if is_new and left.split() in ([], ["{}"], ["{", "}"]) else left


def _or_empty(text: str | None, patch: FilePatch) -> str:
    return text if text is not None and text.strip() else patch.empty


def _change(
    patch: FilePatch,
    earlier: str | None,
    later: str | None,
    *,
    is_copied: bool,
    undo: Undo | None = None,
) -> FileChange:
    return FileChange(path=patch.path, earlier=earlier, later=later, is_copied=is_copied, undo=undo)


def _is_theirs(patch: FilePatch, earlier: str, record: Record) -> bool:
    kept = record.files.get(str(patch.path))
    return kept is None or (patch.content is not None and not kept.is_of(earlier.encode()))


def apply(
    workspace: Workspace, harness: str, changes: Iterable[FileChange], record: Record
) -> list[str]:
    """Make the changes, each after its record; return the copies that were made next to the files.

    Raises Conflict when one of the files was changed meanwhile.
    """
    copies = []
    for change in changes:
        path = _checked(change)
        if change.is_copied:
            copies.append(copy(path, f"{path.name}.bak"))
            record.copies[copies[-1]] = str(change.path)
        if change.later is not None:
            make_folder(path.parent, record)
            if change.undo is not None:
                record.files[str(change.path)] = change.undo
        records.write(workspace, harness, record)
        _write(change, path)
    return copies


def restore(changes: Iterable[FileChange]) -> None:
    """Make the changes of disconnecting; the caller updates the record when all is done."""
    for change in changes:
        path = _checked(change)
        if change.is_copied:
            copy(path, f"{path.name}.bak")
        _write(change, path)


def drop_copies(record: Record, refused: Container[str]) -> None:
    """Delete the copies of files that were restored, except for refused files."""
    for made, path in record.copies.items():
        if path not in refused:
            Path(made).unlink(missing_ok=True)


def _write(change: FileChange, path: Path) -> None:
    if change.later is None:
        path.unlink(missing_ok=True)
    else:
        replace_file(path, change.later.encode())


def take_back(changes: Iterable[FileChange], copies: Iterable[str], record: Record) -> None:
    """Undo changes that were just made, with their copies and folders."""
    for change in changes:
        path = change.path.resolve()
        if change.earlier is None:
            path.unlink(missing_ok=True)
        else:
            replace_file(path, change.earlier.encode())
    for copied in copies:
        Path(copied).unlink(missing_ok=True)
    remove_folders(record)


def diff(changes: Iterable[FileChange]) -> str:
    parts: list[str] = []
    for change in changes:
        earlier, later = (
            (text or "").splitlines(keepends=True) for text in (change.earlier, change.later)
        )
        from_file = "/dev/null" if change.earlier is None else str(change.path)
        to_file = "/dev/null" if change.later is None else str(change.path)
        for line in difflib.unified_diff(earlier, later, from_file, to_file):
            parts.append(line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}\n")
    return "".join(parts)


def copy(path: Path, name: str) -> str:
    """Copy a file within its folder under this name, with a number if it is taken; return the path of the copy."""
    names = (name, *(f"{name}{number}" for number in range(1, 1_000)))
    free = next(one for one in names if not os.path.lexists(path.with_name(one)))
    return str(shutil.copy2(path, path.with_name(free)))


def remove_folders(record: Record) -> None:
    """Remove the empty folders that we made, the deepest first."""
    for folder in sorted(set(record.folders), key=len, reverse=True):
        try:
            Path(folder).rmdir()
        except OSError:  # not empty, or missing
            continue


def make_folder(path: Path, record: Record) -> None:
    """Make a folder that is removed when the harness is disconnected."""
    record.folders += [str(one) for one in (path, *path.parents) if not one.exists()]
    path.mkdir(parents=True, exist_ok=True)


def _checked(change: FileChange) -> Path:
    """Return the resolved path; raises Conflict when the file changed since the change was planned."""
    if _text(change.path) != change.earlier:
        raise Conflict(f"{change.path} was changed meanwhile; run the command again")
    return change.path.resolve()


def _text(path: Path) -> str | None:
    """Return the text of a file, None if it is missing; raises ConfigUnreadable if it is not UTF-8."""
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise ConfigUnreadable(f"{path}: the text is not UTF-8") from error
    except OSError as error:
        raise ConfigUnreadable(f"{path}: {error.strerror}") from error


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Prefix errors with the path of the file."""
    try:
        yield
    except ConfigUnreadable as error:
        if error.message.startswith(str(path)):
            raise
        raise ConfigUnreadable(f"{path}: {error.message}", **error.facts) from error
