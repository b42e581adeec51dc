"""Errors between a client and the daemon, and errors rebuilt from refusals.

Each error has `message`, `code` (stable, for programs), `facts` (the other fields of the daemon's answer), and
`http_status`.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from signet.errors import (
    Conflict,
    Forbidden,
    Invalid,
    Kind,
    NotFound,
    SignetError,
    TooLarge,
    TryLater,
    Unauthenticated,
    Unavailable,
)
from signet.paths import Workspace, find_workspace

if TYPE_CHECKING:
    from signet.client.target import CallTarget


class DaemonNotRunning(Unavailable, code="daemon_not_running"):
    """Daemon is not running. Start it with: signet daemon start."""


class DaemonAway(DaemonNotRunning, code="daemon_away"):
    """The daemon that this machine is connected to does not answer."""


class DaemonSilent(Unavailable, code="daemon_silent"):
    """The daemon did not answer in time. If it stays silent: signet daemon restart."""


class ConnectionBroken(Unavailable, code="connection_broken"):
    """The connection to the daemon broke before the answer was complete."""


class BadAnswer(SignetError, code="bad_answer"):
    """What answered is not a Signet daemon."""


def foreign(url: str) -> BadAnswer:
    """Return the error for another program at the daemon's address."""
    return BadAnswer(
        f"Another program, not Signet, answers at {url}. Stop it, or start Signet on another port: "
        "signet daemon start --port NUMBER"
    )


def impostor(target: "CallTarget", workspace: Workspace) -> BadAnswer:
    """Return the error for a program on the workspace's port that failed to prove its identity."""
    return BadAnswer(
        f"Another program answers on port {target.address[1]}, not the Signet daemon of {workspace.root}. Nothing was "
        f"sent to it. To start Signet on another port: signet daemon start --port NUMBER{_path(workspace)}",
        "other_program",
    )


def absent(target: "CallTarget") -> DaemonNotRunning:
    if target.is_elsewhere:
        return DaemonAway(
            f"The daemon at {target.url}, which this machine is connected to, cannot be reached. To try again: "
            "signet connect",
            url=target.url,
        )
    path = _path(target.own) if target.own else ""
    start = f"Daemon is not running. Start it with: signet daemon start{path}"
    return DaemonNotRunning(start, url=target.url)


def silent(target: "CallTarget") -> DaemonSilent:
    """Return the error for a connection without an answer."""
    if target.is_elsewhere:
        return DaemonSilent(
            f"{target.url} took the connection and did not answer within {target.seconds:.2g} s. To try again: "
            "signet connect",
            url=target.url,
        )
    return DaemonSilent(
        f"{target.url} accepts connections but did not answer within {target.seconds:g} s. If Signet uses the port: "
        "signet daemon restart. If another program uses it: signet daemon start --port NUMBER. To find out: signet "
        "doctor"
    )


def _path(workspace: Workspace) -> str:
    """Return the option that names a workspace, if it is not the default."""
    if workspace == find_workspace():
        return ""
    import shlex

    return f" --path {shlex.quote(str(workspace.root))}"


class RateLimited(TryLater, kind=Kind.LIMITED, code="limited"):
    """Too many requests; try again later."""


_OF_STATUS: Mapping[int, type[SignetError]] = {
    400: Invalid,
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    405: Invalid,
    409: Conflict,
    413: TooLarge,
    422: Invalid,
    429: RateLimited,
    503: Unavailable,
}


def refusal(status: int, body: object, retry_after: str | None = None) -> SignetError:
    """Return the error of a 4xx or 5xx answer, with the daemon's text, code and fields."""
    if not isinstance(body, dict) or not isinstance(body.get("error"), str):
        return BadAnswer(
            f"The daemon answered with status {status} and no reason", http_status=status
        )
    base = _OF_STATUS.get(status, SignetError)
    code = str(body.get("code") or base.code)
    facts = {name: value for name, value in body.items() if name not in ("error", "code")}
    wait = {"retry_after": retry_after} if retry_after is not None else {}
    return base(body["error"], code, **(facts | wait | {"http_status": status}))
