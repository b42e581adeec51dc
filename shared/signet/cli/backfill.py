"""`signet backfill`: read the sessions that harnesses recorded before Signet was installed."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from signet import clock
from signet.cli import output, work
from signet.cli.command import Output, StatusAnswer, command, opt
from signet.cli.options import SinceOption, folder
from signet.cli.output import ProgressLine
from signet.client import Signet, connection
from signet.errors import Invalid
from signet.paths import Workspace

if TYPE_CHECKING:
    from signet.client.answers import BackfillSurvey
    from signet.domain.backfill.models import WantedSessions

app = typer.Typer(
    help="Read earlier sessions of the harnesses on this machine.", invoke_without_command=True
)

#: Seconds between progress requests.
LOOK_SECONDS = 1.0
#: Projects and failures to print.
SHOWN = 8


@command(app, alone=True)
def backfill(
    signet: Signet,
    since: SinceOption = None,
    harness: Annotated[
        list[str] | None, opt("Only sessions of this harness. Repeatable.", metavar="NAME")
    ] = None,
    project: Annotated[
        list[str] | None,
        opt("Only this project and its subfolders. Repeatable.", metavar="FOLDER", parser=folder),
    ] = None,
    by_model: Annotated[
        bool,
        "Extract facts with the configured model, which may cost money, not the built-in rules.",
    ] = False,
    dry_run: Annotated[bool, "Show the sessions and the estimated time; read nothing."] = False,
    wait: Annotated[
        bool, opt("Show the progress; Ctrl-C leaves it running.", "--wait/--no-wait")
    ] = True,
) -> Output:
    """Read earlier sessions of Claude Code, Codex, OpenCode, OpenClaw, Gemini CLI and Cursor.

    Reads newest first, in the background, even after you close the terminal. Also reads the commit messages of the
    sessions' projects. Messages keep their times, secrets are masked, and nothing is read twice. Sends nothing
    anywhere unless you pass --by-model. On a machine connected to a remote daemon (signet connect), sends its
    sessions there.

    Examples: signet backfill --dry-run · signet backfill --since=90d --harness=claude-code
    """
    if signet.target.home is not None:
        if by_model:
            raise Invalid("--by-model works only on the daemon's own machine")
        from signet.domain.backfill.models import WantedSessions

        wanted = WantedSessions(
            agent_id="",
            since=clock.parsed(since or ""),
            harnesses=tuple(harness or ()),
            projects=tuple(project or ()),
        )
        yield from _sent(signet, Workspace(signet.target.home), wanted, dry_run=dry_run)
        return
    found = signet.backfill(
        since=since,
        harnesses=harness,
        projects=project or [],
        by_model=by_model,
        dry_run=dry_run,
    )
    yield found
    output.say(summary(found))
    if dry_run:
        yield from _table(found)
        if found["newSessions"]:
            output.advise("To read them, repeat the command without --dry-run")
        return
    if not wait or not output.is_live(sys.stderr):
        if found["newSessions"]:
            output.advise("Reading in the background. Progress: signet backfill status")
        return
    _watch(signet)


@command(app)
def status(signet: Signet) -> Output:
    """Show backfill progress.

    Examples: signet backfill status · signet backfill status --json
    """
    _check_here(signet, "status")
    found = signet.backfill_status()
    yield found
    output.say(work.backfill_line(found))
    for one in found["failures"][:SHOWN]:
        output.say(f"  not read    {output.plain(one['path'])}: {output.plain(one['reason'])}")
    if found["state"] == "stopped":
        output.advise("Reading has stopped. Resume with: signet backfill")


@command(app)
def stop(signet: Signet) -> Output:
    """Stop reading. Sessions already read are kept; `signet backfill` resumes later.

    Examples: signet backfill stop · signet backfill stop --json
    """
    _check_here(signet, "stop")
    found = signet.stop_backfill()
    yield found
    count = output.count(found["stopped"], "session")
    output.say(f"Stopped; {count} not read" if found["stopped"] else "No backfill is running")


def _check_here(signet: Signet, name: str) -> None:
    """Raise Conflict if the daemon cannot read this machine's sessions."""
    if signet.target.home is not None:
        connection.check_none(Workspace(signet.target.home), f"signet backfill {name}")


def _sent(
    signet: Signet, workspace: Workspace, wanted: "WantedSessions", *, dry_run: bool
) -> Output:
    """Send this machine's sessions to its remote daemon; exit 1 if some could not be sent."""
    from signet.cli.backfill_sent import Sender, by_harness  # imports readers of harness databases

    sender = Sender(signet, workspace, Path.home())
    every, new = sender.find(wanted)
    facts = {
        "sessions": len(every),
        "newSessions": len(new),
        "bytes": sum(one.bytes for one in new),
    }
    names = ", ".join(f"{count} of {name}" for name, count in by_harness(new))
    size = output.size(sum(one.bytes for one in new))
    if dry_run:
        yield facts
        output.say(f"Will be sent: {names} ({size})" if new else "No session that was not sent")
        return
    with ProgressLine("Sending", quiet=not new, unit="sessions") as progress:
        done = sender.send(new, lambda number: progress.count(number, len(new)))
    yield StatusAnswer(
        {**facts, "sent": done.sent, "failed": done.failed}, status=1 if done.why else 0
    )
    output.say(
        f"Sent {done.sent} of {output.count(len(new), 'session')}; {signet.target.url} reads them in the background"
        if new
        else "No session that was not sent"
    )
    if done.failed:
        output.say(f"Not taken: {output.count(done.failed, 'session')}")
    if done.why:
        output.hint(f"{output.plain(done.why.message)} Resume with: signet backfill")


def summary(found: "BackfillSurvey") -> str:
    if not found["sessions"]:
        return "No earlier sessions found"
    new = found["newSessions"]
    if not new:
        return f"No new sessions; {output.count(found['sessions'], 'session')} already read"
    names = ", ".join(one["name"] for one in found["harnesses"] if one["newSessions"])
    size, took = output.size(found["bytes"]), clock.span(found["seconds"])
    known = f", {found['sessions'] - new} more are already read" if found["sessions"] > new else ""
    return f"{output.count(new, 'session')} of {names} ({size}){known}; reading them takes about {took}"


def _table(found: "BackfillSurvey") -> Output:
    for one in found["harnesses"]:
        days = f"{output.day(one['oldest'])} to {output.day(one['newest'])}"
        yield f"  {one['name']:<14}{one['newSessions']:>6} new of {one['sessions']:<6} {days}"
    if found["repositories"]:
        yield f"  Commits of {output.count(found['repositories'], 'repository')}"
    for project in found["projects"][:SHOWN]:
        name = output.plain(project["project"] or "no project")
        yield f"  {project['sessions']:>6}  {name}"
    if len(found["projects"]) > SHOWN:
        yield f"          and {len(found['projects']) - SHOWN} more projects"


def _watch(signet: Signet) -> None:
    """Show the progress until everything is read."""
    found = signet.backfill_status()
    try:
        with ProgressLine("Reading", quiet=False, unit="sessions") as progress:
            while found["state"] in ("running", "finishing"):
                done = found["sessions"] - found["waiting"]
                progress.count(done, found["sessions"])
                time.sleep(LOOK_SECONDS)
                found = signet.backfill_status()
    except KeyboardInterrupt:
        output.tell("\nContinues in the background. Stop it with: signet backfill stop")
        return
    output.say(work.backfill_line(found))
