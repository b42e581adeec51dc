"""Run a program, and kill its process group afterwards: children may outlive it or keep its pipe open."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path


def run(
    command: Sequence[str], *, folder: str | Path, environ: Mapping[str, str], seconds: float
) -> tuple[int, str]:
    """Return the exit status and the output; raises TimeoutExpired, and OSError if the program cannot be started."""
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as program:
        try:
            said, _ = program.communicate(timeout=seconds)
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(program.pid, signal.SIGKILL)
    return program.returncode, said
