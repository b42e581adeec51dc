"""Common parts of all commands: `--path`, `--json`, and the client of the daemon.

A command is a generator. Its first yield is the value for `--json`. The rest runs only without `--json`; each text it
yields is a line for people.
"""

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated

import typer

from signet.cli import offline, output
from signet.cli.connect import check_person, client
from signet.client import Unauthenticated, connection
from signet.errors import Invalid
from signet.paths import Workspace

PathOption = Annotated[
    str | None,
    typer.Option("--path", "-p", help="Workspace folder; default: SIGNET_PATH or ~/.agents."),
]
PortOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=65_535,
        help="Port of the daemon; default: SIGNET_PORT, else its last one, else 3850.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]

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
        made = _made(run, seconds, forgets=forgets, alone=alone, pages=pages, does=does)
        if app is None:
            return made
        return app.callback()(made) if alone else app.command(name)(made)

    return decorate


def _made(
    run: Callable[..., Output],
    seconds: float | None,
    *,
    forgets: bool,
    alone: bool,
    pages: bool,
    does: str,
) -> Callable[..., None]:
    given = dict(inspect.signature(run).parameters)
    needs_client = given.pop("signet", None) is not None
    knows_json = given.pop("as_json", None) is not None
    if needs_client:
        given["path"] = _parameter("path", PathOption, None)
    given["as_json"] = _parameter("as_json", JsonOption, False)
    if alone:
        given["context"] = _parameter("context", typer.Context)

    @functools.wraps(run)
    def called(
        *, as_json: bool = False, context: typer.Context | None = None, **options: object
    ) -> None:
        if context is not None and context.invoked_subcommand is not None:
            return
        if does:
            check_person(does)
        if knows_json:
            options["as_json"] = as_json
        if needs_client:
            path = options.pop("path", None)
            assert path is None or isinstance(path, str)
            options["signet"] = signet = client(path, timeout_seconds=seconds)
        try:
            with output.paged(on=pages and not as_json):
                _print(run(**options), as_json=as_json)
        except Unauthenticated as error:
            if needs_client and signet.target.is_elsewhere:
                error.facts["hint"] = connection.KEY_HINT
            raise
        if forgets and signet.target.home is not None:
            offline.forgot(Workspace(signet.target.home), signet.target)

    options = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in given.values()]
    called.__annotations__ = {one.name: one.annotation for one in options}
    called.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]  # typeshed does not know it
    return called


def _parameter(
    name: str, option: object, default: object = inspect.Parameter.empty
) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=option)


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
