"""Stored backups: names, rotation and age."""

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from signet import clock
from signet.errors import Unavailable
from signet.files import locked
from signet.paths import Workspace
from signet.text import patterns


class BackupReason(StrEnum):
    """Why a backup was made."""

    MANUAL = "manual"
    DAILY = "daily"
    BEFORE_FORGET = "before-forget"


@contextmanager
def locked_backups(workspace: Workspace) -> Iterator[None]:
    """Hold the lock for backups and restores. Raises Unavailable at once if another process has it."""
    try:
        with locked(workspace.backups_dir / ".lock", wait=False):
            yield
    except BlockingIOError:
        raise Unavailable(
            "Another backup or restore of this workspace is running; try again when it is done",
            "backup_busy",
        ) from None


#: Number of automatic backups that stay; manual ones are never deleted.
DAYS = 7
BEFORE_FORGET = 3
#: From this age on the newest copy is worth a word.
OLD = timedelta(days=2)
_REASONS = "|".join(reason.value for reason in BackupReason)
_NAME = patterns.lazy(rf"signet-(\d{{8}}T\d{{6}}Z)(?:-\d+)?-({_REASONS})\.zip")
_STAMP = "%Y%m%dT%H%M%SZ"


class KeptBackup(NamedTuple):
    """A backup on disk, as described by its name and size."""

    path: Path
    made_at: datetime
    reason: BackupReason
    bytes: int


def stamp(now: datetime) -> str:
    """Return an instant as names of files have it."""
    return now.astimezone(UTC).strftime(_STAMP)


def new_path(folder: Path, reason: BackupReason, now: datetime) -> Path:
    number, more = 1, ""
    while (path := folder / f"signet-{stamp(now)}{more}-{reason}.zip").exists():
        number += 1
        more = f"-{number}"
    return path


def backups(workspace: Workspace) -> list[KeptBackup]:
    """Return the backups of the workspace's own folder and those made elsewhere that are still there, newest first."""
    found = []
    if workspace.backups_dir.is_dir():
        for path in workspace.backups_dir.iterdir():
            named = _NAME.fullmatch(path.name)
            if named is None:
                continue
            made_at = datetime.strptime(named[1], _STAMP).replace(tzinfo=UTC)
            reason = BackupReason(named[2])
            path = path.readlink() if path.is_symlink() else path
            with contextlib.suppress(OSError):  # rotated away while we looked, or on an absent disk
                size = path.stat().st_size
                found.append(KeptBackup(path=path, made_at=made_at, reason=reason, bytes=size))
    return sorted(found, key=lambda one: (one.made_at, one.path.name), reverse=True)


def note(workspace: Workspace, path: Path, now: datetime) -> None:
    """Put a link to a backup made elsewhere into the workspace's own folder, in place of earlier ones to it."""
    folder = workspace.backups_dir
    with contextlib.suppress(OSError):  # a disk without links
        for link in folder.iterdir():
            if link.is_symlink() and link.readlink() == path:
                link.unlink()
        new_path(folder, BackupReason.MANUAL, now).symlink_to(path)


def to_dict(found: KeptBackup) -> dict[str, object]:
    return {
        "path": str(found.path),
        "createdAt": clock.to_text(found.made_at),
        "reason": found.reason,
        "bytes": found.bytes,
    }


def rotate(workspace: Workspace, *, days: int) -> list[Path]:
    """Remove the oldest automatic backups beyond this number of days, and return the removed ones."""
    gone = []
    for reason, number in ((BackupReason.DAILY, days), (BackupReason.BEFORE_FORGET, BEFORE_FORGET)):
        of_kind = [one.path for one in backups(workspace) if one.reason is reason]
        gone += of_kind[number:]
    for path in gone:
        path.unlink(missing_ok=True)
    return gone


#: Copies that an upgrade of the schema makes.
_BEFORE_UPGRADE = "*.bak-*"


def copies_since(workspace: Workspace, saved_at: datetime) -> list[Path]:
    """Return backups, put-aside states and copies before upgrades that are not older than this."""
    found = [one.path for one in backups(workspace) if one.made_at >= saved_at]
    others = [*workspace.memory_dir.glob(f"{workspace.database.name}{_BEFORE_UPGRADE}")]
    if workspace.replaced_dir.is_dir():
        others += workspace.replaced_dir.iterdir()
    return found + sorted(path for path in others if _changed_at(path) >= saved_at)


def _changed_at(path: Path) -> datetime:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except FileNotFoundError:  # deleted since it was listed
        return datetime.min.replace(tzinfo=UTC)
