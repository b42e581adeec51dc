"""The workspace token: 32 random bytes in a file that only the daemon's user may read, new at every start.

It signs the own tokens of the user's clients and the daemon's proof of identity. It never travels itself.
"""

import hashlib
import hmac
import os

from signet.domain.auth import secret
from signet.paths import Workspace

_PROOF = b"signet-server-proof"


def create(workspace: Workspace) -> bytes:
    """Write a new token in place of the last one and return it; raises OSError."""
    path = workspace.token_file
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    token = os.urandom(secret.SECRET_BYTES).hex().encode()
    fresh = path.with_name(f"{path.name}.{os.urandom(8).hex()}")
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(token)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
    return token


def read(workspace: Workspace) -> bytes:
    """Return the token; raises BadSecret, and OSError without one or without the right to read it."""
    return secret.read(workspace.token_file)


def remove(workspace: Workspace) -> None:
    """Delete the token, so that everything signed with it ends."""
    workspace.token_file.unlink(missing_ok=True)


def proof(token: bytes, nonce: str, port: int) -> str:
    """Return what only a daemon with this token can answer to a nonce on this port, in hex.

    The port keeps another program from relaying the question to the real daemon.
    """
    message = b"\0".join((_PROOF, nonce.encode(), str(port).encode()))
    return hmac.digest(token, message, hashlib.sha256).hex()
