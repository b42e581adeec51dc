"""`signet connect` and `signet disconnect`: use a daemon elsewhere instead of one on this machine."""

import sys
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer

from signet import clock
from signet.cli import offline, output, spooled
from signet.cli.command import Answer, Output, PathOption, command
from signet.cli.connect import client
from signet.client import (
    BadAnswer,
    DaemonNotRunning,
    DaemonSilent,
    Signet,
    Unauthenticated,
    connection,
)
from signet.client.connection import Connection
from signet.client.errors import DaemonAway
from signet.client.target import CONNECT_ELSEWHERE_SECONDS, checked
from signet.domain.sessions import spool
from signet.errors import Conflict, Invalid, SignetError
from signet.paths import Workspace, find_workspace

#: How long the daemon may take to say who it is.
SECONDS = 15.0
_INSTEAD = "The environment (SIGNET_DAEMON_URL, SIGNET_HOST, SIGNET_PORT) names a daemon that is used instead: {}"


@command(does="send memories and prompts to another daemon")
def connect(
    url: Annotated[
        str | None,
        typer.Argument(
            metavar="URL", help="Address of the daemon, such as https://signet.example."
        ),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(help="Key for this machine (signet auth token create); - reads stdin."),
    ] = None,
    plain_http: Annotated[
        bool,
        typer.Option("--plain-http", help="Allow an address that anybody on the way can read."),
    ] = False,
    status: Annotated[
        bool, typer.Option("--status", help="Show the connection (without URL: the default).")
    ] = False,
    path: PathOption = None,
) -> Output:
    """Use a daemon elsewhere for the hooks, MCP and commands of this machine. Without URL: show the connection.

    What cannot be sent while it is away waits in this workspace, and is sent once it answers.

    Examples: signet connect https://signet.example --key - · signet connect
    """
    workspace = find_workspace(path)
    if url is None or status:
        if url is not None or key is not None:
            raise Invalid("To connect: signet connect URL --key KEY; to look: signet connect")
        yield from shown(workspace, path)
        return
    url = checked(url.strip().rstrip("/"))
    if not (plain_http or connection.is_private(url)):
        raise Invalid(
            f"{url} is neither https, nor on this machine or a tailnet: anybody on the way could read the key and "
            "everything that is remembered.",
            "not_private",
            hint="Put a TLS proxy in front and use https://…, or pass --plain-http if you accept that",
        )
    _check_free(workspace, url)
    asked = Connection(url=url, key=_key(key), since=clock.to_text(clock.now()))
    found = _introduced(asked)
    connection.keep(workspace, asked)
    daemon = client(path).target
    sent = spooled.deliver(workspace, daemon)
    yield {"connected": True, "url": url, **found, "sent": sent}
    output.say(f"Connected to {url} · Signet {found['version']} · {_who(found)}")
    output.say(
        "Hooks, signet-mcp and commands of this machine use it from now on. None of its memories are kept"
    )
    output.say(
        "here but what sessions begin with; what cannot be sent while it is away waits and is sent later."
    )
    if daemon.url != url:
        output.hint(_INSTEAD.format(daemon.url))
    if sent:
        output.say(f"Sent what waited: {output.count(sent, 'call')}")
    if workspace.database.exists():
        output.hint(
            "The memories of this workspace stay where they are and are not used: signet export, before connecting,"
            " and signet import take them along"
        )
    output.hint("Next: signet harness install claude-code")


@command(does="send memories and prompts to another daemon")
def disconnect(
    discard: Annotated[
        bool, typer.Option("--discard", help="Give up calls that wait for the daemon.")
    ] = False,
    path: PathOption = None,
) -> Output:
    """Use a daemon on this machine again. What waits for the daemon elsewhere is sent first.

    Examples: signet disconnect · signet disconnect --discard
    """
    workspace = find_workspace(path)
    found = connection.of(workspace)
    if found is None:
        yield {"connected": False, "was": None}
        output.say("Not connected to a daemon elsewhere")
        return
    daemon = client(path).target
    if spooled.waiting(workspace, found.url, all=True):
        spooled.look(workspace, daemon)
    left = spooled.waiting(workspace, found.url, all=True)
    if left and not discard:
        raise Conflict(
            f"{output.count(len(left), 'call')} wait for {found.url} and could not be sent.",
            "calls_wait",
            hint="Try again when it answers, or give them up: signet disconnect --discard",
        )
    for entry in left:
        entry.remove()
    connection.forget(workspace)
    offline.forget(workspace)
    yield {"connected": False, "was": found.url, "discarded": len(left)}
    output.say(f"Disconnected from {found.url}")
    output.hint(
        "Next: " + ("signet daemon start" if workspace.database.exists() else "signet setup")
    )


