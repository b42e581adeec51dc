"""`signet connect` and `signet disconnect`: use a remote daemon instead of a local one."""

import sys
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer

from signet import clock, config
from signet.cli import offline, output, spooled
from signet.cli.auth import limit
from signet.cli.command import Output, PathOption, StatusAnswer, arg, client, command
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

#: Timeout for the daemon's identity, in seconds.
SECONDS = 15.0
_INSTEAD = (
    "The environment (SIGNET_DAEMON_URL, SIGNET_HOST, SIGNET_PORT) overrides this connection: {}"
)


@command(does="send memories and prompts to another daemon")
def connect(
    url: Annotated[
        str | None, arg("Address of the daemon, such as https://signet.example.", "URL")
    ] = None,
    key: Annotated[
        str | None, "Key for this machine (signet auth token create --own); - reads stdin."
    ] = None,
    plain_http: Annotated[
        bool, "Allow plain HTTP, which anyone on the network path can read."
    ] = False,
    status: Annotated[bool, "Show the connection (without URL: the default)."] = False,
    path: PathOption = None,
) -> Output:
    """Use a remote daemon for this machine's hooks, MCP and commands. Without URL: show the connection.

    While it is unreachable, saves and sessions wait in this workspace and are sent later.

    Examples: signet connect https://signet.example --key - · signet connect
    """
    workspace = find_workspace(path)
    if url is None or status:
        if url is not None or key is not None:
            raise Invalid("To connect: signet connect URL --key KEY. To show it: signet connect")
        yield from shown(workspace, path)
        return
    url = url.strip().rstrip("/")
    url = checked(url if "://" in url else f"http://{url}")
    if not (plain_http or connection.is_private(url)):
        raise Invalid(
            f"{url} uses plain HTTP outside this machine and tailnets: anyone on the network path could read "
            "the key and all memories.",
            "not_private",
            hint="Put a TLS proxy in front and use https://…, or accept the risk with --plain-http",
        )
    _check_free(workspace, url)
    asked = Connection(url=url, key=_key(key), since=clock.to_text(clock.now()))
    found = _introduced(asked)
    connection.keep(workspace, asked)
    daemon = client(path).target
    sent = spooled.deliver(workspace, daemon, all=True)
    yield {"connected": True, "url": url, **found, "sent": sent}
    output.say(f"Connected to {url} · Signet {found['version']} · {_who(found)}")
    output.say("Its hooks, signet-mcp and commands now use it. This machine stores only")
    output.say("a copy of session starts, and saves that wait while the daemon is unreachable.")
    if daemon.url != url:
        output.hint(_INSTEAD.format(daemon.url))
    if sent:
        output.say(f"Sent {output.count(sent, 'waiting call')}")
    if config.has_memory(workspace):
        output.hint(
            "This workspace's own memories remain but are not used. To move them, run signet export before connecting "
            "and signet import afterwards"
        )
    output.hint("Next: signet harness install claude-code")


@command(does="send memories and prompts to another daemon")
def disconnect(
    discard: Annotated[bool, "Discard calls that wait for the daemon."] = False,
    path: PathOption = None,
) -> Output:
    """Use a daemon on this machine again. Waiting saves and sessions are sent to the remote daemon first.

    Examples: signet disconnect · signet disconnect --discard
    """
    workspace = find_workspace(path)
    found = connection.connection_of(workspace)
    if found is None:
        yield {"connected": False, "was": None}
        output.say("Not connected to a daemon elsewhere")
        return
    daemon = client(path).target
    if spooled.waiting(workspace, found.url, all=True):
        spooled.check(workspace, daemon)
    left = spooled.waiting(workspace, found.url, all=True)
    if left and not discard:
        raise Conflict(
            f"{output.count(len(left), 'call')} wait for {found.url} and could not be sent.",
            "calls_wait",
            hint="Try again when it is reachable, or discard them: signet disconnect --discard",
        )
    for entry in left:
        entry.remove()
    connection.forget(workspace)
    offline.forget(workspace)
    yield {"connected": False, "was": found.url, "discarded": len(left)}
    output.say(f"Disconnected from {found.url}")
    then = "daemon start" if config.has_memory(workspace) else "setup"
    output.hint(f"Next: signet {then}")


def _check_free(workspace: Workspace, url: str) -> None:
    """Raise Conflict if another daemon uses the workspace, or calls wait for another one."""
    from signet.daemon import record

    if record.running(workspace) is not None:
        raise Conflict(
            f"The daemon of {workspace.root} is running; stop it first.",
            hint="Next: signet daemon stop",
        )
    before = connection.connection_of(workspace) if workspace.connection_file.exists() else None
    if (
        before is not None
        and before.url != url
        and spooled.waiting(workspace, before.url, all=True)
    ):
        raise Conflict(
            f"Calls wait for {before.url}, which is another daemon.",
            "calls_wait",
            hint="Send or discard them first: signet disconnect",
        )


def _key(given: str | None) -> str | None:
    if given == "-":
        given = sys.stdin.readline()
    elif given is None and output.can_ask():
        given = typer.prompt(
            "Key (empty for none)", default="", hide_input=True, show_default=False, err=True
        )
    if (key := (given or "").strip()) and "." not in key:
        raise Invalid(
            "The key is incomplete. Copy the whole line that signet auth token create printed"
        )
    return key or None


def _introduced(asked: Connection) -> dict[str, Any]:
    """Return how the daemon describes itself and the caller; raises SignetError."""
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
            f"{asked.url} answers, but not as a Signet daemon: a proxy without its daemon, or another program",
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
    """Show the connection and send waiting calls; exit 1 if the daemon is unreachable."""
    found = connection.connection_of(workspace)
    if found is None:
        yield {"connected": False}
        output.say("Not connected to a remote daemon; connect with: signet connect URL --key KEY")
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
    yield StatusAnswer(facts, status=0 if why is None else 1)
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
        yield f"  Sent {output.count(sent, 'waiting call')}"
    if facts["waiting"]:
        yield f"  {output.count(facts['waiting'], 'call')} waiting to be sent"
    for one in facts["refused"]:
        yield ink.warn(f"! Refused: {output.plain(one['why'])}") + f" · {output.plain(one['what'])}"


def _who(facts: Mapping[str, Any]) -> str:
    if facts["name"] is None:
        return f"no key needed (mode {facts['mode']})"
    limits = "".join(f", only {name} {limit(value)}" for name, value in facts["scope"].items())
    until = output.local(facts["expiresAt"])[:10]
    return output.plain(f"as {facts['name']} ({facts['role']}{limits}), until {until}")


def _refused(one: Mapping[str, Any]) -> dict[str, str]:
    body = one.get("body", {})
    said = body.get("content") or body.get("summary") or body.get("sessionKey") or one.get("route")
    return {"why": str(one.get("why")), "what": output.short(str(said), 80)}
