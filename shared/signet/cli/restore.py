"""`signet restore`: a backup takes the place of what is there, which is kept aside."""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from signet import clock
from signet.cli import output
from signet.cli.command import Output, PathOption, check_asking, command, confirmed
from signet.cli.daemon import shown_log
from signet.cli.options import YesOption
from signet.cli.output import Progress
from signet.errors import NotFound
from signet.paths import Workspace, find_workspace

if TYPE_CHECKING:
    from signet.domain.backup.archive import Reader
    from signet.domain.backup.models import Manifest
    from signet.domain.backup.restore import Staged

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What is put back: an archive, or a folder that an earlier restore has put aside (`manifest` is then None)."""

    path: Path
    manifest: "Manifest | None"


@command()
def restore(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A backup file, or a folder that a restore kept."),
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Verify the backup and show what would happen.")
    ] = False,
    with_forgotten: Annotated[
        bool,
        typer.Option(
            "--with-forgotten",
            help="Also bring back what was forgotten or erased since the backup.",
        ),
    ] = False,
    yes: YesOption = False,
    path: PathOption = None,
    as_json: bool = False,
) -> Output:
    """Replace the workspace with a backup. The current state is kept.

    The backup is verified, unpacked and upgraded to this version's schema before anything is changed; then the daemon
    stops briefly, and starts again if it was running. If the command is killed, you have either the old state or the
    new one: `signet daemon start`, or another restore, finishes the interrupted one.

    What was forgotten or erased since the backup stays so, unless --with-forgotten is given.

    Examples: signet restore signet.zip --dry-run · signet restore signet.zip --yes
    """
    os.umask(0o077)
    workspace, chosen = find_workspace(path), Path(file).expanduser().absolute()
    with _opened(chosen, as_json=as_json) as (source, reader):
        facts = _facts(workspace, source)
        if dry_run:
            yield {"dryRun": True, **facts}
            yield from _lines(facts)
            output.say("Nothing was changed")
            return
        if not yes and not _is_wanted(facts, as_json=as_json):
            output.say("Nothing restored")
            raise typer.Exit(1)
        yield from _do(workspace, source, reader, with_forgotten=with_forgotten, as_json=as_json)


@contextlib.contextmanager
def _opened(path: Path, *, as_json: bool) -> "Iterator[tuple[Source, Reader | None]]":
    """Open and verify what is to be restored."""
    from signet.domain.backup import archive, restore

    if path.is_dir():
        yield Source(path=path, manifest=None), None
        return
    with archive.opened(path) as reader:
        with _Counted("Verifying", reader.manifest.total_bytes, quiet=as_json) as counted:
            restore.check(reader, counted.tell)
        yield Source(path=path, manifest=reader.manifest), reader


def _facts(workspace: Workspace, source: Source) -> dict[str, object]:
    from signet.daemon import record
    from signet.db import migrate, snapshot

    running = record.running(workspace) is not None
    backup = None if source.manifest is None else source.manifest.summary()
    try:
        present = snapshot.counts(workspace.database) if workspace.database.exists() else {}
    except snapshot.Damaged:
        present = None  # the very reason for a restore
    return {
        "from": str(source.path),
        "workspace": str(workspace.root),
        "backup": backup,
        "present": present,
        "schema": migrate.head(),
        "daemonRunning": running,
    }


def _lines(facts: dict[str, object]) -> Iterator[str]:
    backup, present = facts["backup"], facts["present"]
    yield f"From       {facts['from']}"
    if isinstance(backup, dict):
        made = output.local(str(backup["createdAt"]))
        yield f"Made       {made} by Signet {backup['version']} in {backup['workspace']}"
        files, size = output.count(backup["files"], "file"), output.size(backup["bytes"])
        memories = output.count(backup["counts"].get("memories", 0), "memory")
        yield f"Holds      {memories}, {files}, {size}"
        if backup["schema"] != facts["schema"]:
            yield f"Schema     {backup['schema']}, will be upgraded to {facts['schema']}"
    there = "an unreadable database"
    if isinstance(present, dict):
        there = output.count(present.get("memories", 0), "memory")
    yield f"Replaces   {there} in {facts['workspace']}, which is kept"
    if facts["daemonRunning"]:
        yield "Daemon     is running; it is stopped briefly and started again"


def _is_wanted(facts: dict[str, object], *, as_json: bool) -> bool:
    check_asking(as_json=as_json)
    for line in _lines(facts):
        output.tell(line)
    return confirmed("Restore it?")


def _do(
    workspace: Workspace,
    source: Source,
    reader: "Reader | None",
    *,
    with_forgotten: bool,
    as_json: bool,
) -> Output:
    from signet import config
    from signet.config.sections import AuthMode
    from signet.daemon import control, record
    from signet.domain import memory_followers
    from signet.domain.backup import restore
    from signet.domain.backup.lock import alone
    from signet.domain.backup.models import DATABASE
    from signet.domain.memory import carry
    from signet.domain.sessions import forget as sessions

    workspace.make()
    with alone(workspace):
        if (finished := restore.resume(workspace)) is not None:
            output.tell(
                f"An interrupted restore was finished first; the previous state is in {finished}"
            )
        staged = _staged(workspace, source, reader, as_json=as_json)
        found = record.running(workspace)
        control.stop(workspace)
        forgotten = gone_sessions = 0
        try:
            if not with_forgotten and workspace.database.exists():
                memory_followers.register()
                database = staged.folder / DATABASE
                gone_sessions = sessions.over(workspace.database, database, now=clock.now())
                forgotten = carry.over(workspace.database, database, now=clock.now())
            aside = restore.exchange(workspace, staged, now=clock.now())
        finally:
            # Whatever happened: what ran before runs again, and finishes an exchange that was begun.
            if found is not None:
                with shown_log(as_json):
                    control.start(workspace, found.port, tell=output.tell)
    yield {
        "restored": True,
        "from": str(source.path),
        "replaced": str(aside),
        "schema": staged.schema,
        "migratedFrom": staged.migrated_from,
        "counts": staged.counts,
        "daemonRunning": found is not None,
        "forgotten": forgotten,
        "forgottenSessions": gone_sessions,
    }
    if forgotten:
        what = output.count(forgotten, "memory")
        output.say(
            f"{what} forgotten since the backup stay forgotten (to have them: --with-forgotten)"
        )
    if gone_sessions:
        what = output.count(gone_sessions, "session")
        output.say(f"{what} forgotten since the backup stay forgotten")
    _report(source, staged, aside, is_running=found is not None)
    if config.load(workspace).settings.auth.mode != AuthMode.LOCAL:
        output.hint("Tokens revoked since then are valid again: signet auth token list")


def _staged(
    workspace: Workspace, source: Source, reader: "Reader | None", *, as_json: bool
) -> "Staged":
    from signet.domain.backup import restore

    if reader is None:
        if not source.path.resolve().is_relative_to(workspace.replaced_dir.resolve()):
            raise NotFound(f"{source.path} is not a folder that a restore kept")
        return restore.adopt(source.path, now=clock.now())
    with _Counted("Unpacking", reader.manifest.total_bytes, quiet=as_json) as counted:
        return restore.stage(workspace, reader, now=clock.now(), tell=counted.tell)


def _report(source: Source, staged: "Staged", aside: Path, *, is_running: bool) -> None:
    memories = output.count(staged.counts.get("memories", 0), "memory")
    output.say(f"Restored {memories} from {source.path}")
    if staged.migrated_from:
        output.say(f"  upgraded from schema {staged.migrated_from} to {staged.schema}")
    output.say(f"  the previous state is kept in {aside}")
    output.hint(f"Undo with: signet restore {aside}\nOr delete the previous state: rm -r {aside}")
    if not is_running:
        output.hint("Start the daemon with: signet daemon start")


class _Counted(Progress):
    """Progress in megabytes, told piece by piece."""

    def __init__(self, title: str, total: int, *, quiet: bool) -> None:
        super().__init__(title, quiet=quiet, unit="MB")
        self._all = total
        self._so_far = 0

    def tell(self, size: int) -> None:
        """Hear that so many bytes more are done."""
        self._so_far += size
        self.count(self._so_far // MEGABYTE, self._all // MEGABYTE)
