"""Changing the files of a harness, all or none where that can be known before, each in one step.

Connecting brings in everything; it is what a person asks for. Mending is what the daemon does unasked, and it brings
nothing back that a person took out: a file that is gone stays gone, a file that is exactly as we left it becomes what
connecting would make of it today, and in a file that somebody has changed since only those entries of ours that are
still in it are brought up to date.

Everything is read and computed first; what does not parse stops the whole installation with nothing written. Then,
file by file: a copy beside it before our first change, the record that undoes it, the file. A process that is killed
in between leaves whole files, and running again ends what it began.
"""

import difflib
import filecmp
import os
import shutil
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from signet.domain.harnesses import instructions, records
from signet.domain.harnesses.jsontext import ConfigUnreadable
from signet.domain.harnesses.models import Patch
from signet.domain.harnesses.records import Record, Undo
from signet.errors import Conflict
from signet.files import replace_file
from signet.paths import Workspace

_NO_NEWLINE = r"\ No newline at end of file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A file that is about to change; None is a file that is not there."""

    path: Path
    earlier: str | None
    later: str | None
    #: Whether what is there was written by somebody else and is copied first.
    is_copied: bool
    #: What is recorded before the change.
    undo: Undo | None
    #: A copy by an earlier version, whose content is in the file again after the change.
    stale_copy: Path | None


def planned(patches: Iterable[Patch], record: Record, *, mends: bool = False) -> list[Change]:
    """Return the changes that connecting makes, or those of mending.

    Raises ConfigUnreadable, with the file, when one cannot be read.
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
            # From what the user wrote, so that what an older version of us put in does not stay.
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


def _renewed(patch: Patch, earlier: str, record: Record) -> list[Change]:
    """Return the change that brings up to date what is left of ours in a file that somebody has changed."""
    before = record.files[str(patch.path)].before
    with _named(patch.path):
        if patch.take(earlier, {}) == earlier:
            return []  # nothing is left of it
        later = patch.renew(earlier) if patch.renew is not None else patch.put(earlier)
    if later is None or later == earlier:
        return []
    base = _base(patch, earlier, record)
    return [_change(patch, earlier, later, is_copied=False, undo=records.undo(base, later, before))]


def undone(patches: Sequence[Patch], record: Record) -> tuple[list[Change], dict[str, str]]:
    """Return the changes that taking out makes, and the files that do not parse and stay, with what is wrong."""
    found: list[Change] = []
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


def _base(patch: Patch, earlier: str | None, record: Record) -> str | None:
    """Return a file as it would be without us; None when it would not be there."""
    kept = record.files.get(str(patch.path))
    if earlier is None:
        return None
    if instructions.is_generated(earlier):
        theirs = instructions.copy_of(patch.path)
        return None if theirs is None else _text(theirs)
    if kept is not None and kept.is_of(earlier.encode()):
        return kept.earlier(earlier) if kept.was_there else None
    if patch.content is not None:
        # What stood there before us is there again, or somebody has put it there since.
        is_theirs = kept.was_there if kept is not None else earlier != patch.content
        return earlier if is_theirs else None
    if not earlier.strip():
        return earlier
    left = patch.take(earlier, kept.before if kept else {})
    is_new = kept is not None and not kept.was_there
    return None if is_new and left.split() in ([], ["{}"], ["{", "}"]) else left


def _or_empty(text: str | None, patch: Patch) -> str:
    return text if text is not None and text.strip() else patch.empty


def _change(
    patch: Patch,
    earlier: str | None,
    later: str | None,
    *,
    is_copied: bool,
    undo: Undo | None = None,
) -> Change:
    is_generated = earlier is not None and instructions.is_generated(earlier)
    return Change(
        path=patch.path,
        earlier=earlier,
        later=later,
        is_copied=is_copied,
        undo=undo,
        stale_copy=instructions.copy_of(patch.path) if is_generated else None,
    )


def _is_theirs(patch: Patch, earlier: str, record: Record) -> bool:
    """Return whether something would be lost: it is our first change, or a file of ours that somebody changed."""
    kept = record.files.get(str(patch.path))
    return kept is None or (patch.content is not None and not kept.is_of(earlier.encode()))


def apply(
    workspace: Workspace, harness: str, changes: Iterable[Change], record: Record
) -> list[str]:
    """Make the changes, each with its record first; return the copies that were made beside the files.

    Raises Conflict when somebody has written one of the files meanwhile.
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


def restore(changes: Iterable[Change]) -> None:
    """Make the changes of taking out; what is recorded stays recorded until the caller says that all is done."""
    for change in changes:
        path = _checked(change)
        if change.is_copied:
            copy(path, f"{path.name}.bak")
        _write(change, path)


def drop_copies(record: Record, refused: Container[str]) -> None:
    """Delete the copies of what was there before us, now that it is there again; not of files that were refused."""
    for made, path in record.copies.items():
        if path not in refused:
            Path(made).unlink(missing_ok=True)
    # Records of earlier versions do not name their copies: one that says what the file says is of no more use.
    for path in record.files.keys() - {*record.copies.values()}:
        made = f"{path}.bak"
        if path not in refused and record.files[path].was_there and _is_same(path, made):
            Path(made).unlink()


def _is_same(one: str, other: str) -> bool:
    return all(map(os.path.isfile, (one, other))) and filecmp.cmp(one, other, shallow=False)


def _write(change: Change, path: Path) -> None:
    if change.later is None:
        path.unlink(missing_ok=True)
    else:
        replace_file(path, change.later.encode())
    if change.stale_copy is not None:
        change.stale_copy.unlink(missing_ok=True)


def take_back(changes: Iterable[Change], copies: Iterable[str], record: Record) -> None:
    """Undo changes that were just made, with the copies and the folders that were made for them."""
    for change in changes:
        path = change.path.resolve()
        if change.earlier is None:
            path.unlink(missing_ok=True)
        else:
            replace_file(path, change.earlier.encode())
    for copied in copies:
        Path(copied).unlink(missing_ok=True)
    remove_folders(record)


def diff(changes: Iterable[Change]) -> str:
    """Return the changes as a unified diff."""
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
    """Copy a file beside itself under this name, or the first with a number that is free; return the copy."""
    names = (name, *(f"{name}{number}" for number in range(1, 1_000)))
    free = next(one for one in names if not os.path.lexists(path.with_name(one)))
    return str(shutil.copy2(path, path.with_name(free)))


def remove_folders(record: Record) -> None:
    """Remove the folders that we made and that are empty again, the deepest first."""
    for folder in sorted(set(record.folders), key=len, reverse=True):
        try:
            Path(folder).rmdir()
        except OSError:  # not empty, or gone
            continue


def make_folder(path: Path, record: Record) -> None:
    """Make a folder that goes again when the harness does."""
    record.folders += [str(one) for one in (path, *path.parents) if not one.exists()]
    path.mkdir(parents=True, exist_ok=True)


def _checked(change: Change) -> Path:
    """Return where the file really is; raises Conflict when it is not as it was when the change was planned."""
    if _text(change.path) != change.earlier:
        raise Conflict(f"{change.path} was changed meanwhile; run the command again")
    return change.path.resolve()


def _text(path: Path) -> str | None:
    """Return what a file says; None when it is not there, raises ConfigUnreadable when it is no text."""
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
    """Put the name of the file in front of what is wrong in it."""
    try:
        yield
    except ConfigUnreadable as error:
        if error.message.startswith(str(path)):
            raise
        raise ConfigUnreadable(f"{path}: {error.message}", **error.facts) from error
