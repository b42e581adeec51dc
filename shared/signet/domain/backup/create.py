"""Making a backup while the daemon runs: one file, written beside its place, synced, and renamed into it.

A process that is killed leaves only a file whose name begins with a dot and ends with `.part`; the next backup of the
workspace removes it.
"""

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from signet import __version__, clock
from signet.db import migrate, snapshot
from signet.domain.backup import archive, disk, files, kept
from signet.domain.backup.lock import alone
from signet.domain.backup.models import (
    DATABASE,
    FORMAT,
    Backup,
    BadTarget,
    LeftOut,
    Manifest,
    NoRoom,
    Reason,
)
from signet.domain.secrets.vault import Wrapped
from signet.errors import Invalid, StorageFull, Unavailable
from signet.paths import Workspace

#: What is left free for everybody else, in bytes.
SPARE = 16_000_000
#: Names of what is being written.
_PART = ".part"

#: Hears how many bytes are done, of about how many.
Tell = Callable[[int, int], None]


def create(
    workspace: Workspace,
    target: Path | None = None,
    *,
    secrets: Wrapped | None = None,
    reason: Reason = Reason.MANUAL,
    keep: int = kept.DAYS,
    now: datetime,
    tell: Tell = lambda done, total: None,
) -> Backup:
    """Write a backup and return it; without a target it is one of the workspace's own, of which the oldest are deleted.

    `keep` daily ones stay. The vault is never in it; `secrets` are, encrypted with a passphrase.

    Raises Invalid, BadTarget, Unavailable, NoRoom, StorageDamaged, StorageFull, and what `tell` raises; nothing is
    then left behind.
    """
    if workspace.restore_journal.exists():
        raise Unavailable(
            "A restore was interrupted. Finish it first: signet daemon start", "backup_busy"
        )
    if not workspace.database.exists():
        raise Invalid("No memory database found; nothing to back up", "no_database")
    with alone(workspace):
        path = _place(workspace, target, reason, now)
        _clean(workspace, path)
        total = _room(workspace, path)
        made = _write(workspace, path, secrets, reason, now, _Told(tell, total))
        if target is None:
            kept.rotate(workspace, days=keep)
    return made


class _Told:
    """Adds up what is told of the pieces: the database counts once when it is copied and once when it is packed."""

    def __init__(self, tell: Tell, total: int) -> None:
        self._tell = tell
        self._total = total
        self._done = 0

    def copied(self, size: int) -> None:
        """Hear how large the copy of the database is by now."""
        self._tell(size, self._total)
        self._done = size

    def packed(self, size: int) -> None:
        """Hear that so many bytes more are in the archive."""
        self._done += size
        self._tell(min(self._done, self._total), self._total)


def _place(workspace: Workspace, target: Path | None, reason: Reason, now: datetime) -> Path:
    folder = workspace.backups_dir if target is None else target.expanduser().absolute()
    is_folder = target is None or folder.is_dir()
    path = kept.new_path(folder, reason, now) if is_folder else folder
    if not path.parent.is_dir():
        raise BadTarget(
            f"The folder {path.parent} does not exist. Create it first: mkdir -p {path.parent}"
        )
    own = path.resolve().is_relative_to(workspace.backups_dir.resolve())
    if path.resolve().is_relative_to(workspace.root.resolve()) and not own:
        raise BadTarget(
            f"{path} is in the workspace, so the next backup would contain this one. "
            "Choose a path outside, or none"
        )
    if path.exists() and not archive.is_backup(path):
        raise BadTarget(f"{path} exists and is not a Signet backup. Choose another name")
    return path


def _parts(path: Path) -> tuple[Path, Path]:
    """Return where the archive and the copy of the database are written."""
    beside = path.with_name(f".{path.name}")
    return beside.with_name(beside.name + _PART), beside.with_name(f"{beside.name}.db{_PART}")


def _all_parts(path: Path) -> tuple[Path, Path, Path]:
    """Return everything that may be left unfinished: the two, and what SQLite writes beside the copy."""
    part, database = _parts(path)
    return part, database, database.with_name(f"{database.name}-journal")


def _clean(workspace: Workspace, path: Path) -> None:
    """Remove what a killed backup has left; nobody else is at it, because of the lock."""
    for unfinished in (*_all_parts(path), *workspace.backups_dir.glob(f".*{_PART}*")):
        unfinished.unlink(missing_ok=True)


def _room(workspace: Workspace, path: Path) -> int:
    """Return about how many bytes will be written. Raises NoRoom when they do not fit."""
    database = snapshot.size(workspace.database)
    others = sum(
        found.status.st_size for found in files.walk(workspace) if isinstance(found, files.Found)
    )
    needed = 2 * database + others
    free = shutil.disk_usage(path.parent).free
    if free < needed + SPARE:
        raise NoRoom(
            f"{path.parent} has {megabytes(free)} free, and a backup needs {megabytes(needed + SPARE)} "
            "while it is made. Choose another disk: signet backup FILE",
            freeBytes=free,
            neededBytes=needed + SPARE,
        )
    return needed


def _write(
    workspace: Workspace,
    path: Path,
    secrets: Wrapped | None,
    reason: Reason,
    now: datetime,
    told: _Told,
) -> Backup:
    part, database = _parts(path)
    try:
        snapshot.snapshot(workspace.database, database, tell=told.copied)
        manifest = Manifest(
            format=FORMAT,
            version=__version__,
            createdAt=clock.to_text(now),
            reason=reason,
            workspace=str(workspace.root),
            schema=migrate.current(database),
            counts=snapshot.counts(database),
            files=(),
            leftOut=(),
            secrets=secrets,
        )
        with disk.create(part) as stream:
            with archive.Writer(stream, told.packed) as writer:
                with database.open("rb") as copy:
                    writer.add(DATABASE, copy, os.fstat(copy.fileno()), mode=0o600)
                database.unlink()
                left_out = tuple(_add_files(workspace, writer))
                manifest = replace(manifest, files=tuple(writer.entries), leftOut=left_out)
                writer.finish(manifest)
            disk.sync_file(stream)
        part.replace(path)
        disk.sync_folder(path.parent)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        raise StorageFull(f"{path.parent} is full; the backup was not made") from error
    finally:
        for unfinished in _all_parts(path):
            unfinished.unlink(missing_ok=True)
    return Backup(path=path, bytes=path.stat().st_size, manifest=manifest)


def _add_files(workspace: Workspace, writer: archive.Writer) -> Iterator[LeftOut]:
    """Add the workspace's files and yield the files left out; a file that is removed meanwhile is skipped."""
    for found in files.walk(workspace):
        if isinstance(found, LeftOut):
            yield found
            continue
        place = workspace.root / found.path
        try:
            source = disk.read(place)
        except FileNotFoundError:
            continue
        except OSError as error:
            yield LeftOut(path=found.path, why=error.strerror or str(error))
            continue
        with source:
            status = os.fstat(source.fileno())
            writer.add(found.path, source, status, mode=status.st_mode & 0o777)


def megabytes(size: int) -> str:
    """Return a size as people read it."""
    return f"{size / 1e6:,.1f} MB"
