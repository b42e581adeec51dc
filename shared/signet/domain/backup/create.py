"""Create a backup, on request or daily."""

import errno
import os
import shlex
import shutil
import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import BinaryIO

from signet import __version__, clock, engine
from signet.db import ReadTx, migrate, snapshot
from signet.domain.backup import archive, kept
from signet.domain.backup.kept import BackupReason, locked_backups
from signet.domain.backup.models import (
    DATABASE,
    FORMAT,
    Backup,
    BadTarget,
    LeftOut,
    Manifest,
    NoRoom,
)
from signet.domain.secrets.vault import Wrapped
from signet.errors import Invalid, NotNow, StorageFull, Unavailable
from signet.files import opened
from signet.paths import Workspace
from signet.queue import stats


def create_file(path: Path) -> BinaryIO:
    """Open a file that does not exist yet and that only its owner may read."""
    return os.fdopen(
        os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb"
    )


def read_file(path: Path) -> BinaryIO:
    """Open a regular file that is not a link; raises OSError. (A pipe would wait for its writer.)"""
    file = opened(path, os.O_NOFOLLOW | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "neither a file nor a folder")
    return file


def sync_file(file: BinaryIO) -> None:
    """Flush a written file to disk."""
    file.flush()
    os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder to disk."""
    file = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)


#: Disk space that stays free for other programs, in bytes.
SPARE = 16_000_000
#: Suffix of unfinished files.
_PART = ".part"

#: Called with the bytes done, and the approximate total.
Tell = Callable[[int, int], None]


def create(
    workspace: Workspace,
    target: Path | None = None,
    *,
    secrets: Wrapped | None = None,
    reason: BackupReason = BackupReason.MANUAL,
    keep: int = kept.DAYS,
    now: datetime,
    tell: Tell = lambda done, total: None,
) -> Backup:
    """Write a backup and return it; without a target, into the workspace's folder of backups, whose oldest are deleted.

    Keeps `keep` daily ones. It never contains the vault; it contains `secrets`, encrypted with a passphrase.

    Raises Invalid, BadTarget, Unavailable, NoRoom, StorageDamaged, StorageFull, and the errors of `tell`; none of these
    leaves files behind.
    """
    if workspace.restore_journal.exists():
        raise Unavailable(
            "A restore was interrupted. Finish it first: signet daemon start", "backup_busy"
        )
    if not engine.exists(workspace.database):
        raise Invalid("No memory database found; nothing to back up", "no_database")
    with locked_backups(workspace):
        path = _place(workspace, target, reason, now)
        _clean(workspace, path)
        total = _room(workspace, path)
        made = _write(workspace, path, secrets, reason, now, _BackupProgress(tell, total))
        if target is None:
            kept.rotate(workspace, days=keep)
        elif path.parent.resolve() != workspace.backups_dir.resolve():
            kept.note(workspace, path, now)
    return made


class _BackupProgress:
    """Adds up the progress of the pieces: the database counts once when copied and once when packed."""

    def __init__(self, tell: Tell, total: int) -> None:
        self._tell = tell
        self._total = total
        self._done = 0

    def copied(self, size: int) -> None:
        """Update the size of the database's copy."""
        self._tell(size, self._total)
        self._done = size

    def packed(self, size: int) -> None:
        """Add the bytes written to the archive."""
        self._done += size
        self._tell(min(self._done, self._total), self._total)


def check_folder(path: Path) -> None:
    """Raise BadTarget unless the folder of a file exists."""
    if not path.parent.is_dir():
        told = f"The folder {path.parent} does not exist. Create it first: mkdir -p {shlex.quote(str(path.parent))}"
        raise BadTarget(told)


def _place(workspace: Workspace, target: Path | None, reason: BackupReason, now: datetime) -> Path:
    folder = workspace.backups_dir if target is None else target.expanduser().absolute()
    is_folder = target is None or folder.is_dir()
    path = kept.new_path(folder, reason, now) if is_folder else folder
    check_folder(path)
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
    beside = path.with_name(f".{path.name}")
    return beside.with_name(beside.name + _PART), beside.with_name(f"{beside.name}.db{_PART}")


