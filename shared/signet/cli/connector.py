"""`signet connector …`: connect folders whose files become documents, and keep them in sync."""

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from signet.cli import identify, output
from signet.cli.command import Output, arg, command, opt
from signet.cli.options import AgentOption
from signet.client import Signet
from signet.errors import SignetError

if TYPE_CHECKING:
    from signet.client.answers import Connector, ConnectorHealth, SyncProgress

app = typer.Typer(help="Manage folders whose files are read as documents.", no_args_is_help=True)

#: File errors to print.
ERRORS_SHOWN = 5

ConnectorArgument = Annotated[str, arg("ID, first characters of the ID, or name.", "CONNECTOR")]


@command(app, "list")
def list_connectors(signet: Signet) -> Output:
    """List the connectors, newest first.

    Examples: signet connector list · signet connector list --json
    """
    found = signet.connectors()
    yield {"connectors": found, "count": len(found)}
    advice = "Add a folder: signet connector add FOLDER --sync"
    yield from output.listed(map(_line, found), "No connectors", advice)


@command(app, does="read the files of a folder into memory")
def add(
    signet: Signet,
    folder: Annotated[str, arg("Path of the folder, on the daemon's machine.", "FOLDER")],
    name: Annotated[str | None, "Display name; default: the folder's name."] = None,
    pattern: Annotated[
        list[str] | None, "Files to read; default: **/*.md and **/*.txt. Repeatable."
    ] = None,
    ignore: Annotated[list[str] | None, "Files to skip. Repeatable."] = None,
    max_bytes: Annotated[int | None, opt("Skip files larger than this.", min=1)] = None,
    agent: AgentOption = None,
    sync_now: Annotated[bool, opt("Read the files now and wait until done.", "--sync")] = False,
    as_json: bool = False,
) -> Output:
    """Add a folder. The first sync reads its files as documents.

    Examples: signet connector add ~/notes --sync · signet connector add docs --pattern "**/*.rst"
    """
    root = Path(folder).expanduser().absolute()
    wanted = {
        "rootPath": str(root),
        "patterns": pattern or None,
        "ignorePatterns": ignore or None,
        "maxFileSize": max_bytes,
    }
    settings = {key: value for key, value in wanted.items() if value is not None}
    made = signet.add_connector(
        display_name=name or root.name or str(root), settings=settings, agent_id=agent
    )
    if sync_now:
        yield from _sync(signet, [signet.connector(made["id"])], full=False, as_json=as_json)
    else:
        yield made
        output.say(f"Added {made['id']}")
        output.hint(f"Read it: signet connector sync {made['id'][:8]}")


@command(app, does="read the folder of a connector again")
def sync(
    signet: Signet,
    connector: Annotated[str | None, arg("Connector to sync; default: all.", "CONNECTOR")] = None,
    full: Annotated[bool, "Read every file again, changed or not."] = False,
    wait: Annotated[bool, opt("Wait until it is done.", "--wait/--no-wait")] = True,
    as_json: bool = False,
) -> Output:
    """Read new and changed files, and show the progress.

    Examples: signet connector sync · signet connector sync notes --full
    """
    if connector:
        chosen = [_find(signet, connector)]
    else:
        chosen = [one for one in signet.connectors() if one["provider"] == "filesystem"]
    yield from _sync(signet, chosen, full=full, wait=wait, as_json=as_json)


@command(app)
def health(signet: Signet, connector: ConnectorArgument) -> Output:
    """Show the state of a connector and its skipped files.

    Examples: signet connector health notes · signet connector health notes --json
    """
    one = _find(signet, connector)
    found = signet.connector_health(one["id"])
    yield found
    output.say(_line(one))
    last = found["lastSyncAt"]
    output.say(f"  last sync   {output.local(last) if last else 'never'}")
    states = ", ".join(f"{number} {state}" for state, number in sorted(found["documents"].items()))
    output.say(f"  documents   {states or 'none'}")
    if found["lastError"]:
        output.say(f"  error       {output.plain(found['lastError'])}")
    _say_errors(found["progress"])


