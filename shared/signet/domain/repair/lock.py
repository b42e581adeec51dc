"""One long repair at a time on a machine: a lock that the kernel gives back at any death of its holder."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from signet.domain.repair.models import Reason, Refused


@contextlib.contextmanager
def alone(runtime_dir: Path) -> Iterator[None]:
    """Hold the lock during the block; raises Refused when another process or thread has it. Never waits."""
    runtime_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = os.open(runtime_dir / "repair.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Refused(Reason.BUSY, "another repair is running") from error
        yield
    finally:
        os.close(file)
