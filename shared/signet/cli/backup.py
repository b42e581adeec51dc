"""`signet backup`: copy the workspace while the daemon runs; `signet backup list` lists the copies."""

import contextlib
import os
import shlex
import sys
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from signet import clock
from signet.cli import output, passphrase
from signet.cli.command import Output, PathOption, arg, command
from signet.cli.output import MEGABYTE, ProgressLine
from signet.domain.backup import kept
from signet.domain.backup.models import LeftOut
from signet.errors import Invalid, SignetError
from signet.paths import Workspace, find_workspace

if TYPE_CHECKING:
    from signet.domain.secrets.vault import Wrapped

LIST = "list"
#: Excluded items to list; the others are counted.
SHOWN = 5


@command()
def backup(
    file: Annotated[
        str | None,
        arg("File to write; default: one in the workspace's backups folder.", "[FILE | list]"),
    ] = None,
    secrets: Annotated[bool, "Include the secrets, encrypted with a passphrase."] = False,
    passphrase_file: passphrase.FileOption = None,
    path: PathOption = None,
    as_json: bool = False,
) -> Output:
    """Copy memories, settings, identity and skills into one file.

    The daemon may keep running. A backup alone opens no secret: secrets are included only with --secrets, encrypted
    with a passphrase. Keys, logs, caches, links, git repositories and hidden files are left out.

    `signet backup list` shows the backups that are there: those made by this command, one per day (the newest seven),
    and one before each bulk forget (the newest three). The last two kinds never contain secrets. To move memories to
    another program, use `signet export`.

    Examples: signet backup · signet backup /mnt/disk/signet.zip --secrets · signet backup list
    """
    workspace = find_workspace(path)
    if file == LIST:
        yield from _list(workspace)
        return
    if file and file.isalpha() and get_close_matches(file, [LIST]):
        raise Invalid(f"Did you mean signet backup list? For a file of this name: ./{file}")
    from signet import config
    from signet.domain.backup import create

    config.load(workspace)
    os.umask(0o077)
    wrapped = _wrapped(workspace, passphrase_file, as_json=as_json) if secrets else None
    with ProgressLine("Backing up", quiet=as_json, unit="MB") as progress:
        made = create.create(
            workspace,
            Path(file) if file else None,
            secrets=wrapped,
            now=clock.now(),
            tell=lambda done, total: progress.count(done // MEGABYTE, total // MEGABYTE),
        )
    yield made.to_dict()
    output.say(f"Backed up to {made.path}")
    found = made.manifest
    memories = output.count(found.counts.get("memories", 0), "memory")
    output.say(f"  {memories}, {output.count(len(found.files), 'file')}, {output.size(made.bytes)}")
    _say_left_out(found.leftOut)
    _say_secrets(workspace, wrapped)
    output.hint(f"Restore it with: signet restore {shlex.quote(str(made.path))}")


def _wrapped(workspace: Workspace, file: str | None, *, as_json: bool) -> "Wrapped":
    """Return the workspace's secrets under a passphrase. Raises Invalid, also for unreadable secrets."""
    from signet.domain.secrets import vault as vaults
    from signet.domain.secrets.vault import Vault

    vault = Vault(workspace.vault)
    found = vault.everything()
    if unreadable := [name for name in vault.names() if name not in found]:
        raise Invalid(
            f"{', '.join(unreadable)} cannot be decrypted. Store them again (signet secret put), "
            "delete them (signet secret delete), or leave out --secrets"
        )
    return vaults.wrap(found, passphrase.chosen(file, as_json=as_json))


def _say_secrets(workspace: Workspace, wrapped: "Wrapped | None") -> None:
    from signet.domain.secrets.vault import Vault

    if wrapped is not None:
        output.say(f"  {output.count(wrapped.count, 'secret')}, encrypted with your passphrase")
        return
    with contextlib.suppress(SignetError, OSError):
        if names := Vault(workspace.vault).names():
            output.hint(f"Without the {output.count(len(names), 'secret')}; include: --secrets")


def _list(workspace: Workspace) -> Output:
    found = kept.backups(workspace)
    yield {"folder": str(workspace.backups_dir), "backups": [*map(kept.to_dict, found)]}
    if not found:
        output.say("No backups yet")
        output.hint("Create one with: signet backup")
        return
    for one in found:
        made = output.local(clock.to_text(one.made_at))
        output.say(f"{made}  {output.size(one.bytes):>10}  {one.reason:<14}{one.path}")


def _say_left_out(left_out: tuple[LeftOut, ...]) -> None:
    ink = output.ink(sys.stderr)
    for one in left_out[:SHOWN]:
        output.tell(
            f"{ink.warn('!')} not backed up:  {output.plain(one.path)} ({output.plain(one.why)})"
        )
    if len(left_out) > SHOWN:
        output.tell(f"{ink.warn('!')} and {len(left_out) - SHOWN} more")
