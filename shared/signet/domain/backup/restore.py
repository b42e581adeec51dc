"""Restore a backup: unpack and check it in a separate folder, then exchange the two (see swap.py).

`stage` may run while the daemon does and changes nothing that is in use; `exchange` needs the daemon stopped.
"""

import contextlib
import fcntl
import os
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from signet import engine
from signet.config import manifest
from signet.db import migrate, moved, snapshot
from signet.domain.backup import archive, create, kept, swap
from signet.domain.backup.archive import ArchiveReader, Tell
from signet.domain.backup.create import SPARE, megabytes
from signet.domain.backup.models import DATABASE, ArchiveEntry, BadBackup, LeftOut, Manifest, NoRoom
from signet.domain.secrets import vault
from signet.domain.secrets.keys import NoMachineId
from signet.domain.secrets.vault import BY_MACHINE, Secret, Vault, VaultUnreadable
from signet.errors import Conflict
from signet.files import replace_file
from signet.paths import Workspace

#: The setting that names the database.
STORAGE_URL = "storage.url"
#: Marks a folder that a restore of memories alone put aside.
_PARTIAL = f"{archive.DAEMON}/memories-only"


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """A backup that is unpacked, checked and of this program's schema; `migrated_from` when it was older.

    `skipped` are files of the archive that no restore writes, `secrets` those that its vault holds.
    """

    folder: Path
    counts: dict[str, int]
    schema: str
    migrated_from: str | None
    skipped: tuple[LeftOut, ...] = ()
    secrets: Mapping[str, Secret] = field(default_factory=dict, repr=False)


def check(reader: ArchiveReader, tell: Tell) -> Manifest:
    """Verify a backup without unpacking it and return its manifest. Raises BadBackup and SchemaTooNew."""
    manifest = reader.manifest
    if manifest.schema is not None:
        migrate.check_known(manifest.schema, f"This backup, made by Signet {manifest.version},")
    reader.verify(tell)
    return manifest


def stage(workspace: Workspace, reader: ArchiveReader, *, now: datetime, tell: Tell) -> Staged:
    """Unpack a backup below the workspace, bring its database to this schema, and check it.

    Raises NoRoom, BadBackup and MigrationFailed; the unpacked files are then removed.
    """
    manifest = reader.manifest
    _check_room(workspace, manifest)
    discard(workspace)
    folder = workspace.restore_dir / kept.stamp(now)
    skipped, names = [], dict[str, str]()
    try:
        for entry in manifest.files:
            if why := _refusal(entry, names):
                skipped.append(LeftOut(path=entry.path, why=why))
            else:
                _unpack(reader, entry, folder / entry.path, tell)
        staged = _prepare(folder, now, manifest.schema)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    os.sync()  # thousands of small files: one by one takes the disk minutes
    return replace(staged, skipped=tuple(skipped))


def with_secrets(workspace: Workspace, staged: Staged, secrets: Mapping[str, Secret]) -> Staged:
    """Return the unpacked backup with the secrets that a passphrase opened. Raises KeyMissing."""
    put_secrets(workspace, staged.folder, secrets)
    return replace(staged, secrets=secrets)


def put_secrets(workspace: Workspace, folder: Path, secrets: Mapping[str, Secret]) -> None:
    """Write secrets to an unpacked backup as a vault under the key of this workspace. Raises KeyMissing."""
    place = folder / archive.VAULT
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    replace_file(place, Vault(workspace.vault).sealed(secrets))


def adopt(workspace: Workspace, folder: Path, *, now: datetime) -> Staged:
    """Check a folder that an earlier restore put aside, so that it can return; it is not copied."""
    database = folder / DATABASE
    if not database.is_file():
        raise BadBackup(f"{folder} is not a folder that a restore kept: it contains no database")
    with contextlib.suppress(FileNotFoundError, VaultUnreadable, NoMachineId):
        older = Vault(folder / archive.VAULT)
        if vault.parsed(older.file.read_bytes(), str(older.file))[0] == BY_MACHINE:
            put_secrets(workspace, folder, older.everything())
    return _prepare(folder, now, migrate.current(database))


def exchange(
    workspace: Workspace, staged: Staged, *, only: Collection[str] | None = None, now: datetime
) -> Path:
    """Put the unpacked files into place, or the names in `only`, and return the folder of the previous ones.

    A folder that such a restore of some names put aside returns with these names only. Must be called with the daemon
    stopped. Raises Conflict and BadTarget with nothing changed.
    """
    _keep_storage(workspace, staged)
    with idle(workspace):
        aside = _unused(workspace.replaced_dir / kept.stamp(now))
        if (staged.folder / _PARTIAL).exists():
            only = archive.MEMORIES
        if only is not None:
            (aside / _PARTIAL).parent.mkdir(parents=True, mode=0o700)
            (aside / _PARTIAL).touch()
        brings_vault = only is None and (staged.folder / archive.VAULT).exists()
        if brings_vault and not workspace.vault.exists():
            # So that undoing the restore takes its secrets away again.
            put_secrets(workspace, workspace.root, {})
        swap.begin(workspace, swap.plan(workspace, staged.folder, aside, only=only))
        swap.finish(workspace)
        moved.clear(workspace.database)
    return aside


def _keep_storage(workspace: Workspace, staged: Staged) -> None:
    """Let the unpacked settings name the present place of the memory, which is no part of a backup."""
    here, there = (_storage_url(one) for one in (workspace, Workspace(staged.folder)))
    if here != there:
        manifest.set_values(Workspace(staged.folder), {STORAGE_URL: here})


