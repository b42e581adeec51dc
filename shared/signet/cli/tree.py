"""The command tree, and the overview that `signet` alone prints.

A command's module is loaded when used, so that no command pays for the others.
"""

import os
import sys
from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from typer.core import TyperGroup

from signet import __version__
from signet.cli import output
from signet.errors import Invalid, Kind, SignetError
from signet.paths import find_workspace

if TYPE_CHECKING:
    from typer._click.core import Command

#: Maximum length of a first sentence.
_WHOLE = 1_000
#: Groups of the overview.
FIRST, MEMORY, AGENTS, DAEMON, MAINTENANCE = (
    "First steps",
    "Memory",
    "Agents",
    "Daemon",
    "Maintenance",
)


@dataclass(frozen=True, slots=True)
class CommandRow:
    """A command: name, place in the overview, and location (`module:function`, or `module:app` for a group).

    A command about the local daemon, models and files (`here`) is refused in a workspace connected to a remote daemon.
    """

    name: str
    panel: str
    where: str
    here: bool = False


#: Every command, in overview order.
ROWS = (
    CommandRow("setup", FIRST, "setup:setup", here=True),
    CommandRow("quickstart", FIRST, "quickstart:quickstart"),
    CommandRow("connect", FIRST, "elsewhere:connect"),
    CommandRow("disconnect", FIRST, "elsewhere:disconnect"),
    CommandRow("status", FIRST, "status:status"),
    CommandRow("dashboard", FIRST, "dashboard:dashboard"),
    CommandRow("workspace", FIRST, "workspace:app"),
    CommandRow("paths", FIRST, "status:paths"),
    CommandRow("remember", MEMORY, "remember:remember"),
    CommandRow("recall", MEMORY, "recall:recall"),
    CommandRow("list", MEMORY, "memory:list_memories"),
    CommandRow("edit", MEMORY, "edit:edit"),
    CommandRow("forget", MEMORY, "forget:forget"),
    CommandRow("undo", MEMORY, "undo:undo"),
    CommandRow("why", MEMORY, "context:why"),
    CommandRow("sessions", MEMORY, "sessions:app"),
    CommandRow("memory", MEMORY, "memory:app"),
    CommandRow("forgotten", MEMORY, "forgotten:app"),
    CommandRow("review", MEMORY, "review:app"),
    CommandRow("eval", MEMORY, "evaluate:app"),
    CommandRow("backfill", MEMORY, "backfill:app"),
    CommandRow("export", MEMORY, "transfer:export"),
    CommandRow("import", MEMORY, "transfer:import_"),
    CommandRow("jobs", MEMORY, "jobs:app"),
    CommandRow("models", MEMORY, "models:app", here=True),
    CommandRow("document", MEMORY, "document:app"),
    CommandRow("connector", MEMORY, "connector:app"),
    CommandRow("skill", MEMORY, "skill:app"),
    CommandRow("secret", MEMORY, "secret:app"),
    CommandRow("agent", AGENTS, "agent:app"),
    CommandRow("harness", AGENTS, "harness:app"),
    CommandRow("sync", AGENTS, "sync:sync"),
    CommandRow("hook", AGENTS, "hooks:app"),
    CommandRow("bypass", AGENTS, "sessions:bypass"),
    CommandRow("task", AGENTS, "task:app"),
    CommandRow("git", AGENTS, "git:app"),
    CommandRow("daemon", DAEMON, "daemon:app", here=True),
    CommandRow("auth", DAEMON, "auth:app"),
    CommandRow("trust", DAEMON, "trust:app"),
    CommandRow("config", DAEMON, "config:app", here=True),
    CommandRow("update", DAEMON, "update:app"),
    CommandRow("diagnostics", MAINTENANCE, "doctor:diagnostics"),
    CommandRow("repair", MAINTENANCE, "repair:app"),
    CommandRow("doctor", MAINTENANCE, "doctor:doctor", here=True),
    CommandRow("migrate-schema", MAINTENANCE, "doctor:migrate_schema", here=True),
    CommandRow("backup", MAINTENANCE, "backup:backup", here=True),
    CommandRow("restore", MAINTENANCE, "restore:restore", here=True),
    CommandRow("report", MAINTENANCE, "doctor:report", here=True),
    CommandRow("uninstall", MAINTENANCE, "doctor:uninstall"),
)

#: Former names of commands with their new ones. Drop them in 0.2.
RENAMED = {
    "ui": "dashboard",
    "start": "daemon start",
    "stop": "daemon stop",
    "restart": "daemon restart",
    "logs": "daemon logs",
    "configure": "config",
    "embed audit": "repair stats",
    "embed backfill": "repair re-embed --apply",
    "migrate-vectors": "repair resync-vec --apply",
    "skill remove": "skill uninstall",
}


#: Words of other programs for a command.
MEANT = {
    "add": "remember",
    "save": "remember",
    "search": "recall",
    "find": "recall",
    "ask": "recall",
    "ls": "list",
    "memories": "list",
    "show": "memory show",
    "history": "memory history",
    "rm": "forget",
    "delete": "forget",
    "remove": "forget",
    "recover": "memory recover",
    "pin": "edit --pin",
    "session": "sessions",
}


class UnsupportedCommand(SignetError):
    """Not available on this system."""

    kind = Kind.UNSUPPORTED
    code = "unsupported"


