"""Common parts of all commands: `--path`, `--json`, and the client of the daemon.

A command is a generator. Its first yield is the value for `--json`. The rest runs only without `--json`; each text it
yields is a line for people.

A parameter is declared by its type and the help text: `dry_run: Annotated[bool, "Change nothing."] = False` is
`--dry-run`. `opt` adds a short flag or limits, and `arg` makes a positional argument. A parameter whose type is a
NamedTuple adds the fields of that class, so that several commands can share them.
"""

import functools
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar, get_args

from signet import ids
from signet.cli import output
from signet.client import PlainSignet, Unauthenticated, connection
from signet.config.env import AGENT_SHELLS
from signet.errors import Invalid, SignetError
from signet.errors import Kind as ErrorKind
from signet.paths import Workspace, find_workspace

if TYPE_CHECKING:
    import typer

    from signet.client import Signet

Run = TypeVar("Run", bound=Callable[..., Any])
Kind = TypeVar("Kind", bound=PlainSignet)


class UnsupportedCommand(SignetError, kind=ErrorKind.UNSUPPORTED, code="unsupported"):
    """Not available on this system."""


class opt:
    """An option: its help, its flags besides `--name`, and what `typer.Option` takes."""

    def __init__(self, help: str, *flags: str, **more: Any) -> None:
        self.help, self.flags, self.more = help, flags, more


class arg:
    """A positional argument: its help, its name in the help, and what `typer.Argument` takes."""

    def __init__(self, help: str, metavar: str | None = None, **more: Any) -> None:
        self.help, self.metavar, self.more = help, metavar, more


class CommandParameter(NamedTuple):
    """A parameter of a command: its annotation, and its default unless it is required."""

    name: str
    annotation: Any
    default: Any = ...


PathOption = Annotated[
    str | None, opt("Workspace folder; default: SIGNET_PATH or ~/.agents.", "-p", metavar="FOLDER")
]
PortOption = Annotated[
    int | None,
    opt(
        "Port of the daemon; default: SIGNET_PORT, else its last one, else 3850.", min=1, max=65_535
    ),
]
JsonOption = Annotated[bool, opt("Print the result as JSON.", "--json")]

#: The output of a command: one value for `--json`, optionally in an `Answer`, then lines for people.
Output = Iterator[object]
#: The words in the help for the values of options.
_METAVARS: Mapping[Any, str] = {str: "TEXT", int: "NUMBER", float: "NUMBER"}
#: The flags to pass when no terminal can confirm.
FLAGS = "--yes, or --dry-run to look first"


def confirmed(question: str, *, as_json: bool = False, instead: str = FLAGS) -> bool:
    """Ask for confirmation at the terminal; raises Invalid as `check_asking` does."""
    import typer

    check_asking(as_json=as_json, instead=instead)
    return typer.confirm(question, err=True)


def check_asking(*, as_json: bool = False, instead: str = FLAGS) -> None:
    """Raise Invalid, naming the flags to pass instead, if no terminal can confirm."""
    if as_json or not output.can_ask():
        raise Invalid(f"Not confirmed: stdin is not a terminal. Pass {instead}")


class StatusAnswer(NamedTuple):
    """A value for `--json` together with the command's exit status."""

    value: object
    status: int = 0


