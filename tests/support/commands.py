"""Runs commands of `signet` as processes of their own, without each loading the same modules again.

A command from nothing takes a quarter of a second of the processor, most of it for imports; as a fork of a process that
has done them (`command_server.py`) it takes a tenth of that. Arguments, environment, folder, streams, terminal and exit
status are those of a program that a shell starts.
"""

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from threading import Lock

from support.processes import PYTHONPATH

SERVER = Path(__file__).with_name("command_server.py")


class Command:
    """A command that runs; `pid` is its process."""

    def __init__(
        self,
        arguments: tuple[str, ...],
        environ: Mapping[str, str],
        streams: tuple[int, int, int],
        *,
        terminal: bool = False,
    ) -> None:
        """Start it on these streams; with `terminal` the third is its terminal and it leads a session."""
        self._ours, theirs = socket.socketpair()
        with theirs:
            _server().fork((*streams, theirs.fileno()))
        request = {
            "arguments": arguments,
            "environ": dict(environ),
            "folder": str(Path.cwd()),
            "terminal": terminal,
        }
        self._ours.sendall(json.dumps(request).encode() + b"\n")
        self._told = self._ours.makefile("rb")
        self.pid = int(self._told.readline())

    def wait(self, seconds: float) -> int:
        """Return the exit status, below zero for a signal; after so long it is killed and TimeoutError raised."""
        self._ours.settimeout(seconds)
        try:
            return int(self._told.readline())
        except TimeoutError:
            os.kill(self.pid, signal.SIGKILL)
            raise
        finally:
            self._told.close()
            self._ours.close()


class _Server:
    def __init__(self) -> None:
        self._control, theirs = socket.socketpair()
        self._lock = Lock()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(SERVER), str(theirs.fileno())],
                env={"PATH": os.defpath, "PYTHONPATH": PYTHONPATH},
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )

    def fork(self, descriptors: tuple[int, ...]) -> None:
        with self._lock:
            socket.send_fds(self._control, [b"\n"], list(descriptors))

    def close(self) -> None:
        self._control.close()
        self._process.wait()


@cache
def _server() -> _Server:
    made = _Server()
    atexit.register(made.close)
    return made
