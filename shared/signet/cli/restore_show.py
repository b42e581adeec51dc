"""Texts of `signet restore`: the backup's content, the changes it would make, and the result."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from signet.cli import output
from signet.cli.output import ProgressLine
from signet.errors import StorageDamaged
from signet.paths import Workspace

if TYPE_CHECKING:
    from signet.cli.restore_review import Changes
    from signet.domain.backup.models import LeftOut, Manifest
    from signet.domain.backup.restore import Staged

MEGABYTE = 1_000_000
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


def facts(workspace: Workspace, source: BackupSource) -> dict[str, object]:
    """Return the backup, the current state and whether the daemon runs, for `--json`."""
    from signet.daemon import record
    from signet.db import migrate, snapshot

    running = record.running(workspace) is not None
    backup = None if source.manifest is None else source.manifest.summary()
    try:
        present = snapshot.counts(workspace.database) if workspace.database.exists() else {}
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


def lines(facts: dict[str, object], found: "Changes") -> Iterator[str]:
    """Yield the facts and the changes as lines for people."""
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


def as_json(found: "Changes", skipped: "tuple[LeftOut, ...]") -> dict[str, object]:
    """Return the changes and skipped files, for `--json`."""
    return {"changes": asdict(found), "skipped": [asdict(one) for one in skipped]}


def say_skipped(skipped: "tuple[LeftOut, ...]") -> None:
    """Print the skipped files, the first ones by name."""
    for one in skipped[:SHOWN]:
        output.tell(f"not restored:  {output.plain(one.path)} ({output.plain(one.why)})")
    if len(skipped) > SHOWN:
        output.tell(f"not restored:  {len(skipped) - SHOWN} more files")


def report(
    source: BackupSource, staged: "Staged", aside: Path, choice: SettingsDiff, *, is_running: bool
) -> None:
    """Print the result of a restore, and how to undo it."""
    memories = output.count(staged.counts.get("memories", 0), "memory")
    output.say(f"Restored {memories} from {source.path}")
    if staged.migrated_from:
        output.say(f"  upgraded from schema {staged.migrated_from} to {staged.schema}")
    if choice is SettingsDiff.KEEP:
        output.say("  settings, instructions, skills, connected folders and secrets stayed")
        output.say("  tasks of the backup are disabled: signet task list")
    elif staged.secrets:
        output.say(f"  {output.count(len(staged.secrets), 'secret')} restored")
    output.say(f"  the previous state is kept in {aside}")
    say_skipped(staged.skipped)
    output.hint(f"Undo with: signet restore {aside}\nOr delete the previous state: rm -r {aside}")
    if not is_running:
        output.hint("Start the daemon with: signet daemon start")


class TableCount(ProgressLine):
    """Progress in megabytes, from increments."""

    def __init__(self, title: str, total: int, *, quiet: bool) -> None:
        super().__init__(title, quiet=quiet, unit="MB")
        self._all = total
        self._so_far = 0

    def tell(self, size: int) -> None:
        """Add a number of bytes."""
        self._so_far += size
        self.count(self._so_far // MEGABYTE, self._all // MEGABYTE)
