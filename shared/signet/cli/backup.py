"""`signet backup`: a copy of everything, made while the daemon runs; `signet backup list` shows those there are."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from signet import clock
from signet.cli import output
from signet.cli.command import Output, PathOption, command
from signet.cli.output import Progress
from signet.domain.backup import kept
from signet.domain.backup.kept import Kept
from signet.domain.backup.models import LeftOut
from signet.paths import Workspace, find_workspace

LIST = "list"
MEGABYTE = 1_000_000
#: So many things that stay out are shown; the others are counted.
SHOWN = 5


@command()
def backup(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE | list]",
            help="File to write; default: one in the workspace's backups folder.",
        ),
    ] = None,
    path: PathOption = None,
    as_json: bool = False,
) -> Output:
    """Copy everything into one file: memories, settings, identity, skills, secrets.

    The daemon may keep running. Logs, caches and runtime files are left out. Secrets are copied encrypted and can
    only be decrypted on this machine. `signet backup list` shows the backups that the workspace
    keeps: those made by this command without FILE, one a day (the newest seven), and one before memories are
    forgotten in bulk (the newest three). To move memories to another program, use `signet export`.

    Examples: signet backup · signet backup /mnt/disk/signet.zip · signet backup list
    """
    workspace = find_workspace(path)
    if file == LIST:
        yield from _list(workspace)
        return
    from signet.domain.backup import create

    os.umask(0o077)
    with Progress("Backing up", quiet=as_json, unit="MB") as progress:
        made = create.create(
            workspace,
            Path(file) if file else None,
            now=clock.now(),
            tell=lambda done, total: progress.count(done // MEGABYTE, total // MEGABYTE),
        )
    yield made.to_dict()
    output.say(f"Backed up to {made.path}")
    found = made.manifest
    memories = output.count(found.counts.get("memories", 0), "memory")
    output.say(f"  {memories}, {output.count(len(found.files), 'file')}, {output.size(made.bytes)}")
    _say_left_out(found.leftOut)
    if any(entry.path.startswith(".secrets/") for entry in found.files):
        output.hint("The secrets in it can only be decrypted on this machine.")
    output.hint(f"Restore it with: signet restore {made.path}")


def _list(workspace: Workspace) -> Output:
    found = kept.kept(workspace)
    yield {"folder": str(workspace.backups_dir), "backups": [*map(to_dict, found)]}
    if not found:
        output.say("No backups yet")
        output.hint("Create one with: signet backup")
        return
    for one in found:
        made = output.local(clock.to_text(one.made_at))
        output.say(f"{made}  {output.size(one.bytes):>10}  {one.reason:<14}{one.path}")


def to_dict(found: Kept) -> dict[str, object]:
    """Return the JSON form of a backup that is kept."""
    made = clock.to_text(found.made_at)
    return {
        "path": str(found.path),
        "createdAt": made,
        "reason": found.reason,
        "bytes": found.bytes,
    }


def _say_left_out(left_out: tuple[LeftOut, ...]) -> None:
    ink = output.ink(sys.stderr)
    for one in left_out[:SHOWN]:
        output.tell(f"{ink.warn('!')} not backed up:  {output.plain(one.path)} ({one.why})")
    if len(left_out) > SHOWN:
        output.tell(f"{ink.warn('!')} and {len(left_out) - SHOWN} more")
