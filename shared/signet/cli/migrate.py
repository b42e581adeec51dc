"""`signet migrate-schema`: upgrade the database to this version's schema without starting the daemon."""

from signet import clock
from signet.cli import output
from signet.cli.command import Output, PathOption, command
from signet.cli.daemon import default_port
from signet.errors import NotFound
from signet.paths import find_workspace

#: Name of the version of a TypeScript database.
EARLIER = "an earlier Signet"


@command()
def migrate_schema(path: PathOption = None) -> Output:
    """Upgrade the database to this version, after making a copy.

    The daemon does the same when it starts.

    Examples: signet migrate-schema · signet migrate-schema --path ~/other --json
    """
    from signet.care.setup import probe
    from signet.daemon import record
    from signet.db import migrate

    workspace = find_workspace(path)
    if not workspace.database.exists():
        raise NotFound("No memory database found. Create one with: signet setup", "no_database")
    if record.running(workspace) is None:
        probe.check_alone(workspace, probe.earlier(workspace, default_port(workspace)))
    done = migrate.upgrade(workspace.database, now=clock.now())
    copy = str(done.copy) if done.copy else None
    yield {"before": done.before, "after": done.after, "copy": copy}
    if done.before == done.after:
        output.say(f"Schema {done.after} is current")
    else:
        output.say(f"Schema upgraded: {done.before or EARLIER} → {done.after}")
        if done.copy is not None:
            output.say(f"A copy of the previous database is in {done.copy}")
