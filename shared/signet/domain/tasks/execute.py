"""Running a program: bounded in time and in what is kept of its output, alone in its process group.

The program and all that it starts in its group are gone when this returns, however it returns, and also when this
process is killed (see process/supervised_child.py).
"""

import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import BinaryIO

from signet.domain.tasks.models import Ended
from signet.domain.tasks.spool import STREAMS, Capped, Spool
from signet.process import supervised_child

LIMIT_SECONDS = 600.0
#: How often is looked whether to go on.
LOOK_SECONDS = 0.2
#: How long output is read that others still hold open after the program's end.
DRAIN_SECONDS = 1.0
_CHUNK = 65_536


def execute(
    command: Sequence[str],
    spool: Spool,
    *,
    folder: Path,
    environ: Mapping[str, str],
    check: Callable[[], object],
    limit_seconds: float = LIMIT_SECONDS,
) -> Ended:
    """Run a command and return how it ended, with its output; `check` raises when the run is to stop.

    A program that cannot be started has an `error`. Raises what `check` raises, after the end of the program.
    """
    with ExitStack() as stack:
        files = {name: stack.enter_context(file) for name, file in spool.create().items()}
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", supervised_child.__file__, "0", *command],
                cwd=folder,
                env=environ,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            return Ended(error=f"cannot start in {folder}: {error.strerror}")
        except ValueError as error:  # a NUL character in a skill
            return Ended(error=f"cannot start: {error}")
        try:
            late = _follow(process, files, check, limit_seconds)
        finally:
            code = _end(process)
    out, err = (spool.text(stream) for stream in STREAMS)
    if late:
        reason = f"Process timed out after {round(limit_seconds * 1000)}ms"
        return Ended(error=reason, stdout=out, stderr=err)
    return Ended(exit_code=code, stdout=out, stderr=err)


def _follow(
    process: "subprocess.Popen[bytes]",
    files: Mapping[str, BinaryIO],
    check: Callable[[], object],
    limit_seconds: float,
) -> bool:
    """Read until the program has ended; True when its time was over first."""
    deadline = time.monotonic() + limit_seconds
    with selectors.DefaultSelector() as selector:
        for stream in STREAMS:
            selector.register(getattr(process, stream), selectors.EVENT_READ, Capped(files[stream]))
        drained_by: float | None = None
        while selector.get_map():
            for key, _ in selector.select(LOOK_SECONDS):
                some = os.read(key.fd, _CHUNK)
                if some:
                    key.data.write(some)
                else:
                    selector.unregister(key.fileobj)
            check()
            now = time.monotonic()
            if drained_by is None and _has_ended(process):
                drained_by = now + DRAIN_SECONDS
            if drained_by is not None and now >= drained_by:
                return False
            if drained_by is None and now >= deadline:
                return True
    while not _has_ended(process):  # it has closed its output and goes on
        check()
        if time.monotonic() >= deadline:
            return True
        time.sleep(LOOK_SECONDS)
    return False


def _has_ended(process: "subprocess.Popen[bytes]") -> bool:
    """Return whether the leash has ended; it stays a zombie, so that its group's number is nobody else's."""
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _end(process: "subprocess.Popen[bytes]") -> int:
    """End what is left of the group, kindly first, and return the exit status."""
    assert process.stdin is not None
    process.stdin.close()
    give_up = time.monotonic() + supervised_child.GRACE_SECONDS + 1
    while not _has_ended(process) and time.monotonic() < give_up:
        time.sleep(0.02)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    code = process.wait()
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
    return code
