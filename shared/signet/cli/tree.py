"""The command tree.

A command's module is loaded when used, so that no command pays for the others.
"""

import os
import sys
from collections.abc import Iterator, MutableMapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from typer.core import TyperGroup

from signet import __version__
from signet.cli import output, overview
from signet.cli.command import check_here, typed
from signet.cli.rows import MEANT, ROWS, CommandRow
from signet.cli.usage import PlainUsage
from signet.errors import Invalid

if TYPE_CHECKING:
    from typer._click.core import Command


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

    def get_help(self, ctx: Any) -> str:
        return "\n".join(overview.lines(output.ink(sys.stdout), options=True))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command for the arguments.

        Raises Invalid for a name of another program, and Conflict for a command about a daemon that this workspace
        does not have.
        """
        for name in (" ".join(args[:words]) for words in (1, 2, 3)):
            if name in MEANT:
                told = f"There is no `signet {name}`. Did you mean `signet {MEANT[name]}`?"
                raise Invalid(told, "unknown_command")
        if not {"-h", "--help"} & {*args} and any(row.here and row.name == args[0] for row in ROWS):
            check_here(args[0], args)
        return super().resolve_command(ctx, args)


@cache
def _made(row: CommandRow) -> "Command":
    found = _found(row.where)
    holder = typer.Typer(rich_markup_mode=None, callback=lambda: None)
    if isinstance(found, typer.Typer):
        holder.add_typer(found, name=row.name)
        group = cast(Any, typer.main.get_command(holder)).commands[row.name]
        return _with_examples(group, f"signet {row.name}")
    else:
        holder.command(row.name, cls=PlainUsage)(typed(found))
    return cast(TyperGroup, typer.main.get_command(holder)).commands[row.name]


def _with_examples(group: Any, start: str) -> "Command":
    """Return a group whose help, without own examples, shows the first one of its first commands."""
    found = []
    for one in group.commands.values():
        made: Any = _with_examples(one, start) if isinstance(one, TyperGroup) else one
        example = (made.help or "").partition("Examples: ")[2].partition(" · ")[0]
        found += [" ".join(example.split())] if example.startswith(start) else []
    if found and "Examples: " not in (group.help or ""):
        first = sorted(found, key=lambda one: not one.startswith(f"{start} list"))[:3]
        group.help = f"{group.help}\n\nExamples: {' · '.join(first)}"
    return cast("Command", group)


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
        overview.show()
