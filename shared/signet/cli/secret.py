"""`signet secret …`: store credentials, and run commands with them.

Works on the vault file, with or without a daemon. Values are read from a prompt or stdin and shown only by `get`.
"""

import getpass
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from signet import config
from signet.cli import options, output
from signet.cli.command import (
    Output,
    PathOption,
    arg,
    check_person,
    command,
    confirmed,
    declared,
    opt,
)
from signet.errors import Forbidden, Invalid
from signet.paths import find_workspace

if TYPE_CHECKING:
    from signet.domain.secrets.vault import Vault

app = typer.Typer(help="Store credentials, and run commands with them.", no_args_is_help=True)
#: Time limit of a manually run command, in seconds.
SECONDS = 60.0
#: Seconds without input before `put` prints that it reads stdin.
PATIENCE_SECONDS = 2.0
NameArgument = Annotated[
    str, arg("Name of the secret, such as OPENAI_API_KEY.", autocompletion=options.secrets)
]


@app.command()
@declared
def put(
    name: NameArgument,
    value: Annotated[
        str | None,
        arg("Value, visible in the process list, so prefer the prompt or stdin; - reads stdin."),
    ] = None,
    path: PathOption = None,
) -> None:
    """Store a secret. Without VALUE, reads it from a prompt or stdin.

    Examples: signet secret put OPENAI_API_KEY · pass show key | signet secret put OPENAI_API_KEY
    """
    vault = _vault(path)
    vault.put(name, _given(name, f"signet secret put {name}") if value in (None, "-") else value)
    output.say(f"Secret {name} is stored")


@app.command()
@declared
def get(name: NameArgument, path: PathOption = None) -> None:
    """Print the value of a secret, and nothing else.

    Examples: signet secret get OPENAI_API_KEY · export KEY="$(signet secret get OPENAI_API_KEY)"
    """
    check_person("show the value of a secret")
    workspace = find_workspace(path)
    if not config.load(workspace).safe.secrets.allow_read:
        raise Forbidden("secrets.allowRead is false: values are not shown")
    output.say(_vault(path).value(name))


@command(app, "list")
def list_(path: PathOption = None) -> Output:
    """List the names of secrets, oldest first.

    Examples: signet secret list · signet secret list --json
    """
    names = _vault(path).names()
    yield {"secrets": names}
    for name in names:
        output.say(name)
    if not names:
        output.hint("No secrets yet. Store one with: signet secret put NAME")


@app.command()
@declared
def has(name: NameArgument, path: PathOption = None) -> None:
    """Check whether a secret exists: prints true or false, exits 0 or 1.

    Examples: signet secret has OPENAI_API_KEY && echo yes · signet secret has GITHUB_TOKEN
    """
    found = name in _vault(path).names()
    output.say(str(found).lower())
    if not found:
        raise typer.Exit(1)


@app.command()
@declared
def delete(
    name: NameArgument,
    path: PathOption = None,
    force: Annotated[bool, opt("Do not ask for confirmation.", "--force", "--yes", "-y")] = False,
) -> None:
    """Delete a secret.

    Examples: signet secret delete OLD_KEY · signet secret delete OLD_KEY --force
    """
    vault = _vault(path)
    if not force and not confirmed(f"Delete {name}?", instead="--force"):
        raise typer.Abort
    vault.delete(name)
    output.say(f"Secret {name} is deleted")


@app.command("exec", context_settings={"allow_interspersed_args": False})
@declared
def exec_(
    command: Annotated[list[str], arg("Program and its arguments.")],
    secret: Annotated[
        list[str] | None, opt("Secret to pass, as NAME or VARIABLE=NAME. Repeatable.", "-s")
    ] = None,
    path: PathOption = None,
) -> None:
    """Run a program with secrets as environment variables, masked in its output.

    Examples: signet secret exec -s GITHUB_TOKEN gh pr list · signet secret exec -s KEY=DEPLOY_KEY ./deploy
    """
    import asyncio

    from signet.domain.secrets import use

    if not secret:
        raise Invalid("-s/--secret is required, before the command")
    vault = _vault(path)
    wanted = {
        one.partition("=")[0]: one.partition("=")[2] or one.partition("=")[0] for one in secret
    }
    allowed = config.load(find_workspace(path)).safe.secrets.exec_allow
    use.check_names(" ".join(command), wanted, allowed)
    values = use.values(vault, wanted)
    ran = asyncio.run(use.run(command, values, folder=Path.cwd(), seconds=SECONDS))
    sys.stdout.write(ran["stdout"])
    sys.stderr.write(ran["stderr"])
    raise typer.Exit(ran["code"])


def _vault(path: str | None) -> "Vault":
    from signet.domain.secrets.vault import Vault

    return Vault(find_workspace(path).vault)


def _given(name: str, command: str) -> str:
    """Return a value from a hidden prompt, or from stdin without its last line feed.

    Raises Invalid without a terminal and input, explaining how to pipe a value to `command`.
    """
    if sys.stdin is not None and sys.stdin.isatty():
        return getpass.getpass(f"{name}: ")
    value = "" if sys.stdin is None else _piped(name, command)
    if not value:
        raise Invalid(f"A value is required. {_how_to_pipe(command)}")
    return value


def _piped(name: str, command: str) -> str:
    """Return stdin's content; print what it waits for if nothing arrives."""
    import threading

    waiting = threading.Timer(
        PATIENCE_SECONDS,
        lambda: output.tell(f"Reading {name} from stdin. {_how_to_pipe(command)}"),
    )
    waiting.daemon = True
    waiting.start()
    try:
        return sys.stdin.read().removesuffix("\n").removesuffix("\r")
    finally:
        waiting.cancel()


def _how_to_pipe(command: str) -> str:
    return (
        f"stdin is not a terminal, so pipe the value in: {command} < FILE, or: "
        f'printf %s "$VALUE" | {command}'
    )