def _storage_url(workspace: Workspace) -> str | None:
    file = manifest.find(workspace)
    section = None
    if file is not None:
        with contextlib.suppress(manifest.ManifestError):
            section = manifest.parse(file.read_bytes(), file.name).get("storage")
    return section.get("url") if isinstance(section, Mapping) else None


def resume(workspace: Workspace) -> Path | None:
    """Finish an interrupted restore and return the folder that keeps the state before it. Raises Conflict."""
    if not workspace.restore_journal.exists():
        return None
    with idle(workspace):
        done = swap.finish(workspace)
    return workspace.root / done.aside if done else None


@contextlib.contextmanager
def server_as_file(workspace: Workspace, *, now: datetime) -> Iterator[None]:
    """Let the block find a memory on a server as the workspace's file, and load what it leaves there into the server.

    If this process is killed, `load_pending` of the next start loads the file, which then has the present memory or the
    restored one. Does nothing for a memory that is in the file.
    """
    url = engine.url_of(workspace.database)
    if url is None:
        yield
        return
    from signet.db.postgres import moving

    engine.use(workspace.database, None)
    try:
        with moving.alone(url) as server:
            moving.set_aside(workspace.database)
            moving.write_file(server, workspace.database, now=now)
            replace_file(workspace.load_journal, moving.state_of(server).encode())
        yield
    finally:
        engine.use(workspace.database, url)
    load_pending(workspace)


def load_pending(workspace: Workspace) -> Path | None:
    """Load the file that a restore has left into the server, and remove it; without one do nothing.

    If the server's memory has changed since, it stays, and the path of the file, now set aside, is returned. Raises
    Conflict if a process uses the server's database.
    """
    url = engine.url_of(workspace.database)
    if url is None or not workspace.load_journal.exists():
        return None
    from signet.db.postgres import moving

    engine.use(workspace.database, None)
    try:
        with moving.alone(url) as server:
            is_same = workspace.load_journal.read_text() == moving.state_of(server)
            if is_same:
                moving.load_file(workspace.database, server)
                moving.look_over(server)
        left = None if is_same else moving.set_aside(workspace.database)
    finally:
        engine.use(workspace.database, url)
    workspace.load_journal.unlink()
    moving.remove(workspace.database)
    if is_same:
        moved.clear(workspace.database)
    return left


def discard(workspace: Workspace) -> None:
    """Remove what restores have unpacked that were killed before they changed anything."""
    shutil.rmtree(workspace.restore_dir, ignore_errors=True)


@contextlib.contextmanager
def idle(workspace: Workspace) -> Iterator[None]:
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
        needed += 2 * manifest.total_bytes  # an upgrade writes the database again
    free = shutil.disk_usage(workspace.daemon_dir).free
    if free < needed:
        raise NoRoom(
            f"{workspace.root} has {megabytes(free)} free, and this restore needs {megabytes(needed)}. "
            "Nothing was changed",
            freeBytes=free,
            neededBytes=needed,
        )


def _refusal(entry: ArchiveEntry, names: dict[str, str]) -> str | None:
    """Return why an entry is not restored, None if it is."""
    if why := archive.refusal(entry.path):
        return why
    twin = archive.twin_of(entry.path, names)
    return f"on many disks it is the same file as {twin}" if twin else None


def _unpack(
    reader: ArchiveReader, entry: ArchiveEntry, place: Path, tell: Callable[[int], None]
) -> None:
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with create.create_file(place) as file:
        for piece in reader.pieces(entry):
            file.write(piece)
            tell(len(piece))
        os.fchmod(file.fileno(), entry.mode & 0o755 | 0o600)
    with contextlib.suppress(OverflowError, OSError):  # a time that this disk cannot store
        os.utime(place, ns=(entry.modifiedMs * 1_000_000,) * 2)


def _prepare(folder: Path, now: datetime, schema: str | None) -> Staged:
    """Check all of the unpacked database, upgrade it if it is older, and remove what other programs put in it."""
    database = folder / DATABASE
    if found := snapshot.problems(database):
        raise BadBackup(f"The database in it is damaged: {'; '.join(found[:3])}")
    done = migrate.upgrade(database, now=now)
    _clean(database)
    if done.copy is not None:
        done.copy.unlink()  # the backup itself is the copy
    return Staged(
        folder=folder,
        counts=snapshot.counts(database),
        schema=done.after,
        migrated_from=None if done.after == schema else str(schema or "an earlier program"),
    )


def _clean(database: Path) -> None:
    """Remove triggers and indexes of other programs, which could change later saves, and repair those of Signet.

    Raises BadBackup if one of Signet's tables is something else.
    """
    found = migrate.compare(database)
    if found == migrate.Differences():
        return
    wrong = [key for key in (*found.missing, *found.differs) if key.startswith("table ")]
    if wrong:
        raise BadBackup(f"The database in it was not made by Signet: no {', '.join(wrong[:3])}")
    try:
        migrate.mend(database)
    except migrate.MigrationFailed as error:
        raise BadBackup(f"The database in it was not made by Signet: {error.message}") from error


def _unused(folder: Path) -> Path:
    number, found = 1, folder
    while found.exists():
        number += 1
        found = folder.with_name(f"{folder.name}-{number}")
    return found
