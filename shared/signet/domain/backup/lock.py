"""One backup or restore of a workspace at a time; the kernel frees the lock at any death."""

from collections.abc import Iterator
from contextlib import contextmanager

from signet.domain.backup.models import BackupBusy
from signet.files import locked
from signet.paths import Workspace


@contextmanager
def alone(workspace: Workspace) -> Iterator[None]:
    """Hold the right to back up or restore. Raises BackupBusy at once when another process has it."""
    try:
        with locked(workspace.backups_dir / ".lock", wait=False):
            yield
    except BlockingIOError:
        raise BackupBusy() from None
