"""Reach a workspace's daemon on this machine, and no other program on its socket or port.

The client prefers the Unix socket in the workspace's private folder, else it connects to the TCP port. Any user may
listen on a port, so the server first proves on the same connection that it has the workspace token; only then does the
client send a token or the call. The proof contains the port, so a program on another port cannot relay the real
daemon's proof.

Hooks import this module; code needed only for TCP is imported inside functions.
"""

import os
import socket
import stat
import sys
from typing import NamedTuple

from signet.client import http1
from signet.client.errors import Unavailable, absent, impostor
from signet.client.target import CallTarget
from signet.paths import Workspace
from signet.text import json_text

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


def question(target: CallTarget, workspace: Workspace) -> OfflineQuestion:
    """Return the proof request for the program on the workspace's port.

    Raises DaemonNotRunning without a workspace token, Unavailable for an unreadable one, and BadSecret for one
    readable by others.
    """
    from signet import clock
    from signet.domain.auth import caller, tokens
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
        token = caller.own_token(workspace, sub, now=clock.now(), role=role)
        if token is None:
            raise absent(target)
        headers["Authorization"] = f"Bearer {token}"
    return OfflineQuestion(
        request=f"GET {PROOF}?nonce={nonce} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode(),
        proof=tokens.proof(key, nonce, port),
        proven=target._replace(headers=headers),
    )