@command(app, does="remove a connector")
def remove(
    signet: Signet,
    connector: ConnectorArgument,
    cascade: Annotated[
        bool, opt("Also delete its documents, and the memories only they contain.", "--documents")
    ] = False,
) -> Output:
    """Remove a connector. Its documents are kept, unless --documents is given.

    Examples: signet connector remove notes · signet connector remove notes --documents
    """
    one = _find(signet, connector)
    gone = signet.remove_connector(one["id"], cascade=cascade)
    yield {**gone, "id": one["id"]}
    output.say(f"Removed {_name(one)}{' and its documents' if cascade else ''}")


def _find(signet: Signet, named: str) -> "Connector":
    return identify.one(
        signet.connectors(),
        named,
        noun="connector",
        see="connector list",
        name=lambda one: one["display_name"] or "",
    )


def _sync(
    signet: Signet,
    chosen: list["Connector"],
    *,
    full: bool,
    wait: bool = True,
    as_json: bool,
) -> Output:
    """Sync connectors in order; raises SignetError when one fails."""
    results, failed = [], []
    for one in chosen:
        started = signet.sync_connector(one["id"], full=full)
        if not wait:
            results.append({"id": one["id"], **started})
            continue
        with output.Passing(quiet=as_json) as passing:
            ended = signet.wait_for_sync(one["id"], watch=partial(_draw, passing, one))
        results.append(dict(ended))
        if ended["status"] == "error":
            failed.append(f"{_name(one)}: {ended['lastError'] or 'the sync failed'}")
        elif not as_json:
            _say_ended(one, ended)
    if failed:
        raise SignetError("; ".join(failed), "sync_failed")
    yield {"connectors": results, "count": len(results)}
    if not chosen:
        output.say("No connectors")
    elif not wait:
        output.say(f"Started {output.count(len(results), 'sync')}")


def _draw(passing: output.Passing, one: "Connector", seen: "ConnectorHealth") -> None:
    if passing.is_live and seen["progress"]:
        passing.show(f"{_name(one)}  {_counts(seen['progress'])}")


def _say_ended(one: "Connector", ended: "ConnectorHealth") -> None:
    progress = ended["progress"]
    if ended["status"] == "syncing":
        output.say(f"{_name(one)}: still syncing; no progress for a minute")
        output.hint("Is the worker running? See: signet status")
        return
    output.say(f"{_name(one)}: {_counts(progress) if progress else 'up to date'}")
    _say_errors(progress)
    waiting = sum(n for state, n in ended["documents"].items() if state not in ("done", "failed"))
    if waiting:
        output.hint(
            f"{output.count(waiting, 'document')} waiting to be read; watch with: signet jobs watch"
        )


def _counts(progress: "SyncProgress") -> str:
    parts = (
        (progress["filesSeen"], output.count(progress["filesSeen"], "file")),
        (progress["documentsAdded"], f"{progress['documentsAdded']} new"),
        (progress["documentsUpdated"], f"{progress['documentsUpdated']} changed"),
        (progress["documentsRemoved"], f"{progress['documentsRemoved']} gone"),
        (progress["errorCount"], f"{progress['errorCount']} skipped"),
    )
    return ", ".join(text for number, text in parts if number) or "no files"


def _say_errors(progress: "SyncProgress | None") -> None:
    errors = progress["errors"] if progress else []
    for error in errors[:ERRORS_SHOWN]:
        output.say(f"  skipped     {output.plain(error['resourceId'])}: {error['message']}")
    if progress and progress["errorCount"] > ERRORS_SHOWN:
        output.say(f"  and {progress['errorCount'] - ERRORS_SHOWN} more")


def _line(one: "Connector") -> str:
    ink = output.ink(sys.stdout)
    state = one["status"]
    color = {"error": ink.bad, "syncing": ink.name}.get(state, ink.dim)
    where = output.plain(str(one["settings"].get("rootPath") or one["provider"]))
    last = output.local(one["last_sync_at"]) if one["last_sync_at"] else "never synced"
    return f"{one['id'][:8]}  {ink.bold(_name(one))}  {where}  {color(state)}  {ink.dim(last)}"


def _name(one: "Connector") -> str:
    return output.plain(one["display_name"] or one["provider"])
