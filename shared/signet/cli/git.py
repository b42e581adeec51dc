"""`signet git …`: the workspace as a git repository."""

from typing import Annotated, Any

import typer

from signet.cli import output
from signet.cli.connect import client
from signet.cli.daemon import JsonOption, PathOption
from signet.errors import SignetError

app = typer.Typer(help="Synchronise the workspace with a git remote.", no_args_is_help=True)

#: Longer than git may take to fetch and to push.
SECONDS = 660.0


class GitFailed(SignetError):
    """Git failed."""

    code = "git_failed"


@app.command()
def status(path: PathOption = None, as_json: JsonOption = False) -> None:
    """Show the state of the repository.

    Examples: signet git status · signet git status --json
    """
    found = client(path).call("GET", "/api/git/status")
    if as_json:
        output.show(found)
        return
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


@app.command()
def pull(path: PathOption = None, as_json: JsonOption = False) -> None:
    """Pull commits from the remote. Local changes are never lost.

    Examples: signet git pull · signet git pull --json
    """
    _do("pull", path, as_json)


@app.command()
def push(path: PathOption = None, as_json: JsonOption = False) -> None:
    """Push local commits to the remote.

    Examples: signet git push · signet git push --json
    """
    _do("push", path, as_json)


@app.command()
def sync(path: PathOption = None, as_json: JsonOption = False) -> None:
    """Pull, then push.

    Examples: signet git sync · signet git sync --json
    """
    _do("sync", path, as_json)


@app.command()
def enable(
    interval: Annotated[
        int, typer.Option("--interval", "-i", min=60, max=86_400, help="Seconds between two syncs.")
    ] = 300,
    path: PathOption = None,
    as_json: JsonOption = False,
) -> None:
    """Turn automatic commit, pull and push on.

    Examples: signet git enable · signet git enable -i 900
    """
    wished: dict[str, object] = {"enabled": True, "autoSync": True, "syncInterval": interval}
    _set(wished, f"Automatic sync is on, every {interval} s", path, as_json)


@app.command()
def disable(path: PathOption = None, as_json: JsonOption = False) -> None:
    """Turn automatic sync off.

    Examples: signet git disable · signet git disable --json
    """
    _set({"autoSync": False}, "Automatic sync is off", path, as_json)


def _do(verb: str, path: str | None, as_json: bool) -> None:
    with output.Passing(quiet=as_json):
        done = client(path, timeout_seconds=SECONDS).call("POST", f"/api/git/{verb}", body={})
    if not done["success"]:
        raise GitFailed(done["message"])
    _tell(done, done["message"], as_json)


def _set(wished: dict[str, object], words: str, path: str | None, as_json: bool) -> None:
    _tell(client(path).call("POST", "/api/git/config", body=wished), words, as_json)


def _tell(answer: dict[str, Any], words: str, as_json: bool) -> None:
    if as_json:
        output.show(answer)
    else:
        output.say(output.plain(words))
