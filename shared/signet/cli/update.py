"""`signet update …`: check for a new version, and install it with the original tool."""

from typing import Annotated

import typer

from signet.cli import output
from signet.cli.command import Output, PathOption, arg, client, command, opt
from signet.client import Signet
from signet.errors import SignetError

app = typer.Typer(help="Check for new versions and install them.", invoke_without_command=True)

#: Client timeout in seconds, above that of an installation.
SECONDS = 960.0


@app.callback()
def update(context: typer.Context) -> None:
    """Check for new versions and install them. Without a command: update check.

    Examples: signet update · signet update install
    """
    if context.invoked_subcommand is None:
        check()


@command(app)
def check(
    force: Annotated[bool, opt("Ask the index even if the last answer is recent.", "-f")] = False,
    path: PathOption = None,
) -> Output:
    """Check the package index for a new version. Answers are cached for an hour.

    Examples: signet update check · signet update check --force
    """
    signet = client(path, timeout_seconds=60.0)
    found = signet.call("GET", "/api/update/check", force=True if force else None)
    if not force and not found["cached"] and found["checkedAt"] is None:
        # Running this command is the permission.
        found = signet.call("GET", "/api/update/check", force=True)
    yield found
    if found.get("checkError"):
        raise SignetError(f"Check failed: {found['checkError']}", "update_failed")
    if found["updateAvailable"]:
        output.say(f"{found['latestVersion']} is available; {found['currentVersion']} is installed")
        output.hint("Install it with: signet update install")
    else:
        output.say(f"{found['currentVersion']} is the newest version")
    _say_pending(found.get("pendingVersion"))


@command(app, seconds=SECONDS, does="install another version of Signet")
def install(
    signet: Signet,
    version: Annotated[
        str | None, arg("Version to install; default: the newest.", "VERSION")
    ] = None,
    as_json: bool = False,
) -> Output:
    """Install a version. The daemon uses it after a restart.

    Examples: signet update install · signet update install 0.2.0
    """
    body = {} if version is None else {"targetVersion": version}
    with output.Passing(quiet=as_json):
        done = signet.call("POST", "/api/update/run", body=body)
    if not done["success"]:
        raise SignetError(done["message"], "update_failed")
    yield done
    output.advise(done["message"])
    if done["restartRequired"]:
        output.hint("Restart the daemon with: signet daemon restart")


@command(app)
def status(signet: Signet) -> Output:
    """Show the settings and the last result of update checks.

    Examples: signet update status · signet update status --json
    """
    found = signet.call("GET", "/api/update/config")
    yield found
    output.say(f"automatic check     {_word(found['autoCheck'] or found['autoInstall'])}")
    output.say(f"automatic install   {_word(found['autoInstall'])}")
    output.say(f"every               {found['checkInterval']} s, channel {found['channel']}")
    if found["lastAutoUpdateError"]:
        output.say(f"last failure        {output.plain(found['lastAutoUpdateError'])}")
    _say_pending(found["pendingRestartVersion"])


@command(app, does="change whether new versions are installed")
def enable(
    signet: Signet,
    interval: Annotated[
        int, opt("Seconds between two checks.", "-i", min=300, max=604_800)
    ] = 21_600,
    install_too: Annotated[
        bool, opt("Also install them, except major versions.", "--install")
    ] = False,
) -> Output:
    """Turn automatic checks for new versions on.

    Examples: signet update enable · signet update enable --install -i 86400
    """
    wished = {"autoCheck": True, "autoInstall": install_too, "checkInterval": interval}
    yield signet.call("POST", "/api/update/config", body=wished)
    output.say(f"Automatic checks are on, every {interval} s")


@command(app, does="change whether new versions are installed")
def disable(signet: Signet) -> Output:
    """Turn automatic checks for new versions off.

    Examples: signet update disable · signet update disable --json
    """
    wished = {"autoCheck": False, "autoInstall": False}
    yield signet.call("POST", "/api/update/config", body=wished)
    output.say("Automatic checks are off")


def _say_pending(version: str | None) -> None:
    if version:
        output.advise(f"Restart the daemon to use {version}: signet daemon restart")


def _word(value: bool) -> str:
    return "yes" if value else "no"
