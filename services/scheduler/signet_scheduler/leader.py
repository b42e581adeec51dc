"""One scheduler at a time: the one that holds the lock file leads, and the kernel frees it at any death.

The row `scheduler_lease` says who leads and how often that changed, for people and for status.
"""

import fcntl
import os
from pathlib import Path

from signet import clock
from signet.db import WriteTx

_TAKE = """
INSERT INTO scheduler_lease (name, owner, epoch, until_ms) VALUES ('scheduler', ?, 1, ?)
ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, epoch = epoch + 1, until_ms = excluded.until_ms
RETURNING epoch"""


class Leadership:
    """The lock of the leading scheduler."""

    def __init__(self, runtime_dir: Path) -> None:
        self._file = os.open(
            runtime_dir / "scheduler.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
        )

    def take(self) -> bool:
        """Try to lead; False when another scheduler does. Never waits."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def close(self) -> None:
        """Stop leading."""
        os.close(self._file)


def record(tx: WriteTx, owner: str) -> int:
    """Write down who leads from now on; return the new epoch."""
    return int(tx.value(_TAKE, (owner, clock.monotonic_ms())))
