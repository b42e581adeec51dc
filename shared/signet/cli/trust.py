"""`signet trust …`: allow pages of other programs to call the daemon."""

from typing import Annotated

import typer

from signet.cli import output
from signet.cli.command import Output, PathOption, arg, command
from signet.errors import Invalid, NotFound
from signet.paths import Workspace, find_workspace

KEY = "auth.trustedOrigins"

app = typer.Typer(
    help="Allow browser extensions and desktop apps to call the daemon.", no_args_is_help=True
)
origin_app = typer.Typer(
    help="""Manage the origins whose pages may call the daemon.

    Trusting an origin means: every page and script of it, now and after any later change, may read,
    save, change and forget your memories, as a program on this machine may. In the modes team and hybrid it needs the
    same token as any other client there. It changes no settings, sees no secrets and runs no programs.

    An origin is a scheme, a host and a port, exactly as the browser sends it: chrome-extension://ID,
    moz-extension://ID, tauri://localhost, http://tauri.localhost, http://localhost:5173. There are no patterns, and
    null is never trusted. The list is auth.trustedOrigins in agent.yaml; changes apply within two seconds.
    """,
    no_args_is_help=True,
)
app.add_typer(origin_app, name="origin")

OriginArgument = Annotated[str, arg("Origin, such as chrome-extension://ID.", "ORIGIN")]


@command(origin_app, does="trust the pages of another program")
def add(origin: OriginArgument, path: PathOption = None) -> Output:
    """Trust an origin. For its permissions see: signet trust origin --help.

    Examples: signet trust origin add tauri://localhost · signet trust origin add moz-extension://ID
    """
    from signet.config import origins

    workspace = find_workspace(path)
    known = _trusted(workspace)
    added = origins.checked(origin.strip())
    if added not in known:
        known = [*known, added]
        _write(workspace, known)
    yield _origins(known)
    output.say(f"Pages of {added} may call the daemon now")


@command(origin_app, "list")
def list_(path: PathOption = None) -> Output:
    """List the trusted origins.

    Examples: signet trust origin list · signet trust origin list --json
    """
    known = _trusted(find_workspace(path))
    yield _origins(known)
    output.say("\n".join(known) or "No origin is trusted")


@command(origin_app, does="change which pages are trusted")
def remove(origin: OriginArgument, path: PathOption = None) -> Output:
    """Stop trusting an origin.

    Examples: signet trust origin remove tauri://localhost · signet trust origin remove moz-extension://ID
    """
    workspace = find_workspace(path)
    known = _trusted(workspace)
    if origin.strip() not in known:
        raise NotFound(f"{output.plain(origin)} is not trusted; see: signet trust origin list")
    known.remove(origin.strip())
    _write(workspace, known)
    yield _origins(known)
    output.say(f"Pages of {origin.strip()} may no longer call the daemon")


def _trusted(workspace: Workspace) -> list[str]:
    """Return the effective origins; raises Invalid if agent.yaml is unreadable."""
    from signet import config

    loaded = config.load(workspace)
    if loaded.error is not None:
        raise Invalid(loaded.error)
    return list(loaded.settings.auth.trusted_origins)


def _write(workspace: Workspace, known: list[str]) -> None:
    from signet.config import manifest

    manifest.set_values(workspace, {KEY: [*known]})


def _origins(known: list[str]) -> dict[str, object]:
    return {"origins": known, "count": len(known)}
