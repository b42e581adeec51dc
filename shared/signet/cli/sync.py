"""`signet sync`: update built-in skills and the files of harnesses."""

from pathlib import Path

from signet.cli import output
from signet.cli.command import Output, PathOption, StatusAnswer, command
from signet.client import connection
from signet.errors import NotFound, SignetError
from signet.paths import Workspace, find_workspace


@command()
def sync(path: PathOption = None) -> Output:
    """Update built-in skills, files and harness connections. Your own changes are kept.

    Examples: signet sync · signet sync --json
    """
    from signet import config
    from signet.cli.harness import site_of
    from signet.domain.harnesses import registry

    workspace = find_workspace(path)
    if not workspace.root.is_dir():
        raise NotFound(f"No workspace at {workspace.root}; create one with: signet setup")
    settings = config.load(workspace).settings
    is_elsewhere = (
        connection.connection_of(workspace) is not None
    )  # its agents' files are there too
    made = (
        [] if is_elsewhere else _files(workspace, settings.agent.name, settings.agent.description)
    )
    site = site_of(workspace)
    done = registry.Synced(changed=made)
    for harness in registry.wanted(site, settings.harnesses):
        registry.add_result(done, harness, registry.bring_up_to_date(site, harness))
    done = registry.joined(done, registry.sync_workspace(site, settings))
    delivered = _delivered(workspace, path)
    facts = {"changed": done.changed, "warnings": done.warnings, "failures": done.failures}
    yield StatusAnswer({**facts, "delivered": delivered}, status=1 if done.failures else 0)
    for line in done.output.splitlines():
        output.say(output.plain(line))
    if delivered:
        output.say(f"Sent waiting hook calls: {output.count(delivered, 'call')}")


def _delivered(workspace: Workspace, path: str | None) -> int:
    """Deliver spooled calls to a remote daemon, and return their number."""
    from signet.cli import spooled
    from signet.client import target

    try:
        daemon = target.find(path=path, actor="sync", actor_type="harness")
    except SignetError:
        return 0
    return spooled.deliver(workspace, daemon) if spooled.may_receive_spool(workspace, daemon) else 0


def _files(workspace: Workspace, name: str, description: str) -> list[str]:
    from signet.care.setup import files
    from signet.domain.gitsync import guarded

    made = files.identity(workspace, name=name, description=description)
    made += [".gitignore"] if guarded.ignore(workspace) else []
    made += [str(Path("skills") / one) for one in files.skills(workspace)]
    return [str(workspace.root / one) for one in made]
