"""`signet storage …`: where the memory is stored, and moving it."""

from typing import Annotated

import typer

from signet.cli import output
from signet.cli.command import Output, PathOption, arg, check_person, command
from signet.cli.daemon import shown_log
from signet.cli.output import ProgressLine
from signet.paths import find_workspace

app = typer.Typer(
    help="Store the memory in a file or on a PostgreSQL server.", no_args_is_help=True
)


@command(app, does="move the memory to another database")
def move(
    target: Annotated[str, arg("postgresql://USER@HOST/DATABASE, or: file", "TARGET")],
    path: PathOption = None,
    as_json: bool = False,
) -> Output:
    """Move the memory to an empty PostgreSQL database, or back to the workspace's file.

    The daemon stops meanwhile and starts again if it was running. All rows are copied in one transaction and compared
    with the old ones; if anything fails, nothing has changed. The old copy stays until you remove it. The address
    contains no password: set PGPASSWORD or use ~/.pgpass. Settings, identity files, skills and secrets stay here.
    Connected folders are not read on a server; their documents stay.

    Examples: signet storage move postgresql://ada@db.example/signet · signet storage move file
    """
    from signet import config
    from signet.care import storage
    from signet.daemon import control, record

    check_person("move the memory")
    workspace = find_workspace(path)
    config.load(workspace)
    storage.check(workspace, target)
    found = record.running(workspace)
    control.stop(workspace)
    try:
        with ProgressLine("Moving", quiet=as_json, unit="rows") as progress:
            done = storage.move(workspace, target, tell=lambda rows: progress.count(rows, rows))
    finally:
        if found is not None:
            with shown_log(as_json):
                control.start(workspace, found.port, tell=output.tell)
    rows = sum(done.moved.rows.values())
    yield {
        "movedTo": target,
        "rows": done.moved.rows,
        "adapted": done.moved.adapted,
        "leftOut": list(done.moved.left_out),
        "left": done.left,
        "connectedFolders": list(done.folders),
        "daemonRunning": found is not None,
    }
    memories = output.count(done.moved.rows.get("memories", 0), "memory")
    output.say(f"Moved {rows:,} rows, compared, to {output.plain(target)}")
    output.say(f"  {memories}, forgotten ones included")
    for column, count in done.moved.adapted.items():
        output.say(f"  {output.count(count, 'value')} of {column} stored in another form")
    if done.moved.left_out:
        output.say(f"  left out, because Signet does not know it: {', '.join(done.moved.left_out)}")
    is_back = target == storage.FILE
    for folder in done.folders:
        state = "read on this machine again" if is_back else "no longer read; its documents stay"
        output.say(f"  connected folder, {state}: {output.plain(folder)}")
    if is_back and done.folders:
        output.hint("Remove folders of other machines before a sync: signet connector remove NAME")
    output.hint(f"The old copy stays in {output.plain(done.left)}")
    if found is None:
        output.hint("Start the daemon with: signet daemon start")
