"""Putting a backup back: unpack and check it beside what is there, then exchange the two (see swap.py).

`stage` may run beside the daemon and changes nothing that is in use; `exchange` needs the daemon stopped.
"""

import contextlib
import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from signet.db import migrate, snapshot
from signet.domain.backup import disk, kept, swap
from signet.domain.backup.archive import Reader, Tell
from signet.domain.backup.create import SPARE, megabytes
from signet.domain.backup.models import DATABASE, BadBackup, Entry, Manifest, NoRoom
from signet.errors import Conflict
from signet.paths import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """A backup that is unpacked, checked and of this program's schema; `migrated_from` when it was older."""

    folder: Path
    counts: dict[str, int]
    schema: str
    migrated_from: str | None


def check(reader: Reader, tell: Tell) -> Manifest:
    """Verify a backup without unpacking it and return its manifest. Raises BadBackup and SchemaTooNew."""
    manifest = reader.manifest
    if manifest.schema is not None:
        migrate.check_known(manifest.schema, f"This backup, made by Signet {manifest.version},")
    reader.verify(tell)
    return manifest


def stage(workspace: Workspace, reader: Reader, *, now: datetime, tell: Tell) -> Staged:
    """Unpack a backup below the workspace, bring its database to this schema, and check it.

    Raises NoRoom, BadBackup and MigrationFailed; what was unpacked is then removed.
    """
    manifest = reader.manifest
    _check_room(workspace, manifest)
    discard(workspace)
    folder = workspace.restore_dir / kept.stamp(now)
    try:
        for entry in manifest.files:
            _unpack(reader, entry, folder / entry.path, tell)
        staged = _prepare(folder, now, manifest.schema)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    os.sync()  # thousands of small files: one by one takes the disk minutes
    return staged


def adopt(folder: Path, *, now: datetime) -> Staged:
    """Check what an earlier restore has put aside, so that it can come back; it is not copied."""
    database = folder / DATABASE
    if not database.is_file():
        raise BadBackup(f"{folder} is not a folder that a restore kept: it contains no database")
    return _prepare(folder, now, migrate.current(database))


def exchange(workspace: Workspace, staged: Staged, *, now: datetime) -> Path:
    """Put what is staged into its place and return the folder that keeps what was there.

    Must be called with the daemon stopped. Raises Conflict and BadTarget with nothing changed.
    """
    with _idle(workspace):
        aside = _unused(workspace.replaced_dir / kept.stamp(now))
        swap.begin(workspace, swap.plan(workspace, staged.folder, aside))
        swap.finish(workspace)
    return aside


def resume(workspace: Workspace) -> Path | None:
    """Finish a restore that was killed on its way, and return the folder that keeps what was there before it.

    Raises Conflict.
    """
    if not workspace.restore_journal.exists():
        return None
    with _idle(workspace):
        done = swap.finish(workspace)
    return workspace.root / done.aside if done else None


def discard(workspace: Workspace) -> None:
    """Remove what restores have unpacked that were killed before they changed anything."""
    shutil.rmtree(workspace.restore_dir, ignore_errors=True)


@contextlib.contextmanager
def _idle(workspace: Workspace) -> Iterator[None]:
    """Hold the supervisor's lock, so that no daemon starts. Raises Conflict when one runs, or one of its programs."""
    with workspace.lock_file.open("ab") as lock:
        _lock(lock.fileno())
        for presence in (workspace.runtime_dir / "proc").glob("*.lock"):
            with presence.open("rb") as held:
                _lock(held.fileno())
        yield


def _lock(file: int) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Conflict(
            "A Signet process is using the workspace. Stop it first: signet daemon stop",
            "workspace_in_use",
        ) from None


def _check_room(workspace: Workspace, manifest: Manifest) -> None:
    needed = manifest.total_bytes + SPARE
    if manifest.schema != migrate.head():
        needed += 2 * manifest.total_bytes  # an upgrade writes the database anew
    free = shutil.disk_usage(workspace.daemon_dir).free
    if free < needed:
        raise NoRoom(
            f"{workspace.root} has {megabytes(free)} free, and this restore needs {megabytes(needed)}. "
            "Nothing was changed",
            freeBytes=free,
            neededBytes=needed,
        )


def _unpack(reader: Reader, entry: Entry, place: Path, tell: Callable[[int], None]) -> None:
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if entry.link is not None:
        place.symlink_to(entry.link)
        return
    with disk.create(place) as file:
        for piece in reader.pieces(entry):
            file.write(piece)
            tell(len(piece))
        os.fchmod(file.fileno(), entry.mode & 0o777)
    os.utime(place, ns=(entry.modifiedMs * 1_000_000,) * 2)


def _prepare(folder: Path, now: datetime, schema: str | None) -> Staged:
    """Check all of the unpacked database, and upgrade it if it is older."""
    database = folder / DATABASE
    if found := snapshot.problems(database):
        raise BadBackup(f"The database in it is damaged: {'; '.join(found[:3])}")
    done = migrate.upgrade(database, now=now)
    if done.copy is not None:
        done.copy.unlink()  # the backup itself is the copy
    return Staged(
        folder=folder,
        counts=snapshot.counts(database),
        schema=done.after,
        migrated_from=None if done.after == schema else str(schema or "an earlier program"),
    )


def _unused(folder: Path) -> Path:
    number, found = 1, folder
    while found.exists():
        number += 1
        found = folder.with_name(f"{folder.name}-{number}")
    return found
