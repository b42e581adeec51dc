"""Ask the API of a daemon for its state. Uses the standard library alone: the command line loads this."""

import errno
import os
import socket
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from signet.client import transport
from signet.client.call import Call
from signet.client.errors import ConnectionBroken, DaemonNotRunning, silent
from signet.client.target import CallTarget
from signet.daemon.record import LOOPBACK, PortTaken, host_of
from signet.errors import SignetError
from signet.paths import Workspace
from signet.text import json_text

PROOF_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A port's answer: a status and a body, or no status and whether a program listens."""

    status: int = 0
    body: Mapping[str, object] = field(default_factory=dict)
    is_listening: bool = True

    @property
    def is_up(self) -> bool:
        """Return whether all processes are there, be it that the database is damaged or nothing can be stored."""
        return self.status == 200 or (self.status == 503 and "code" in self.body)

    @property
    def trouble(self) -> str:
        reasons = self.body.get("reasons")
        return "; ".join(map(str, reasons)) if isinstance(reasons, list) else ""

    @property
    def what_is_missing(self) -> str:
        if not self.is_listening:
            return "the database is being prepared"
        reasons = self.body.get("reasons")
        if isinstance(reasons, list) and reasons:
            return ", ".join(str(reason) for reason in reasons)
        return "the API does not answer yet"


def ask(
    port: int,
    path: str,
    *,
    timeout_seconds: float,
    host: str = LOOPBACK,
    own: Workspace | None = None,
) -> Answer:
    """Return what host:port answers to GET path; silence is an answer without a status.

    With `own` only the daemon of this workspace is believed (client/transport.py).
    """
    target = CallTarget(
        url=f"http://{host}:{port}",
        headers={"X-Signet-Actor": "daemon", "Connection": "close"},
        connect_seconds=timeout_seconds,
        seconds=timeout_seconds,
        retries=0,
        own=own,
    )
    call: Call[object] = Call(method="GET", path=path, is_safe=True)
    try:
        reply = transport.send(target, call)
    except DaemonNotRunning:
        return Answer(is_listening=False)
    except SignetError:
        return Answer()
    return Answer(status=reply.status, body=json_text.an_object(reply.body) or {})


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def ask_ready(workspace: Workspace, host: str, port: int, *, timeout_seconds: float) -> Answer:
    return ask(port, "/health/ready", timeout_seconds=timeout_seconds, host=host, own=workspace)


def claimed_folder(answer: Answer) -> Path | None:
    """Return the workspace that a program on a port says it serves, if it exists and belongs to this user.

    Any program of any user can claim this.
    """
    folder = Path(str(answer.body.get("agentsDir")))
    if sys.platform == "win32":
        return None
    try:
        is_ours = folder.is_absolute() and folder.stat().st_uid == os.geteuid()
    except (OSError, ValueError):
        return None
    return folder if is_ours else None


def check_free(port: int, *, bind: str = LOOPBACK) -> None:
    """Raise PortTaken, naming who has the port as far as that can be found out."""
    refusal = _refusal(bind, port)
    if refusal is None:
        return
    if refusal.errno == errno.EACCES:
        raise PortTaken(f"Port {port} can only be used by root", port=port)
    if refusal.errno == errno.EADDRNOTAVAIL:
        raise PortTaken(f"This machine has no address {bind}; choose one with --host", port=port)
    host = host_of(bind)
    other = claimed_folder(ask(port, "/health", timeout_seconds=1.0, host=host))
    try:
        if other is not None:
            check_daemon(Workspace(other), f"http://{host}:{port}")
    except SignetError:
        other = None
    if other is not None:
        raise PortTaken(
            f"Port {port} is used by the Signet daemon of {other}; choose another with --port",
            port=port,
            workspace=str(other),
        )
    raise PortTaken(f"Port {port} is used by another program; choose one with --port", port=port)


def check_daemon(workspace: Workspace, url: str) -> None:
    """Raise BadAnswer for another program at an address than the daemon of a workspace, DaemonNotRunning for none.

    Raises DaemonSilent when no proof comes within a second.
    """
    target = CallTarget(
        url, {"X-Signet-Actor": "daemon"}, PROOF_SECONDS, PROOF_SECONDS, 0, own=workspace
    )
    try:
        transport.proven(target, workspace)[0].close()
    except TimeoutError as error:
        raise silent(target) from error
    except OSError as error:
        raise ConnectionBroken(f"The connection to {url} broke: {error!r}") from error


def wait_free(port: int, *, patience_seconds: float, bind: str = LOOPBACK) -> None:
    """Wait until the port is free, at most `patience_seconds`: programs of a killed daemon may still use it."""
    deadline = time.monotonic() + patience_seconds
    while _refusal(bind, port) is not None and time.monotonic() < deadline:
        time.sleep(0.02)


def _refusal(bind: str, port: int) -> OSError | None:
    """Return why this process could not listen on the port, None when it could."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((bind, port))
        except OSError as error:
            return error
    return None
