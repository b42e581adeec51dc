"""Ask the API of a daemon how it is. Uses the standard library alone: the command line loads this."""

import errno
import http.client
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from signet import clock
from signet.daemon.errors import PortTaken
from signet.daemon.record import LOOPBACK, host_of
from signet.domain.auth.own import own_token
from signet.paths import Workspace
from signet.text import json_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a port said: a status and a body, or no status at all and whether anybody listens."""

    status: int = 0
    body: Mapping[str, object] = field(default_factory=dict)
    is_listening: bool = True

    @property
    def what_is_missing(self) -> str:
        """Return why a daemon that gave this answer is not ready."""
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
    token: str | None = None,
) -> Answer:
    """Return what host:port answers to GET path; silence is an answer without a status."""
    connection = http.client.HTTPConnection(host, port, timeout=timeout_seconds)
    headers = {"Connection": "close"} | ({"Authorization": f"Bearer {token}"} if token else {})
    try:
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        body = json_text.an_object(response.read(1_000_000)) or {}
        return Answer(status=response.status, body=body)
    except ConnectionRefusedError:
        return Answer(is_listening=False)
    except (OSError, http.client.HTTPException):
        return Answer()
    finally:
        connection.close()


def free_port() -> int:
    """Return a port of this machine on which nobody listens now."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def ask_ready(workspace: Workspace, host: str, port: int, *, timeout_seconds: float) -> Answer:
    """Return what the daemon of a workspace says of being ready; where it wants a token, one is signed for it."""
    token = own_token(workspace, "daemon", now=clock.now())
    return ask(port, "/health/ready", timeout_seconds=timeout_seconds, host=host, token=token)


def check_free(port: int, *, bind: str = LOOPBACK) -> None:
    """Raise PortTaken, naming who has the port as far as that can be found out."""
    refusal = _refusal(bind, port)
    if refusal is None:
        return
    if refusal.errno == errno.EACCES:
        raise PortTaken(f"Port {port} can only be used by root", port=port)
    if refusal.errno == errno.EADDRNOTAVAIL:
        raise PortTaken(f"This machine has no address {bind}; see SIGNET_BIND", port=port)
    answer = ask(port, "/health", timeout_seconds=1.0, host=host_of(bind))
    other = answer.body.get("agentsDir")
    if isinstance(other, str):
        raise PortTaken(
            f"Port {port} is used by the Signet daemon of {other}; choose another with --port",
            port=port,
            workspace=other,
        )
    raise PortTaken(f"Port {port} is used by another program; choose one with --port", port=port)


def wait_free(port: int, *, patience_seconds: float, bind: str = LOOPBACK) -> None:
    """Return when the port can be had, or patience ends: the programs of a killed daemon are on their way out."""
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
