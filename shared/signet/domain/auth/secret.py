"""The secret that tokens are signed with: 32 random bytes in a file that only its owner may read.

Several processes may start at once; the first to link its bytes into place has made the secret, and all read that.
Hooks import this over TCP; `secrets` and `uuid` take longer to import than the rest of it.
"""

import os
import stat
from pathlib import Path

from signet.errors import Kind, SignetError
from signet.files import open_file

SECRET_BYTES = 32


class BadSecret(SignetError):
    """The token secret cannot be trusted."""

    kind = Kind.BROKEN
    code = "bad_auth_secret"


def ensure(path: Path) -> bytes:
    """Return the secret, making the file when there is none.

    Raises BadSecret for a file that is too short or that others may read, and OSError when it cannot be made.
    """
    if not path.exists():
        _make(path)
    return read(path)


def read(path: Path) -> bytes:
    """Return the secret; raises BadSecret, and OSError when the file is not there or may not be read."""
    with open_file(path) as file:
        mode = os.fstat(file.fileno()).st_mode
        found = file.read(1_024)
    if stat.S_IMODE(mode) & 0o077:
        raise BadSecret(
            f"{path} is readable by other users, who could have signed tokens. "
            "Delete it (revokes all tokens) or run: chmod 600"
        )
    if len(found) < SECRET_BYTES:
        raise BadSecret(f"{path} is shorter than {SECRET_BYTES} bytes; delete it to make a new one")
    return found


def _make(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    own = path.with_name(f"{path.name}.{os.urandom(8).hex()}")
    handle = os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(os.urandom(SECRET_BYTES))
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(own, path)
        except FileExistsError:
            return  # another process was faster
    finally:
        own.unlink(missing_ok=True)
