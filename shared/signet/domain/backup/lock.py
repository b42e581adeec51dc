"""One backup or restore of a workspace at a time; the kernel frees the lock at any death."""

from collections.abc import Iterator
from contextlib import contextmanager

from signet.errors import Unavailable
from signet.files import locked
from signet.paths import Workspace


@contextmanager
def alone(workspace: Workspace) -> Iterator[None]:
    """Hold the right to back up or restore. Raises Unavailable at once when another process has it."""
    try:
        with locked(workspace.backups_dir / ".lock", wait=False):
            yield
    except BlockingIOError:
        raise Unavailable(
            "Another backup or restore of this workspace is running; try again when it is done",
            "backup_busy",
        ) from None
