"""`signet git …`: the workspace as a git repository."""

from typing import Annotated

import typer

from signet.cli import output
from signet.cli.command import Output, command, opt
from signet.client import Signet
from signet.errors import SignetError

app = typer.Typer(help="Synchronise the workspace with a git remote.", no_args_is_help=True)

#: Client timeout in seconds, above git's own for fetch and push.
SECONDS = 660.0


@command(app)
def status(signet: Signet) -> Output:
    """Show the state of the repository.

    Examples: signet git status · signet git status --json
    """
    found = signet.call("GET", "/api/git/status")
    yield found
    if not found["isRepo"]:
        output.say("The workspace is not a git repository")
        return
    output.say(f"branch      {output.plain(found['branch'] or 'none')}")
    output.say(f"remote      {output.plain(found['remote'] or 'none')} ({found['authMethod']})")
    output.say(f"changes     {found['uncommittedChanges']} not committed")
    output.say(
        f"commits     {found['unpushedCommits']} to push, {found['unpulledCommits']} to pull"
    )
    last = found["lastSync"]
    mode = "on" if found["autoSync"] else "off"
    output.say(f"last sync   {output.local(last) if last else 'never'}, automatic: {mode}")
    if found["problem"]:
        output.say(f"problem     {output.plain(found['problem'])}")


@command(app, seconds=SECONDS, does="pull the workspace's files")
def pull(signet: Signet, as_json: bool) -> Output:
    """Pull commits from the remote. Local changes are never lost.

    Examples: signet git pull · signet git pull --json
    """
    yield from _do(signet, "pull", as_json)


@command(app, seconds=SECONDS, does="push the workspace's files")
def push(signet: Signet, as_json: bool) -> Output:
    """Push local commits to the remote.

    Examples: signet git push · signet git push --json
    """
    yield from _do(signet, "push", as_json)


@command(app, seconds=SECONDS, does="synchronise the workspace's files")
def sync(signet: Signet, as_json: bool) -> Output:
    """Pull, then push.

    Examples: signet git sync · signet git sync --json
    """
    yield from _do(signet, "sync", as_json)


@command(app, does="change where and when the workspace is synchronised")
def enable(
    signet: Signet,
    interval: Annotated[int, opt("Seconds between two syncs.", "-i", min=60, max=86_400)] = 300,
) -> Output:
    """Turn automatic commit, pull and push on.

    Examples: signet git enable · signet git enable -i 900
    """
    wished: dict[str, object] = {"enabled": True, "autoSync": True, "syncInterval": interval}
    yield signet.call("POST", "/api/git/config", body=wished)
    output.say(f"Automatic sync is on, every {interval} s")


@command(app, does="change where and when the workspace is synchronised")
def disable(signet: Signet) -> Output:
    """Turn automatic sync off.

    Examples: signet git disable · signet git disable --json
    """
    yield signet.call("POST", "/api/git/config", body={"autoSync": False})
    output.say("Automatic sync is off")


def _do(signet: Signet, verb: str, as_json: bool) -> Output:
    with output.Passing(quiet=as_json):
        done = signet.call("POST", f"/api/git/{verb}", body={})
    if not done["success"]:
        raise SignetError(done["message"], "git_failed")
    yield done
    output.say(output.plain(done["message"]))
