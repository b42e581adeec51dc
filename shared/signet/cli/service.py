"""`signet daemon install` and `uninstall`: start the daemon at login."""

import sys
from typing import TYPE_CHECKING

from signet.cli import output
from signet.cli.command import Output, PathOption, PortOption, StatusAnswer, command
from signet.cli.options import DryRunOption
from signet.paths import find_workspace

if TYPE_CHECKING:
    from signet.care.service import Service


@command(does="start Signet at every login")
def install(
    path: PathOption = None,
    port: PortOption = None,
    dry_run: DryRunOption = False,
) -> Output:
    """Start the daemon at every login, as a user service.

    A running daemon is restarted as that service.

    Examples: signet daemon install · signet daemon install --dry-run
    """
    from signet.care import commands, service
    from signet.daemon import control, record

    workspace = find_workspace(path)
    found = service.planned(workspace, port=port)
    if dry_run:
        yield from _planned(found, is_written=False)
        return
    service.check_lasting()
    workspace.make()
    if not found.is_written and record.running(workspace) is not None:
        control.stop(workspace)  # otherwise the service would find the port taken
    is_new, refused = service.install(found, commands.run)
    facts = {"service": str(found.path), "written": is_new, "refused": refused}
    yield StatusAnswer(facts, status=1 if refused else 0)
    output.say(f"Service {'' if is_new else 'already '}installed: {found.path}")
    for line in refused:
        output.tell(f"{output.ink(sys.stderr).bad('error:')} {line}")
    if found.manager is service.Manager.SYSTEMD:
        output.hint("Keep it running after logout with: loginctl enable-linger")


@command(does="stop starting Signet at every login")
def uninstall(path: PathOption = None, dry_run: DryRunOption = False) -> Output:
    """Remove the service that `install` added, and stop the daemon.

    Examples: signet daemon uninstall · signet daemon uninstall --dry-run
    """
    from signet.care import commands, service

    found = service.planned(find_workspace(path))
    if dry_run:
        yield from _planned(found, is_written=True)
        return
    was_there, refused = service.remove(found, commands.run)
    yield {"service": str(found.path), "removed": was_there, "refused": refused}
    output.say(f"Service removed: {found.path}" if was_there else "No service is installed")
    for line in refused:
        output.tell(f"{output.ink(sys.stderr).warn('!')} {line}")


def _planned(found: "Service", *, is_written: bool) -> Output:
    commands = [*found.disable, *found.after] if is_written else [*found.enable]
    lines = [" ".join(command) for command in commands]
    text = None if is_written else found.text
    yield {"service": str(found.path), "text": text, "commands": lines}
    output.say(f"Would {'remove' if is_written else 'write'} {found.path}")
    if not is_written:
        output.say(found.text.rstrip())
    for line in lines:
        output.say(f"Would run: {line}")
