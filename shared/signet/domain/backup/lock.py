"""One backup or restore of a workspace at a time; the kernel frees the lock at any death."""

import contextlib
import fcntl
import os
from collections.abc import Iterator

from signet.domain.backup.models import BackupBusy
from signet.paths import Workspace


@contextlib.contextmanager
def alone(workspace: Workspace) -> Iterator[None]:
    """Hold the right to back up or restore. Raises BackupBusy at once when another process has it."""
    workspace.backups_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    file = os.open(workspace.backups_dir / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        raise BackupBusy() from None
    try:
        yield
    finally:
        os.close(file)
