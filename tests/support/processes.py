"""Second processes for tests: started with our source roots, ended for good at the end of the test."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from signet.db.gate import WriteGate
from support import forks

ROOT = Path(__file__).parents[2]
ROOTS = ("shared", "services/api", "services/worker", "services/scheduler", "tests")
PYTHONPATH = os.pathsep.join(str(ROOT / folder) for folder in ROOTS)

#: How soon a condition is looked at again; each look lets more time pass than the one before, because looks cost the
#: processor that what is waited for needs, too. And how long a test waits for it at most.
LOOK_SECONDS, LONGEST_SECONDS, GROWTH = 0.01, 0.05, 1.2
PATIENCE_SECONDS = 120.0


def eventually(condition: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> float:
    """Wait until a condition holds and return how long that took; fails when it never does."""
    started = time.monotonic()
    pause = _Pause()
    while not condition():
        assert time.monotonic() - started < seconds, "the condition never came true"
        pause.wait()
    return time.monotonic() - started


def state(pid: int) -> str:
    """Return the kernel's letter for a process (R, S, T, Z ...), nothing when it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def is_running(pid: int) -> bool:
    """Return whether a process lives; one that is dead and not yet collected does not.

    Not every machine has a first process that collects what others leave.
    """
    return state(pid) not in ("", "Z")


@contextmanager
def program(
    *arguments: str, env: Mapping[str, str] | None = None, is_heard: bool = True
) -> Iterator[subprocess.Popen[str]]:
    """Run `python <arguments>` until the block ends; then it is killed.

    One that nobody listens to must not be heard: it would stand still at its first word into a full pipe.
    """
    environ = {**os.environ, "PYTHONPATH": PYTHONPATH, **(env or {})}
    is_service = arguments[0] == "-m" and arguments[1] in forks.SERVICES
    if is_service and forks.READ_WHEN_LOADED not in environ:
        process: subprocess.Popen[str] = forks.Service(arguments[1], environ, is_heard=is_heard)
    else:
        process = subprocess.Popen(
            [sys.executable, *arguments],
            env=environ,
            stdout=subprocess.PIPE if is_heard else subprocess.DEVNULL,
            text=True,
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGCONT)
            process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


def suspend(process: subprocess.Popen[str], database: Path) -> None:
    """Stop a process (SIGSTOP) where it holds no write lock: one that did would keep everybody from writing."""
    suspend_pid(process.pid, database)


def suspend_pid(pid: int, database: Path) -> None:
    """Do what `suspend` does to a process that somebody else has started."""
    gate = WriteGate(database)

    def is_stopped_outside() -> bool:
        os.kill(pid, signal.SIGSTOP)
        eventually(lambda: state(pid) == "T")
        if gate.try_enter():
            gate.leave()
            return True
        os.kill(pid, signal.SIGCONT)
        return False

    try:
        eventually(is_stopped_outside)
    finally:
        gate.close()


def said(process: subprocess.Popen[str], word: str) -> None:
    """Wait until a process prints a line with this word; fails when it ends before."""
    assert process.stdout is not None
    for line in process.stdout:
        if word in line:
            return
    raise AssertionError(f"the process ended ({process.wait()}) and never said {word!r}")


class _Pause:
    """A wait between two looks at a condition; it is not what a test relies on."""

    def __init__(self) -> None:
        self._seconds = LOOK_SECONDS

    def wait(self) -> None:
        import select

        select.select([], [], [], self._seconds)
        self._seconds = min(GROWTH * self._seconds, LONGEST_SECONDS)
