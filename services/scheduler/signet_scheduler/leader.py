"""Elect one scheduler: the holder of the lock file leads, and the kernel frees it when the holder dies.

The row `scheduler_lease` shows the leader and the number of changes, for people and status.
"""

import fcntl
import os
from pathlib import Path


class Leadership:
    """The lock of the leading scheduler."""

    def __init__(self, runtime_dir: Path) -> None:
        self._file = os.open(
            runtime_dir / "scheduler.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
        )

    def take(self) -> bool:
        """Try to become the leader; False if another scheduler is. Never waits."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def close(self) -> None:
        """Stop leading."""
        os.close(self._file)