class _Commands(MutableMapping[str, "Command"]):
    """Commands by name, loaded on first use."""

    def __init__(self, rows: tuple[CommandRow, ...]) -> None:
        self._rows = {row.name: row for row in rows}
        self._made: dict[str, Command] = {}

    def __getitem__(self, name: str) -> "Command":
        if name not in self._made:
            self._made[name] = _made(self._rows[name])
        return self._made[name]

    def __setitem__(self, name: str, command: "Command") -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        raise TypeError("commands cannot be removed")

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


class _Root(TyperGroup):
    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands = _Commands(ROWS)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command for the arguments.

        Raises Invalid for a former name and for one of another program, and Conflict for a command about a
        daemon that this workspace does not have.
        """
        for name in (args[0], " ".join(args[:2])):
            if name in RENAMED:
                raise Invalid(f"`signet {name}` is now `signet {RENAMED[name]}`", "renamed")
        if args[0] in MEANT:
            raise Invalid(
                f"There is no `signet {args[0]}`; see `signet {MEANT[args[0]]}`", "unknown_command"
            )
        if not {"-h", "--help"} & {*args} and any(row.here and row.name == args[0] for row in ROWS):
            _check_here(args[0], args)
        return super().resolve_command(ctx, args)


def _check_here(name: str, args: list[str]) -> None:
    from signet.client import connection

    named = [args[at + 1] for at, one in enumerate(args[:-1]) if one in ("-p", "--path")]
    named += [one.partition("=")[2] for one in args if one.startswith("--path=")]
    workspace = find_workspace(named[-1] if named else None)
    connection.check_none(workspace, f"signet {name}")
    if sys.platform == "win32":
        raise UnsupportedCommand(
            f"`signet {name}` needs a daemon on this machine, which Windows cannot run",
            hint="Run it in WSL, or use a remote daemon: signet connect URL --key KEY",
        )


@cache
def _made(row: CommandRow) -> "Command":
    found = _found(row.where)
    holder = typer.Typer(rich_markup_mode=None, callback=lambda: None)
    if isinstance(found, typer.Typer):
        holder.add_typer(found, name=row.name)
    else:
        holder.command(row.name)(found)
    return cast(TyperGroup, typer.main.get_command(holder)).commands[row.name]


def _found(where: str) -> Any:
    module, _, name = where.partition(":")
    return getattr(import_module(f"signet.cli.{module}"), name)


app = typer.Typer(
    cls=_Root,
    rich_markup_mode=None,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": output.MAX_WIDTH},
)


def command() -> TyperGroup:
    made = typer.main.get_command(app)
    return cast(TyperGroup, made)


@app.callback(invoke_without_command=True)
def signet(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", "-V", help="Print the version and exit.", is_eager=True)
    ] = False,
    man: Annotated[
        bool, typer.Option("--man", help="Print the manual page, for man -l -.", is_eager=True)
    ] = False,
    no_color: Annotated[bool, typer.Option("--no-color", help="Print without colours.")] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print only results and errors.")
    ] = False,
    verbose: Annotated[
        int,
        typer.Option(
            "-v",
            count=True,
            show_default=False,
            help="Print more details; -vv prints stack traces of errors.",
        ),
    ] = 0,
) -> None:
    """Persistent memory for AI agents, on your own machine.

    Examples: signet setup · signet recall "what do I prefer?"
    """
    if no_color:
        os.environ["NO_COLOR"] = "1"
    if quiet:
        os.environ[output.QUIET] = "1"
    if version:
        output.say(__version__)
        raise typer.Exit
    if man:
        from signet.cli import man as page

        page.show(context.command)
        raise typer.Exit
    if context.invoked_subcommand is None:
        _show_map(context)


def _show_map(context: typer.Context) -> None:
    ink = output.ink(sys.stdout)
    group = context.command
    assert isinstance(group, TyperGroup)
    panels: dict[str, list[tuple[str, str]]] = {}
    column = max(len(row.name) for row in ROWS) + 2
    room = output.width() - column - 2
    for row in ROWS:
        text = group.commands[row.name].get_short_help_str(_WHOLE).rstrip(".")
        panels.setdefault(row.panel, []).append((row.name, brief(text, room)))
    output.say(f"{ink.bold('signet')} {__version__} · persistent memory for AI agents")
    for panel, entries in panels.items():
        output.say(f"\n{ink.bold(panel)}")
        for name, text in entries:
            output.say(f"  {ink.name(f'{name:<{column}}')}{text}")
    output.advise(f"\nNext: {ink.bold(_next_step())}")
    output.advise(ink.dim("Help for one command: signet COMMAND --help"))


def brief(text: str, room: int) -> str:
    """Shorten a sentence to fit: before an explanation, else at a comma."""
    if len(text) <= room:
        return text
    end = max(text.rfind(mark, 0, room) for mark in ";:")
    end = end if end > 0 else text.rfind(",", 0, room)
    return text[:end] if end > 0 else output.short(text, room)


def _next_step() -> str:
    from signet.daemon import record

    workspace = find_workspace()
    if workspace.connection_file.exists():
        return "signet connect"
    if not workspace.database.exists():
        return "signet setup"
    if record.running(workspace) is None:
        return "signet daemon start"
    return 'signet remember "I prefer tabs"'
