"""`signet daemon install` and `uninstall`: start at login, or no more."""

import sys
from typing import Annotated

import typer

from signet.cli import output
from signet.cli.daemon import JsonOption, PathOption, PortOption
from signet.paths import find_workspace

DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Show what would be done; change nothing.")
]


def install(
    path: PathOption = None,
    port: PortOption = None,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Start the daemon at every login, as a user service.

    A daemon that is running now is restarted as that service.

    Examples: signet daemon install · signet daemon install --dry-run
    """
    from signet.care import commands, service
    from signet.daemon import control, record

    workspace = find_workspace(path)
    found = service.planned(workspace, port=port)
    if dry_run:
        _show(found, as_json=as_json, is_written=False)
        return
    service.check_lasting()
    workspace.make()
    if not found.is_written and record.running(workspace) is not None:
        control.stop(workspace)  # else the service would find the port taken
    is_new, refused = service.install(found, commands.run)
    if as_json:
        output.show({"service": str(found.path), "written": is_new, "refused": refused})
    else:
        output.say(
            f"Service installed: {found.path}"
            if is_new
            else f"Service already installed: {found.path}"
        )
        for line in refused:
            output.tell(f"{output.ink(sys.stderr).bad('error:')} {line}")
        if found.manager is service.Manager.SYSTEMD:
            output.hint("To keep it running when you are logged out: loginctl enable-linger")
    if refused:
        raise typer.Exit(1)


def uninstall(
    path: PathOption = None, dry_run: DryRunOption = False, as_json: JsonOption = False
) -> None:
    """Remove the service that `install` added, and stop the daemon.

    Examples: signet daemon uninstall · signet daemon uninstall --dry-run
    """
    from signet.care import commands, service

    found = service.planned(find_workspace(path))
    if dry_run:
        _show(found, as_json=as_json, is_written=True)
        return
    was_there, refused = service.remove(found, commands.run)
    if as_json:
        output.show({"service": str(found.path), "removed": was_there, "refused": refused})
        return
    output.say(f"Service removed: {found.path}" if was_there else "No service is installed")
    for line in refused:
        output.tell(f"{output.ink(sys.stderr).warn('!')} {line}")


def _show(found: object, *, as_json: bool, is_written: bool) -> None:
    from signet.care.service import Service

    assert isinstance(found, Service)
    commands = [*found.disable, *found.after] if is_written else [*found.enable]
    lines = [" ".join(command) for command in commands]
    if as_json:
        text = None if is_written else found.text
        output.show({"service": str(found.path), "text": text, "commands": lines})
        return
    output.say(f"Would {'remove' if is_written else 'write'} {found.path}")
    if not is_written:
        output.say(found.text.rstrip())
    for line in lines:
        output.say(f"Would run: {line}")
