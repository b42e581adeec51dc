"""One exchange with the daemon over a standard-library socket.

It starts in a tenth of an HTTP library's time. It uses no proxy and follows no redirect.
"""

import contextlib
import json
import os
import socket
import stat
import sys
import time
from typing import Any, NamedTuple

from signet.client import http1
from signet.client.call import Call, RawReply
from signet.client.errors import ConnectionBroken, absent, impostor, silent
from signet.client.target import CallTarget
from signet.errors import Unavailable
from signet.paths import Workspace
from signet.text import json_text

_CHUNK = 65_536


def send(target: CallTarget, call: Call[Any]) -> RawReply:
    """Return the reply to a call; `target.seconds` bounds the whole exchange.

    Raises DaemonNotRunning, DaemonSilent, ConnectionBroken or BadAnswer.
    """
    until = time.monotonic() + target.seconds
    target = _described(target, call)
    try:
        connection, target = connected(target, until)
        with contextlib.closing(connection):
            return http1.reply(target, call, _exchange(connection, target, call, until))
    except TimeoutError as error:
        raise silent(target) from error
    except OSError as error:
        raise ConnectionBroken(f"The connection to {target.url} broke: {error!r}") from error


def _described(target: CallTarget, call: Call[Any]) -> CallTarget:
    """Return the target with the repository of the call's project, at which a remote daemon cannot look."""
    said = call.body or {}
    named = call.params.get("project") or said.get("project")
    if not (target.is_elsewhere and named) or "repository" in said:
        return target
    from signet.domain.projects import folder

    described = json.dumps(folder.described(str(named)))
    return target._replace(headers={**target.headers, "X-Signet-Repository": described})


def connected(target: CallTarget, until: float | None = None) -> tuple[socket.socket, CallTarget]:
    """Return a connection to the daemon, and the target with the headers for it.

    A workspace's own daemon must prove its identity by `until` (monotonic; default: within `target.seconds`). Raises
    DaemonNotRunning, BadAnswer or OSError (including TimeoutError).
    """
    if target.own is None:
        return _named(target), target
    if (connection := _local(target, target.own)) is not None:
        return connection, target
    return proven(target, target.own, until)


def _local(target: CallTarget, workspace: Workspace) -> socket.socket | None:
    """Return a connection to the workspace's socket, None if that fails."""
    path = socket_path(workspace)
    if path is None:
        return None
    connection = socket.socket(socket.AF_UNIX)
    with contextlib.suppress(OSError):  # no listener, or the path is too long
        connection.settimeout(target.connect_seconds)
        connection.connect(path)
        if is_ours(connection):
            return connection
    connection.close()
    return None


def proven(
    target: CallTarget, workspace: Workspace, until: float | None = None
) -> tuple[socket.socket, CallTarget]:
    """Return a connection to the workspace's port after the daemon has proved its identity by `until`.

    Raises what `connected` raises.
    """
    until = until or time.monotonic() + target.seconds
    question = proof_question(target, workspace)
    connection = _tcp(target)
    try:
        _within(connection, until).sendall(question.request)
        received = b""
        while not question.is_answered(workspace, received):
            some = _within(connection, until).recv(_CHUNK)
            if not some:
                raise ConnectionBroken(f"The connection to {target.url} broke: no proof was sent")
            received += some
    except BaseException:
        connection.close()
        raise
    return connection, question.proven


def _named(target: CallTarget) -> socket.socket:
    """Return a connection to the address that the user named."""
    connection = _tcp(target)
    if not target.is_tls:
        return connection
    import ssl

    return ssl.create_default_context().wrap_socket(connection, server_hostname=target.address[0])


def _tcp(target: CallTarget) -> socket.socket:
    try:
        connection = (_reached if target.is_elsewhere else socket.create_connection)(
            target.address, target.connect_seconds
        )
    except OSError as error:
        if isinstance(error, TimeoutError) and not target.is_elsewhere:
            raise
        raise absent(target) from error
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def _reached(address: tuple[str, int], seconds: float) -> socket.socket:
    """Return a connection to a remote daemon; raises OSError after `seconds`, however many addresses its name has.

    A dead name server ignores our timeout, so a separate thread queries it.
    """
    import threading

    until = time.monotonic() + seconds
    found: list[str] = []

    def resolve() -> None:
        with contextlib.suppress(OSError):
            told = socket.getaddrinfo(*address, type=socket.SOCK_STREAM)
            found.extend(str(one[4][0]) for one in told)

    asking = threading.Thread(target=resolve, daemon=True)
    asking.start()
    asking.join(seconds)
    hosts = list(dict.fromkeys(found))
    for number, host in enumerate(hosts):
        share = (until - time.monotonic()) / (len(hosts) - number)
        with contextlib.suppress(OSError):
            return socket.create_connection((host, address[1]), max(share, 0.01))
    raise TimeoutError(f"{address[0]} was not reached")