def _all_parts(path: Path) -> tuple[Path, Path, Path]:
    part, database = _parts(path)
    return part, database, database.with_name(f"{database.name}-journal")


def _clean(workspace: Workspace, path: Path) -> None:
    """Remove the files of a killed backup; the lock excludes other processes."""
    for unfinished in (*_all_parts(path), *workspace.backups_dir.glob(f".*{_PART}*")):
        unfinished.unlink(missing_ok=True)


def _room(workspace: Workspace, path: Path) -> int:
    """Return the approximate bytes to be written. Raises NoRoom if they do not fit."""
    database = snapshot.size(workspace.database)
    others = sum(
        found.status.st_size
        for found in archive.walk(workspace)
        if isinstance(found, archive.WorkspaceFile)
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
    reason: BackupReason,
    now: datetime,
    told: _BackupProgress,
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
        with create_file(part) as stream:
            with archive.ArchiveWriter(stream, told.packed) as writer:
                with database.open("rb") as copy:
                    writer.add(DATABASE, copy, os.fstat(copy.fileno()), mode=0o600)
                database.unlink()
                left_out = tuple(_add_files(workspace, writer))
                manifest = replace(manifest, files=tuple(writer.entries), leftOut=left_out)
                writer.finish(manifest)
            sync_file(stream)
        part.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        raise StorageFull(f"{path.parent} is full; the backup was not made") from error
    finally:
        for unfinished in _all_parts(path):
            unfinished.unlink(missing_ok=True)
    return Backup(path=path, bytes=path.stat().st_size, manifest=manifest)


def _add_files(workspace: Workspace, writer: archive.ArchiveWriter) -> Iterator[LeftOut]:
    """Add the workspace's files and yield the files left out; a file that is removed meanwhile is skipped."""
    for found in archive.walk(workspace):
        if isinstance(found, LeftOut):
            yield found
            continue
        place = workspace.root / found.path
        try:
            source = read_file(place)
        except FileNotFoundError:
            continue
        except OSError as error:
            yield LeftOut(path=found.path, why=error.strerror or str(error))
            continue
        with source:
            status = os.fstat(source.fileno())
            writer.add(found.path, source, status, mode=status.st_mode & 0o777)


def megabytes(size: int) -> str:
    """Return a size in megabytes for display."""
    return f"{size / 1e6:,.1f} MB"


#: A younger daily copy counts as today's: a job that runs twice makes one.
TODAY = timedelta(hours=12)
#: A copy before a bulk forget also covers further ones within this time, as when thousands are forgotten in batches of
#: 200.
SERIES = timedelta(hours=1)
#: Jobs that remove forgotten content from files, and erased content from the database.
ERASING = ("clean_texts", "rewrite_store")


def erases(tx: ReadTx, since: datetime) -> bool:
    """Return whether content is being erased or forgotten, or was since an instant."""
    return stats.ran_since(tx, ERASING, since)


def daily(
    workspace: Workspace, *, keep: int, now: datetime, tell: Tell, erases: Callable[[], bool]
) -> Path:
    """Return the copy of the day, created if missing, and keep this number of copies.

    Makes no copy while `erases` is true, because it could still contain erased content without the eraser knowing.
    Raises NotNow then, and like `create`.
    """
    made = _newest(workspace, BackupReason.DAILY)
    if made is not None and timedelta() <= now - made.made_at < TODAY:
        return made.path
    if erases():
        raise NotNow("Something is being erased")
    copy = create(workspace, reason=BackupReason.DAILY, keep=keep, now=now, tell=tell).path
    if erases():
        copy.unlink(missing_ok=True)
        raise NotNow("Something was erased while the copy was made")
    return copy


def before_forget(workspace: Workspace, *, last_change: datetime, now: datetime) -> Path:
    """Return a copy with the memories to be forgotten, last changed at that instant. Raises like `create`."""
    made = _newest(workspace, BackupReason.BEFORE_FORGET)
    if made is not None and last_change < made.made_at <= now < made.made_at + SERIES:
        return made.path
    return create(workspace, reason=BackupReason.BEFORE_FORGET, now=now).path


def _newest(workspace: Workspace, reason: BackupReason) -> kept.KeptBackup | None:
    return next((one for one in kept.backups(workspace) if one.reason is reason), None)
