"""One long repair at a time on a machine: a lock that the kernel gives back at any death of its holder."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from signet.domain.repair.models import Reason, Refused
from signet.files import locked


@contextmanager
def alone(runtime_dir: Path) -> Iterator[None]:
    """Hold the lock during the block; raises Refused when another process or thread has it. Never waits."""
    try:
        with locked(runtime_dir / "repair.lock", wait=False):
            yield
    except BlockingIOError as error:
        raise Refused(Reason.BUSY, "another repair is running") from error