def _exchange(
    connection: socket.socket, target: CallTarget, call: Call[Any], until: float
) -> bytes:
    # A server may reject a body before reading all of it, and close.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        _within(connection, until).sendall(http1.request(target, call))
    received = bytearray()
    while len(received) < http1.MAX_BYTES:
        try:
            some = _within(connection, until).recv(_CHUNK)
        except ConnectionResetError:
            if not received:
                raise
            break
        if not some:
            break
        received += some
    return bytes(received)


def _within(connection: socket.socket, until: float) -> socket.socket:
    """Return the socket with a deadline at `until`.

    Its own timeout restarts with each byte: a server that sends one byte a second would never time out.
    """
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    connection.settimeout(left)
    return connection


PROOF = "/api/auth/proof"
#: Maximum size of an answer to a proof request.
MOST_BYTES = 16_384


class OfflineQuestion(NamedTuple):
    """A proof request, the expected proof, and the target of the following call, with an own token."""

    request: bytes
    proof: str
    proven: CallTarget

    def is_answered(self, workspace: Workspace, received: bytes) -> bool:
        """Return whether the right proof has arrived completely. Raises BadAnswer without quoting a wrong answer."""
        try:
            reply = http1.whole(received)
        except http1.Malformed:
            raise impostor(self.proven, workspace) from None
        if reply is None and len(received) <= MOST_BYTES:
            return False
        answer = json_text.an_object(reply.body) if reply else None
        if not answer or answer.get("proof") != self.proof:
            raise impostor(self.proven, workspace)
        return True


def socket_path(workspace: Workspace) -> str | None:
    """Return the path of the API socket; None without one, or if another user could have created it."""
    if sys.platform == "win32":
        return None
    path = workspace.api_socket
    try:
        folder, found = os.lstat(path.parent), os.lstat(path)
    except OSError:
        return None
    is_private = stat.S_ISDIR(folder.st_mode) and not folder.st_mode & 0o022
    is_ours = folder.st_uid == found.st_uid == os.geteuid()
    return str(path) if is_private and is_ours and stat.S_ISSOCK(found.st_mode) else None


def is_ours(connection: socket.socket) -> bool:
    """Return whether the program at the other end of a Unix socket runs as this user, if the kernel reports it."""
    if sys.platform == "linux":
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    elif sys.platform == "darwin":
        credentials = connection.getsockopt(0, 1, 76)  # SOL_LOCAL, LOCAL_PEERCRED
    else:
        return True
    # The user ID is the second number, after the process ID (ucred) or the version (xucred).
    return int.from_bytes(credentials[4:8], sys.byteorder) == os.geteuid()


def proof_question(target: CallTarget, workspace: Workspace) -> OfflineQuestion:
    """Return the proof request for the program on the workspace's port.

    Raises DaemonNotRunning without a workspace token, Unavailable for an unreadable one, and BadSecret for one
    readable by others.
    """
    from signet import clock
    from signet.domain.auth import tokens
    from signet.wire.access import Role

    try:
        key = tokens.read_workspace_token(workspace)
    except FileNotFoundError:
        raise absent(target) from None
    except OSError as error:
        raise Unavailable(
            f"The daemon of {workspace.root} cannot prove its identity: {workspace.token_file} cannot be read "
            f"({error.strerror}). To call it anyway: SIGNET_DAEMON_URL={target.url}",
            "token_unreadable",
        ) from error
    nonce = os.urandom(16).hex()
    host, port = target.address
    headers = dict(target.headers)
    if "Authorization" not in headers:
        sub, role = headers["X-Signet-Actor"], Role(target.role)
        token = tokens.own_token(workspace, sub, now=clock.now(), role=role)
        if token is None:
            raise absent(target)
        headers["Authorization"] = f"Bearer {token}"
    return OfflineQuestion(
        request=f"GET {PROOF}?nonce={nonce} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode(),
        proof=tokens.proof(key, nonce, port),
        proven=target._replace(headers=headers),
    )
