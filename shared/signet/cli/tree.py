"""The command tree, and the map of it that `signet` alone prints."""

import os
import sys
from typing import TYPE_CHECKING, Annotated, cast

import typer

from signet import __version__
from signet.cli import (
    auth,
    backup,
    connector,
    daemon,
    diagnostics,
    doctor,
    embeddings,
    jobs,
    logs,
    memory,
    models,
    output,
    quickstart,
    recall,
    remember,
    repair,
    report,
    restore,
    secret,
    service,
    skill,
    status,
    transfer,
    uninstall,
)
from signet.paths import find_workspace

if TYPE_CHECKING:
    from typer.core import TyperGroup

#: How the map groups the commands.
FIRST, MEMORY, DAEMON, CARE = "First steps", "Memory", "Daemon", "Care"

app = typer.Typer(
    rich_markup_mode=None,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": output.MAX_WIDTH},
)
app.command(rich_help_panel=FIRST)(quickstart.quickstart)
app.command(rich_help_panel=FIRST)(status.status)
app.command(rich_help_panel=FIRST)(status.paths)
app.command(rich_help_panel=MEMORY)(remember.remember)
app.command(rich_help_panel=MEMORY)(recall.recall)
app.add_typer(memory.app, name="memory", rich_help_panel=MEMORY)
app.command(rich_help_panel=MEMORY)(transfer.export)
app.command("import", rich_help_panel=MEMORY)(transfer.import_)
app.add_typer(jobs.app, name="jobs", rich_help_panel=MEMORY)
app.add_typer(embeddings.app, name="embeddings", rich_help_panel=MEMORY)
app.add_typer(models.app, name="models", rich_help_panel=MEMORY)
app.add_typer(connector.app, name="connector", rich_help_panel=MEMORY)
app.add_typer(skill.app, name="skill", rich_help_panel=MEMORY)
app.add_typer(secret.app, name="secret", rich_help_panel=MEMORY)
daemon.app.command()(logs.logs)
daemon.app.command()(service.install)
daemon.app.command()(service.uninstall)
app.add_typer(daemon.app, name="daemon", rich_help_panel=DAEMON)
app.add_typer(auth.app, name="auth", rich_help_panel=DAEMON)
for _alias in (daemon.start, daemon.stop, daemon.restart, logs.logs):
    app.command(rich_help_panel=DAEMON)(_alias)
app.command(rich_help_panel=CARE)(diagnostics.diagnostics)
app.add_typer(repair.app, name="repair", rich_help_panel=CARE)
for _care in (doctor.doctor, backup.backup, restore.restore, report.report, uninstall.uninstall):
    app.command(rich_help_panel=CARE)(_care)


def command() -> "TyperGroup":
    """Return the tree, ready to be called with arguments."""
    made = typer.main.get_command(app)
    return cast("TyperGroup", made)


@app.callback(invoke_without_command=True)
def signet(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", "-V", help="Print the version.", is_eager=True)
    ] = False,
    no_color: Annotated[bool, typer.Option("--no-color", help="Print without colour.")] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print results and errors only.")
    ] = False,
    verbose: Annotated[
        int,
        typer.Option(
            "-v", count=True, show_default=False, help="Say more; -vv shows traces of errors."
        ),
    ] = 0,
) -> None:
    """Persistent memory for AI agents, on your own machine.

    Examples: signet quickstart · signet recall "what do I prefer?"
    """
    if no_color:
        os.environ["NO_COLOR"] = "1"
    if quiet:
        os.environ[output.QUIET] = "1"
    if version:
        output.say(__version__)
        raise typer.Exit
    if context.invoked_subcommand is None:
        _show_map(context)


def _show_map(context: typer.Context) -> None:
    ink = output.ink(sys.stdout)
    group = context.command
    assert hasattr(group, "commands")
    panels: dict[str, list[tuple[str, str]]] = {}
    for name, one in group.commands.items():
        panels.setdefault(str(one.rich_help_panel), []).append(
            (name, one.get_short_help_str(output.width() - 14))
        )
    output.say(f"{ink.bold('signet')} {__version__} · persistent memory for AI agents")
    for panel, entries in panels.items():
        output.say(f"\n{ink.bold(panel)}")
        for name, text in entries:
            output.say(f"  {ink.name(f'{name:<12}')}{text}")
    output.say(f"\nNext: {ink.bold(_next_step())}")
    output.say(ink.dim("Help for one command: signet COMMAND --help"))


def _next_step() -> str:
    from signet.daemon import record

    workspace = find_workspace()
    if not workspace.database.exists():
        return "signet quickstart"
    if record.running(workspace) is None:
        return "signet daemon start"
    return 'signet remember "I prefer tabs"'