def command(
    app: "typer.Typer | None" = None,
    name: str | None = None,
    *,
    seconds: float | None = None,
    forgets: bool = False,
    alone: bool = False,
    pages: bool = False,
    does: str = "",
) -> Callable[[Callable[..., Output]], Callable[..., int]]:
    """Return a decorator that makes a generator a command, and registers it with `app` if given.

    The command returns its exit status and has `--json`. A first parameter `signet` receives a client of its type, a
    `PlainSignet` or `Signet` (with `seconds` as timeout), and adds `--path`. A parameter `as_json` has the value of
    `--json`. `forgets`: the command also deletes from this machine's offline copy. `alone`: it runs when the group
    `app` is called without a command. `pages`: a long result opens in a pager on a terminal. `does` describes a command
    that runs programs or changes who is trusted; agents may not run it.
    """

    def decorate(run: Callable[..., Output]) -> Callable[..., int]:
        given = {one.name: one for one in _parameters(run)}
        groups = {name: kind for name, kind in run.__annotations__.items() if _is_group(kind)}
        wanted = given.pop("signet", None)
        knows_json = given.pop("as_json", None) is not None

        def called(
            *, as_json: bool = False, context: "typer.Context | None" = None, **options: Any
        ) -> int:
            if context is not None and context.invoked_subcommand is not None:
                return 0
            if does:
                check_person(does)
            if knows_json:
                options["as_json"] = as_json
            for name, kind in groups.items():
                options[name] = kind(*map(options.pop, kind._fields))
            if wanted is not None:
                kind = wanted.annotation
                signet = _client(kind, options.pop("path"), timeout_seconds=seconds)
                options["signet"] = signet
            try:
                with output.paged(on=pages and not as_json):
                    status = _print(run(**options), as_json=as_json)
            except Unauthenticated as error:
                if wanted is not None and signet.target.is_elsewhere:
                    error.facts["hint"] = connection.KEY_HINT
                raise
            if forgets and not status and signet.target.home is not None:
                from signet.cli import offline

                offline.forgot(Workspace(signet.target.home), signet.target)
            return status

        if wanted is not None:
            given["path"] = CommandParameter("path", PathOption, None)
        given["as_json"] = CommandParameter("as_json", JsonOption, False)
        made: Any = functools.wraps(run)(called)
        made.parameters = (*given.values(),)
        if app is None:
            return made  # type: ignore[no-any-return]
        if alone:
            from typer import Context

            made.parameters += (CommandParameter("context", Context),)
        typed(made)
        if alone:
            return app.callback()(made)  # type: ignore[no-any-return]
        from signet.cli.usage import PlainUsage

        return app.command(name, cls=PlainUsage)(made)  # type: ignore[no-any-return]

    return decorate


def declared(run: Run) -> Run:
    """Decorate a command that is not a generator, so that its parameters are declared as those of `command`."""
    run.parameters = (*_parameters(run),)  # type: ignore[attr-defined]  # read by `typed` and words.py
    return typed(run)


def _parameters(run: Callable[..., Any]) -> Iterator[CommandParameter]:
    """Yield the parameters of a function, or those that its attribute of this name lists."""
    yield from getattr(run, "parameters", ())
    if hasattr(run, "parameters"):
        return
    code, usual = run.__code__, run.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    required = len(names) - len(usual)
    for at, name in enumerate(names):
        kind = run.__annotations__[name]
        if _is_group(kind):
            for one in kind._fields:
                default = kind._field_defaults.get(one, ...)
                yield CommandParameter(one, kind.__annotations__[one], default)
            continue
        yield CommandParameter(name, kind, usual[at - required] if at >= required else ...)


def _is_group(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, tuple)


def typed(run: Run) -> Run:
    """Declare a command's parameters as the command-line library reads them."""
    import inspect

    options = [
        inspect.Parameter(
            one.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if one.default is ... else one.default,
            annotation=_annotation(one),
        )
        for one in run.parameters  # type: ignore[attr-defined]
    ]
    run.__annotations__ = {one.name: one.annotation for one in options}
    run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]  # typeshed does not know it
    return run


def noted(one: CommandParameter) -> tuple[Any, "opt | arg | None"]:
    """Return a parameter's type, and its option or argument."""
    type, *notes = get_args(one.annotation) or (None,)
    note = opt(notes[0]) if notes and isinstance(notes[0], str) else notes[0] if notes else None
    return type, note if isinstance(note, opt | arg) else None


def flags(one: CommandParameter, note: opt) -> tuple[str, ...]:
    """Return the flags of an option."""
    is_named = any(flag.startswith("--") for flag in note.flags)
    return note.flags if is_named else (f"--{one.name.replace('_', '-')}", *note.flags)


