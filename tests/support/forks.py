"""Runs programs as processes of their own, without each loading the same modules again.

A command from nothing takes a quarter of a second of the processor and a service one to three, most of it for imports;
as a fork of a process that has done them (`fork_server.py`) they take a tenth of that. Arguments, environment, folder,
streams, terminal, signals and exit status are those of a program that a shell starts.
"""

import atexit
import fcntl
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

from signet.daemon.record import SUPERVISE
from support.database import RUN

SERVER = Path(__file__).with_name("fork_server.py")
#: The kinds of servers: one has loaded what commands of `signet` do, the other what services do.
COMMANDS, OF_SERVICES = "commands", "services"
COMMAND = "signet.cli.main"
#: The modules of services, and of those that tests put something in front of.
SERVICES = {
    "signet_api.main",
    "signet_scheduler.main",
    "signet_worker.main",
    "worker.stops_at.main",
    "worker.stuck.main",
}
#: The process with which the run ends, and a folder that ends with the run.
OF_RUN, FOLDER = os.environ.get(RUN, str(os.getpid())), Path(tempfile.gettempdir())
#: A longer command line can stand where this one is, once a fork is a supervisor.
ROOM = "." * 4_096
#: What libraries read when they are loaded: a program that has it starts from nothing.
READ_WHEN_LOADED = "PROMETHEUS_MULTIPROC_DIR"


class Fork:
    """A program that runs; `pid` is its process."""

    def __init__(
        self,
        kind: str,
        module: str,
        arguments: tuple[str, ...],
        environ: Mapping[str, str],
        streams: tuple[int, int, int],
        *,
        terminal: bool = False,
        is_daemon: bool = False,
    ) -> None:
        """Start it on these streams; with `terminal` the third is its terminal and it leads a session.

        `is_daemon` says that it is the supervisor of a daemon.
        """
        self._ours, theirs = socket.socketpair()
        with theirs:
            _server(kind).fork((*streams, theirs.fileno()))
        request = {
            "module": module,
            "arguments": arguments,
            "environ": dict(environ),
            "folder": str(Path.cwd()),
            "terminal": terminal,
            "is_daemon": is_daemon,
        }
        self._ours.sendall(json.dumps(request).encode() + b"\n")
        self._told = self._ours.makefile("rb", buffering=0)
        self.pid = int(self._told.readline())

    def ended(self, seconds: float | None) -> int | None:
        """Return the exit status, below zero for a signal; None when it has not ended after so long."""
        if not select.select([self._ours], [], [], seconds)[0]:
            return None
        try:
            return int(self._told.readline())
        finally:
            self.close()

    def close(self) -> None:
        """Ask no more how it ends."""
        self._told.close()
        self._ours.close()


class Command(Fork):
    """A command of `signet`."""

    def __init__(
        self,
        arguments: tuple[str, ...],
        environ: Mapping[str, str],
        streams: tuple[int, int, int],
        *,
        terminal: bool = False,
    ) -> None:
        super().__init__(COMMANDS, COMMAND, arguments, environ, streams, terminal=terminal)

    def wait(self, seconds: float) -> int:
        """Return the exit status, below zero for a signal; after so long it is killed and TimeoutError raised."""
        status = self.ended(seconds)
        if status is None:
            os.kill(self.pid, signal.SIGKILL)
            self.close()
            raise TimeoutError(f"{self.pid} has not ended after {seconds:.0f} s")
        return status


@contextmanager
def daemons() -> Iterator[None]:
    """Let daemons that this process starts until the block ends be forks; it collects them as its own children."""
    spawn, wait = os.posix_spawn, os.waitpid
    started: dict[int, Fork] = {}

    def spawned(path: str, command: list[str], environ: Mapping[str, str], /, **how: Any) -> int:
        if SUPERVISE not in command:
            return spawn(path, command, environ, **how)
        streams: dict[int, int] = {}
        for action, number, *rest in how["file_actions"]:
            if action == os.POSIX_SPAWN_DUP2:
                streams[rest[0]] = streams[number]
            else:
                streams[number] = os.open(*rest)
        arguments = tuple(command[command.index(SUPERVISE) + 1 :])
        ends = (streams[0], streams[1], streams[2])
        fork = Fork(COMMANDS, SUPERVISE, arguments, environ, ends, is_daemon=True)
        for descriptor in {*ends}:
            os.close(descriptor)
        started[fork.pid] = fork
        return fork.pid

    def waited(pid: int, options: int, /) -> tuple[int, int]:
        if pid not in started:
            return wait(pid, options)
        status = started[pid].ended(0.0 if options & os.WNOHANG else None)
        if status is None:
            return 0, 0
        del started[pid]
        return pid, status << 8 if status >= 0 else -status

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "posix_spawn", spawned)
        patch.setattr(os, "waitpid", waited)
        yield
    for fork in started.values():
        fork.close()


class Service(subprocess.Popen[str]):
    """A service of the daemon, used as any program that was started."""

    def __init__(self, module: str, environ: Mapping[str, str], *, is_heard: bool) -> None:
        """Start it; what it prints can be read when it `is_heard`."""
        self.args = [sys.executable, "-m", module]
        self.stdin = self.stdout = self.stderr = None
        self.returncode = None  # as in the class, until it has ended
        self._child_created = False  # it is collected by another process
        nothing = os.open(os.devnull, os.O_RDWR)
        reads, out = os.pipe() if is_heard else (-1, os.dup(nothing))
        try:
            self._fork = Fork(OF_SERVICES, module, (), environ, (nothing, out, 2))
        finally:
            os.close(nothing)
            os.close(out)
        if is_heard:
            self.stdout = os.fdopen(reads, encoding="utf-8")
        self.pid = self._fork.pid

    def poll(self) -> int | None:
        """Return the exit status when it has ended."""
        return self._ended(0.0)

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit status; raises TimeoutExpired."""
        status = self._ended(timeout)
        if status is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
        return status

    def send_signal(self, sig: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            try:
                os.kill(self.pid, sig)
            except ProcessLookupError:
                self.wait()

    def _ended(self, seconds: float | None) -> int | None:
        if self.returncode is None:
            self.returncode = self._fork.ended(seconds)
        return self.returncode


class _Server:
    def __init__(self, kind: str) -> None:
        self._lock = Lock()
        path = FOLDER / f"forks-{OF_RUN}-{kind}"
        with path.with_suffix(".lock").open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if not path.exists():
                _serve(path, kind)
        self._control = socket.socket(socket.AF_UNIX)
        self._control.connect(str(path))

    def fork(self, descriptors: tuple[int, ...]) -> None:
        with self._lock:
            socket.send_fds(self._control, [b"\n"], list(descriptors))


def _serve(path: Path, kind: str) -> None:
    """Start a server for all processes of the run; it ends after the run."""
    paths = os.pathsep.join(path for path in sys.path if path)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(100)
        number = str(listener.fileno())
        started = subprocess.Popen(
            [sys.executable, "-P", str(SERVER), number, OF_RUN, kind, ROOM],
            # A library's own threads would not be there in a fork.
            env={"PATH": os.defpath, "PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.DEVNULL,
            pass_fds=[listener.fileno()],
        )
    started.returncode = 0  # nobody waits for it


@cache
def _server(kind: str) -> _Server:
    made = _Server(kind)
    atexit.register(made._control.close)
    return made