def _check_free(workspace: Workspace, url: str) -> None:
    """Raise Conflict where another daemon has the workspace, or calls wait for another one."""
    from signet.daemon import record

    if record.running(workspace) is not None:
        raise Conflict(
            f"The daemon of {workspace.root} is running; stop it first.",
            hint="Next: signet daemon stop",
        )
    before = connection.of(workspace) if workspace.connection_file.exists() else None
    if (
        before is not None
        and before.url != url
        and spooled.waiting(workspace, before.url, all=True)
    ):
        raise Conflict(
            f"Calls wait for {before.url}, which is another daemon.",
            "calls_wait",
            hint="Send them or give them up first: signet disconnect",
        )


def _key(given: str | None) -> str | None:
    if given == "-":
        given = sys.stdin.readline()
    elif given is None and output.can_ask():
        given = typer.prompt(
            "Key (empty for none)", default="", hide_input=True, show_default=False, err=True
        )
    return (given or "").strip() or None


def _introduced(asked: Connection) -> dict[str, Any]:
    """Return what the daemon says of itself and of us; raises SignetError."""
    signet = Signet(
        url=asked.url,
        token=asked.key,
        actor="cli",
        actor_type="operator",
        only_signet=True,
        timeout_seconds=SECONDS,
        connect_timeout_seconds=CONNECT_ELSEWHERE_SECONDS,
    )
    try:
        health, me = signet.health(), signet.whoami()
    except (DaemonNotRunning, DaemonSilent) as error:
        raise DaemonAway(f"{asked.url} cannot be reached", url=asked.url) from error
    except BadAnswer as error:
        raise DaemonAway(
            f"{asked.url} answers, but not as a Signet daemon: a proxy whose daemon is away, or another program",
            url=asked.url,
        ) from error
    claims = me["claims"] or {}
    return {
        "version": health["version"],
        "name": claims.get("sub"),
        "role": claims.get("role"),
        "scope": claims.get("scope", {}),
        "expiresAt": clock.ms_to_text(int(claims["exp"]) * 1_000) if claims else None,
        "mode": me["mode"],
    }


def shown(workspace: Workspace, path: str | None) -> Output:
    """Show what a workspace is connected to, and send what waits; exit 1 when the daemon is away."""
    found = connection.of(workspace)
    if found is None:
        yield {"connected": False}
        output.say("Not connected to a daemon elsewhere; to connect: signet connect URL --key KEY")
        return
    facts: dict[str, Any] = {"connected": True, "url": found.url, "since": found.since}
    daemon = client(path, timeout_seconds=SECONDS).target
    if daemon.url != found.url:
        facts["instead"] = daemon.url
    ours = daemon._replace(url=found.url)
    why = None
    try:
        facts |= {"reachable": True, **_introduced(found)}
        connection.came_back(workspace)
        facts["sent"] = spooled.deliver(workspace, ours) if ours.is_elsewhere else 0
    except SignetError as error:
        why = error
        facts |= {"reachable": False, "error": error.message, "code": error.code}
    facts["waiting"] = len(spooled.waiting(workspace, found.url, all=True))
    facts["refused"] = [_refused(one) for one in spool.refused(workspace.spool_dir)]
    yield Answer(facts, status=0 if why is None else 1)
    yield from _lines(facts)
    if isinstance(why, Unauthenticated):
        output.hint(connection.KEY_HINT)


def _lines(facts: Mapping[str, Any]) -> Iterator[str]:
    ink = output.ink(sys.stdout)
    if facts["reachable"]:
        yield f"{ink.good('●')} Connected to {facts['url']} · Signet {facts['version']} · {_who(facts)}"
    else:
        yield f"{ink.bad('●')} {facts['url']} · {output.plain(facts['error'])}"
    if instead := facts.get("instead"):
        yield ink.warn(f"! {_INSTEAD.format(instead)}")
    if sent := facts.get("sent"):
        yield f"  Sent what waited: {output.count(sent, 'call')}"
    if facts["waiting"]:
        yield f"  {output.count(facts['waiting'], 'call')} waiting to be sent"
    for one in facts["refused"]:
        yield ink.warn(f"! Refused: {output.plain(one['why'])}") + f" · {output.plain(one['what'])}"


def _who(facts: Mapping[str, Any]) -> str:
    if facts["name"] is None:
        return f"no key needed (mode {facts['mode']})"
    limits = "".join(f", only {name} {value}" for name, value in facts["scope"].items())
    until = output.local(facts["expiresAt"])[:10]
    return output.plain(f"as {facts['name']} ({facts['role']}{limits}), until {until}")


def _refused(one: Mapping[str, Any]) -> dict[str, str]:
    body = one.get("body", {})
    said = body.get("content") or body.get("summary") or body.get("sessionKey") or one.get("route")
    return {"why": str(one.get("why")), "what": output.short(str(said), 80)}
