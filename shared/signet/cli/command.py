"""Common parts of all commands: `--path`, `--json`, and the client of the daemon.

A command is a generator. Its first yield is the value for `--json`. The rest runs only without `--json`; each text it
yields is a line for people.

A parameter is declared by its type and the help text: `dry_run: Annotated[bool, "Change nothing."] = False` is
`--dry-run`. `opt` adds a short flag or limits, and `arg` makes a positional argument.
"""

import functools
import inspect
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar, get_args

import typer

from signet import ids
from signet.cli import offline, output
from signet.client import Signet, Unauthenticated, connection
from signet.config.env import AGENT_SHELLS
from signet.errors import Invalid
from signet.paths import Workspace, find_workspace

Run = TypeVar("Run", bound=Callable[..., Any])


class opt:
    """An option: its help, its flags besides `--name`, and what `typer.Option` takes."""

    def __init__(self, help: str, *flags: str, **more: Any) -> None:
        self.help, self.flags, self.more = help, flags, more


def arg(help: str, metavar: str | None = None, **more: Any) -> Any:
    return typer.Argument(metavar=metavar, help=help, **more)


PathOption = Annotated[
    str | None, opt("Workspace folder; default: SIGNET_PATH or ~/.agents.", "-p")
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
#: The flags to pass when no terminal can confirm.
FLAGS = "--yes, or --dry-run to look first"


def confirmed(question: str, *, as_json: bool = False, instead: str = FLAGS) -> bool:
    """Ask for confirmation at the terminal; raises Invalid as `check_asking` does."""
    check_asking(as_json=as_json, instead=instead)
    return typer.confirm(question, err=True)


def check_asking(*, as_json: bool = False, instead: str = FLAGS) -> None:
    """Raise Invalid, naming the flags to pass instead, if no terminal can confirm."""
    if as_json or not output.can_ask():
        raise Invalid(f"Not confirmed: stdin is not a terminal. Pass {instead}")


@dataclass(frozen=True, slots=True)
class StatusAnswer:
    """A value for `--json` together with the command's exit status."""

    value: object
    status: int = 0


def command(
    app: typer.Typer | None = None,
    name: str | None = None,
    *,
    seconds: float | None = None,
    forgets: bool = False,
    alone: bool = False,
    pages: bool = False,
    does: str = "",
) -> Callable[[Callable[..., Output]], Callable[..., None]]:
    """Return a decorator that makes a generator a command, and registers it with `app` if given.

    The command has `--json`. A first parameter `signet` receives the client of the daemon (with `seconds` as timeout)
    and adds `--path`. A parameter `as_json` receives the value of `--json`. `forgets`: the command also deletes from
    this machine's offline copy. `alone`: it runs when the group `app` is called without a command. `pages`: a long
    result opens in a pager on a terminal. `does` describes a command that runs programs or changes who is trusted;
    agents may not run it.
    """

    def decorate(run: Callable[..., Output]) -> Callable[..., None]:
        given = dict(inspect.signature(run).parameters)
        needs_client = given.pop("signet", None) is not None
        knows_json = given.pop("as_json", None) is not None

        def called(
            *, as_json: bool = False, context: typer.Context | None = None, **options: Any
        ) -> None:
            if context is not None and context.invoked_subcommand is not None:
                return
            if does:
                check_person(does)
            if knows_json:
                options["as_json"] = as_json
            if needs_client:
                options["signet"] = signet = client(options.pop("path"), timeout_seconds=seconds)
            try:
                with output.paged(on=pages and not as_json):
                    _print(run(**options), as_json=as_json)
            except Unauthenticated as error:
                if needs_client and signet.target.is_elsewhere:
                    error.facts["hint"] = connection.KEY_HINT
                raise
            if forgets and signet.target.home is not None:
                offline.forgot(Workspace(signet.target.home), signet.target)

        if needs_client:
            given["path"] = parameter("path", PathOption)
        given["as_json"] = parameter("as_json", JsonOption, False)
        if alone:
            given["context"] = parameter("context", typer.Context, inspect.Parameter.empty)
        made = _with_options(functools.wraps(run)(called), given.values())
        if app is None:
            return made
        return app.callback()(made) if alone else app.command(name)(made)

    return decorate


def declared(run: Run) -> Run:
    """Decorate a command that is not a generator, so that its parameters are declared as those of `command`."""
    return _with_options(run, inspect.signature(run).parameters.values())


def parameter(name: str, option: object, default: object = None) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=option)


def _with_options(run: Run, given: Iterable[inspect.Parameter]) -> Run:
    options = [_option(one.replace(kind=inspect.Parameter.KEYWORD_ONLY)) for one in given]
    run.__annotations__ = {one.name: one.annotation for one in options}
    run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]  # typeshed does not know it
    return run


def _option(one: inspect.Parameter) -> inspect.Parameter:
    """Return a parameter whose help text or `opt` is the library's option."""
    type, *notes = get_args(one.annotation) or (None,)
    note = opt(notes[0]) if notes and isinstance(notes[0], str) else notes[0] if notes else None
    if not isinstance(note, opt):
        return one
    is_named = any(flag.startswith("--") for flag in note.flags)
    flags = note.flags if is_named else (f"--{one.name.replace('_', '-')}", *note.flags)
    return one.replace(
        annotation=Annotated[type, typer.Option(*flags, help=note.help, **note.more)]
    )


def _print(steps: Output, *, as_json: bool) -> None:
    """Print the value as JSON, or the lines for people; raises Exit with the status of an Answer."""
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
    if status:
        raise typer.Exit(status)


def client(path: str | None, *, timeout_seconds: float | None = None) -> Signet:
    """Return a client of the command's daemon, whether it runs or not."""
    return Signet(
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
        from signet.domain.auth.caller import not_for_agents

        raise not_for_agents(does, shlex.join(("signet", *sys.argv[1:])))


def running(path: str | None, *, timeout_seconds: float | None = None) -> Signet | None:
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