def _annotation(one: CommandParameter) -> Any:
    """Return the annotation with the library's option or argument."""
    import typer

    type, note = noted(one)
    if note is None:
        return one.annotation
    if isinstance(note, arg):
        metavar = note.metavar or one.name.upper()
        return Annotated[type, typer.Argument(metavar=metavar, help=note.help, **note.more)]
    more = {"metavar": _metavar(type)} | note.more
    return Annotated[type, typer.Option(*flags(one, note), help=note.help, **more)]


def _metavar(type: Any) -> str | None:
    """Return the word for an option's value; None for flags, and for values that the library lists."""
    parts = [part for whole in get_args(type) or (type,) for part in get_args(whole) or (whole,)]
    return next((_METAVARS[part] for part in parts if part in _METAVARS), None)


def _print(steps: Output, *, as_json: bool) -> int:
    """Print the value as JSON, or the lines for people; return the status of an Answer."""
    status = 0
    for step in steps:
        if isinstance(step, str):
            output.say(step)
            continue
        answer = step if isinstance(step, StatusAnswer) else StatusAnswer(step)
        status = answer.status
        if as_json:
            output.show(answer.value)
            break
    return status


def client(path: str | None, *, timeout_seconds: float | None = None) -> "Signet":
    """Return a client of the command's daemon, whether it runs or not."""
    from signet.client import Signet

    return _client(Signet, path, timeout_seconds=timeout_seconds)


def plain_client(path: str | None) -> PlainSignet:
    """Return a client of the command's daemon for single requests."""
    return _client(PlainSignet, path, timeout_seconds=None)


def _client(kind: type[Kind], path: str | None, *, timeout_seconds: float | None) -> Kind:
    return kind(
        path=path,
        actor="cli",
        actor_type="agent" if is_agent_shell() else "operator",
        origin="agent" if is_agent_shell() else None,
        # One for all requests of a command, so that `signet undo` takes back all of them.
        request_id=ids.new_ordered_id(),
        timeout_seconds=timeout_seconds,
        only_signet=True,
    )


def is_agent_shell() -> bool:
    """Return whether an agent runs this command; harnesses mark the shells of their agents."""
    return any(os.environ.get(name) for name in AGENT_SHELLS)


def check_person(does: str) -> None:
    """Raise Forbidden if an agent runs this command, naming the command for the user."""
    if is_agent_shell():
        import shlex

        from signet.domain.auth.caller import not_for_agents

        raise not_for_agents(does, shlex.join(("signet", *sys.argv[1:])))


def check_here(name: str, args: list[str]) -> None:
    """Raise Conflict or UnsupportedCommand for a command about a daemon that this workspace or system cannot have."""
    named = [args[at + 1] for at, one in enumerate(args[:-1]) if one in ("-p", "--path")]
    named += [one.partition("=")[2] for one in args if one.startswith("--path=")]
    workspace = find_workspace(named[-1] if named else None)
    connection.check_none(workspace, f"signet {name}")
    if sys.platform == "win32":
        raise UnsupportedCommand(
            f"`signet {name}` needs a daemon on this machine, which Windows cannot run",
            hint="Run it in WSL, or use a remote daemon: signet connect URL --key KEY",
        )


def running(path: str | None, *, timeout_seconds: float | None = None) -> "Signet | None":
    """Return a client: from the environment, of the connected daemon, or of the workspace's own if it runs."""
    from signet.daemon import record

    if path is None and (os.environ.get("SIGNET_DAEMON_URL") or os.environ.get("SIGNET_HOST")):
        return client(None, timeout_seconds=timeout_seconds)
    workspace = find_workspace(path)
    if connection.connection_of(workspace) is not None:
        return client(path, timeout_seconds=timeout_seconds)
    if record.running(workspace) is None:
        return None
    return client(str(workspace.root), timeout_seconds=timeout_seconds)
