"""`signet restore`: replace the workspace with a backup, and keep the previous state."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from signet import clock
from signet.cli import output, passphrase
from signet.cli.command import Output, PathOption, arg, check_asking, command, confirmed, opt
from signet.cli.daemon import shown_log
from signet.cli.options import YesOption
from signet.cli.output import ProgressLine
from signet.errors import Invalid, NotFound, StorageDamaged
from signet.paths import Workspace, find_workspace

if TYPE_CHECKING:
    from signet.cli.restore_review import Changes
    from signet.domain.backup.archive import ArchiveReader
    from signet.domain.backup.models import LeftOut, Manifest
    from signet.domain.backup.restore import Staged


#: Skipped files to list; the others are counted.
SHOWN = 5


class SettingsDiff(StrEnum):
    """Whether a restore applies everything, or only memories."""

    TAKE = "take"
    KEEP = "keep"


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupSource:
    """The source: an archive, or a folder set aside by an earlier restore (`manifest` is then None)."""

    path: Path
    manifest: "Manifest | None"


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreOptions:
    yes: bool
    settings: SettingsDiff | None
    with_forgotten: bool
    passphrase_file: str | None
    as_json: bool


@command(does="restore a backup, its settings included")
def restore(
    file: Annotated[str, arg("A backup file, or a folder set aside by a restore.", "FILE")],
    dry_run: Annotated[bool, "Verify the backup and show what would happen."] = False,
    with_forgotten: Annotated[
        bool, "Also restore memories forgotten or erased since the backup."
    ] = False,
    settings: Annotated[
        SettingsDiff | None,
        opt(
            "take: also replace settings, instructions, skills, tasks, connected folders and secrets. "
            "keep: restore only the memories. Needed with --yes where these differ."
        ),
    ] = None,
    passphrase_file: passphrase.FileOption = None,
    yes: YesOption = False,
    path: PathOption = None,
    as_json: bool = False,
) -> Output:
    """Replace the workspace with a backup. The current state is kept.

    The backup is verified, unpacked and upgraded to this version's schema before anything changes. Then the daemon
    stops briefly, and restarts if it was running. If the command is killed, you have either the old state or the new
    one: `signet daemon start`, or another restore, finishes the interrupted one.

    A backup decides which instructions agents get, which programs run and who is trusted. Differences from this
    workspace are shown first, and applied only if you agree. Keys, git repositories, links and hidden files are never
    restored; those of this workspace stay. Memories forgotten or erased since the backup stay forgotten, unless
    --with-forgotten is given.

    Examples: signet restore signet.zip --dry-run · signet restore signet.zip --yes --settings keep
    """
    from signet import config

    os.umask(0o077)
    workspace, chosen = find_workspace(path), Path(file).expanduser().absolute()
    config.load(workspace)
    wishes = RestoreOptions(
        yes=yes,
        settings=settings,
        with_forgotten=with_forgotten,
        passphrase_file=passphrase_file,
        as_json=as_json,
    )
    with _opened(chosen, as_json=as_json) as (source, reader):
        if dry_run:
            yield from _tried(workspace, source, reader, wishes)
        else:
            yield from _restored(workspace, source, reader, wishes)


@contextlib.contextmanager
def _opened(path: Path, *, as_json: bool) -> "Iterator[tuple[BackupSource, ArchiveReader | None]]":
    from signet.domain.backup import archive, restore

    if path.is_dir():
        yield BackupSource(path=path, manifest=None), None
        return
    with archive.opened(path) as reader:
        with ProgressLine("Verifying", quiet=as_json, unit="MB") as progress:
            restore.check(reader, progress.adding(reader.manifest.total_bytes))
        yield BackupSource(path=path, manifest=reader.manifest), reader


def _tried(
    workspace: Workspace,
    source: BackupSource,
    reader: "ArchiveReader | None",
    wishes: RestoreOptions,
) -> Output:
    """Preview: unpack the backup elsewhere, show the changes, and remove it again."""
    from signet.cli.restore_review import Changes, changes

    found, staged = Changes(), None
    with tempfile.TemporaryDirectory(prefix="signet-restore-") as folder:
        if reader is not None:
            place = Workspace(Path(folder))
            place.make()
            staged = _unpacked(place, reader, replace(wishes, as_json=True))  # asks no question
            found = changes(workspace, staged)
    facts = _facts(workspace, source)
    skipped = staged.skipped if staged else ()
    yield {"dryRun": True, **facts, **_as_json(found, skipped)}
    yield from _lines(facts, found)
    _say_skipped(skipped)
    output.say("Nothing was changed")


def _restored(
    workspace: Workspace,
    source: BackupSource,
    reader: "ArchiveReader | None",
    wishes: RestoreOptions,
) -> Output:
    from signet.cli.restore_review import Changes, changes
    from signet.domain.backup import restore
    from signet.domain.backup.kept import locked_backups

    facts = _facts(workspace, source)
    if not wishes.yes:
        check_asking(as_json=wishes.as_json)
    workspace.make()
    with locked_backups(workspace):
        if (finished := restore.resume(workspace)) is not None:
            output.tell(
                f"An interrupted restore was finished first; the previous state is in {finished}"
            )
        try:
            if reader is None:
                staged, found = _adopted(workspace, source), Changes()
            else:
                staged = _unpacked(workspace, reader, wishes)
                found = changes(workspace, staged)
            choice = _choice(facts, found, wishes)
            if choice is None:
                output.say("Nothing restored")
                raise typer.Exit(1)
            yield from _exchanged(workspace, source, staged, choice, wishes)
        finally:
            if not workspace.restore_journal.exists():
                restore.discard(workspace)


def _choice(
    facts: dict[str, object], found: "Changes", wishes: RestoreOptions
) -> SettingsDiff | None:
    """Return the choice for the backup's settings; None if the person declines the restore.

    Raises Invalid if the settings differ and no terminal can ask.
    """
    if wishes.yes:
        if wishes.settings is None and found.needs_consent:
            for line in found.lines():
                output.tell(line)
            raise Invalid(
                "The backup would change settings, instructions, programs or secrets of this workspace (above). "
                "Pass --settings take to replace them, or --settings keep to restore only the memories",
                "settings_differ",
            )
        return wishes.settings or SettingsDiff.TAKE
    for line in _lines(facts, found):
        output.tell(line)
    if not confirmed("Restore it?"):
        return None
    if wishes.settings is not None or not found.needs_consent:
        return wishes.settings or SettingsDiff.TAKE
    takes = confirmed("Replace these settings, too? (no: restore only the memories)")
    return SettingsDiff.TAKE if takes else SettingsDiff.KEEP


def _exchanged(
    workspace: Workspace,
    source: BackupSource,
    staged: "Staged",
    choice: SettingsDiff,
    wishes: RestoreOptions,
) -> Output:
    from signet import config
    from signet.config.sections import AuthMode
    from signet.daemon import control, record
    from signet.domain.backup import archive, restore

    found = record.running(workspace)
    control.stop(workspace)
    try:
        with restore.server_as_file(workspace, now=clock.now()):
            forgotten, gone_sessions, stayed = _carried(workspace, staged, choice, wishes)
            aside = restore.exchange(
                workspace,
                staged,
                only=archive.MEMORIES if choice is SettingsDiff.KEEP else None,
                now=clock.now(),
            )
    finally:
        # In any case, restart a daemon that ran before; its start finishes an interrupted exchange.
        if found is not None:
            with shown_log(wishes.as_json):
                control.start(workspace, found.port, tell=output.tell)
    yield {
        "restored": True,
        "from": str(source.path),
        "replaced": str(aside),
        "settings": choice,
        "schema": staged.schema,
        "migratedFrom": staged.migrated_from,
        "counts": staged.counts,
        "daemonRunning": found is not None,
        "forgotten": forgotten,
        "forgottenSessions": gone_sessions,
        "secrets": sorted(staged.secrets) if choice is SettingsDiff.TAKE else [],
        "skipped": [asdict(one) for one in staged.skipped],
    }
    if forgotten:
        what = output.count(forgotten, "memory")
        output.say(
            f"{what} forgotten since the backup stay forgotten (to have them: --with-forgotten)"
        )
    if gone_sessions:
        what = output.count(gone_sessions, "session")
        output.say(f"{what} forgotten since the backup stay forgotten")
    _report(source, staged, aside, choice, stayed=stayed, is_running=found is not None)
    if config.load(workspace).settings.auth.mode != AuthMode.LOCAL:
        output.hint(
            "Revoked tokens stay revoked; tokens of another machine are not valid here: "
            "signet auth token list"
        )


def _carried(
    workspace: Workspace, staged: "Staged", choice: SettingsDiff, wishes: RestoreOptions
) -> tuple[int, int, bool]:
    """Repeat later forgetting in the unpacked database, and keep the workspace's tasks and connectors if asked.

    Return the numbers of memories and sessions, and whether the tasks and connectors could be read.
    """
    from signet.domain import memory_followers
    from signet.domain.backup.models import DATABASE
    from signet.domain.connectors import registry
    from signet.domain.memory import forgotten as memories
    from signet.domain.sessions import forget as sessions
    from signet.domain.spaces import share

    database = staged.folder / DATABASE
    keeps = workspace.database if choice is SettingsDiff.KEEP else None
    stayed = registry.settle_carried(database, keeps=keeps, now=clock.now())
    if not workspace.database.exists():
        return 0, 0, stayed
    memory_followers.register()
    now, present = clock.now(), workspace.database
    forgets = not wishes.with_forgotten
    gone_sessions = sessions.over(present, database, now=now) if forgets else 0
    also = partial(share.carry_over, now=now)
    forgot = memories.carry_over(present, database, now=now, also=also, forgets=forgets)
    return forgot, gone_sessions, stayed


def _adopted(workspace: Workspace, source: BackupSource) -> "Staged":
    from signet.domain.backup import restore

    if not source.path.resolve().is_relative_to(workspace.replaced_dir.resolve()):
        raise NotFound(f"{source.path} is not a folder set aside by a restore")
    return restore.adopt(workspace, source.path, now=clock.now())


def _unpacked(workspace: Workspace, reader: "ArchiveReader", wishes: RestoreOptions) -> "Staged":
    """Unpack a backup, with its secrets if they are wanted and a passphrase opens them."""
    from signet.domain.backup import restore
    from signet.domain.secrets import vault

    wrapped, secrets = reader.manifest.secrets, None
    if wrapped is not None and wishes.settings is not SettingsDiff.KEEP:
        question = f"Passphrase of the {output.count(wrapped.count, 'secret')} (empty: leave out): "
        phrase = passphrase.ask_passphrase(wishes.passphrase_file, question, as_json=wishes.as_json)
        if phrase is None:
            output.tell(
                "The secrets in the backup stay there. To restore them, set "
                f"{passphrase.VARIABLE} or pass --passphrase-file FILE"
            )
        else:
            secrets = vault.unwrap(wrapped, phrase)
    with ProgressLine("Unpacking", quiet=wishes.as_json, unit="MB") as progress:
        tell = progress.adding(reader.manifest.total_bytes)
        staged = restore.stage(workspace, reader, now=clock.now(), tell=tell)
    return restore.with_secrets(workspace, staged, secrets) if secrets else staged


def _facts(workspace: Workspace, source: BackupSource) -> dict[str, object]:
    """Return the backup, the current state and whether the daemon runs, for `--json`."""
    from signet import engine
    from signet.daemon import record
    from signet.db import migrate, snapshot

    running = record.running(workspace) is not None
    backup = None if source.manifest is None else source.manifest.summary()
    try:
        present = snapshot.counts(workspace.database) if engine.exists(workspace.database) else {}
    except StorageDamaged:
        present = None  # the likely reason for the restore
    return {
        "from": str(source.path),
        "workspace": str(workspace.root),
        "backup": backup,
        "present": present,
        "schema": migrate.head(),
        "daemonRunning": running,
    }


def _lines(facts: dict[str, object], found: "Changes") -> Iterator[str]:
    backup, present = facts["backup"], facts["present"]
    yield f"From       {facts['from']}"
    if isinstance(backup, dict):
        made = output.local(str(backup["createdAt"]))
        yield f"Made       {made} by Signet {backup['version']} in {backup['workspace']}"
        files, size = output.count(backup["files"], "file"), output.size(backup["bytes"])
        memories = output.count(backup["counts"].get("memories", 0), "memory")
        yield f"Holds      {memories}, {files}, {size}"
        if backup["secrets"]:
            yield f"Secrets    {backup['secrets']}, encrypted with a passphrase"
        if backup["schema"] != facts["schema"]:
            yield f"Schema     {backup['schema']}, will be upgraded to {facts['schema']}"
    there = "an unreadable database"
    if isinstance(present, dict):
        there = output.count(present.get("memories", 0), "memory")
    yield f"Replaces   {there} in {facts['workspace']}, which is kept"
    if facts["daemonRunning"]:
        yield "Daemon     is running; it is stopped briefly and started again"
    changes = [*found.lines()]
    if changes:
        yield "Changes    besides memories, the backup changes"
        yield from changes


def _as_json(found: "Changes", skipped: "tuple[LeftOut, ...]") -> dict[str, object]:
    return {"changes": asdict(found), "skipped": [asdict(one) for one in skipped]}


def _say_skipped(skipped: "tuple[LeftOut, ...]") -> None:
    for one in skipped[:SHOWN]:
        output.tell(f"not restored:  {output.plain(one.path)} ({output.plain(one.why)})")
    if len(skipped) > SHOWN:
        output.tell(f"not restored:  {len(skipped) - SHOWN} more files")


def _report(
    source: BackupSource,
    staged: "Staged",
    aside: Path,
    choice: SettingsDiff,
    *,
    stayed: bool,
    is_running: bool,
) -> None:
    memories = output.count(staged.counts.get("memories", 0), "memory")
    output.say(f"Restored {memories} from {source.path}")
    if staged.migrated_from:
        output.say(f"  upgraded from schema {staged.migrated_from} to {staged.schema}")
    if choice is SettingsDiff.KEEP:
        also = "tasks, connected folders, " if stayed else ""
        output.say(f"  {also}settings, instructions, skills and secrets stayed")
        if not stayed:
            output.say("  tasks and connected folders could not be read, and are gone")
        output.say("  other tasks of the backup are disabled: signet task list")
    elif staged.secrets:
        output.say(f"  {output.count(len(staged.secrets), 'secret')} restored")
    output.say(f"  the previous state is kept in {aside}")
    _say_skipped(staged.skipped)
    output.hint(f"Undo with: signet restore {aside}\nOr delete the previous state: rm -r {aside}")
    if not is_running:
        output.hint("Start the daemon with: signet daemon start")
