"""The `signet` program as a person or a script runs it, in a home and a workspace of its own."""

import json
import os
import pty
import select
import socket
import subprocess
import sys
import termios
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SOURCES = [ROOT / "shared", *(ROOT / "services" / name for name in ("api", "worker", "scheduler"))]
#: Nobody listens there.
DEAD_URL = "http://127.0.0.1:9"


def free_port() -> int:
    """Return a port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass(frozen=True)
class Done:
    """What a command printed and its exit status."""

    status: int
    out: str
    err: str

    def json(self) -> Any:
        """Return what was printed as one JSON value."""
        return json.loads(self.out)


@dataclass
class Program:
    """Runs commands with `home` as home and `workspace` as the workspace that applies."""

    home: Path
    workspace: Path
    port: int = field(default_factory=free_port)

    def environment(self, **more: str) -> dict[str, str]:
        """Return an environment that reaches neither a model nor anything of this machine's user."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        return {
            **kept,
            "HOME": str(self.home),
            "SIGNET_PATH": str(self.workspace),
            "SIGNET_MODEL_DIR": str(self.home / "models"),
            "OLLAMA_HOST": DEAD_URL,
            "PYTHONPATH": os.pathsep.join(map(str, SOURCES)),
            "TERM": "xterm",
            **more,
        }

    def run(self, *arguments: str, stdin: str = "", **environ: str) -> Done:
        """Run one command to its end."""
        done = subprocess.run(
            self.command(*arguments),
            env=self.environment(**environ),
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def on_terminal(
        self, *arguments: str, typed: str = "", columns: int = 100, **environ: str
    ) -> str:
        """Run one command on a terminal and return everything it drew; with `typed`, somebody sits there."""
        ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (40, columns))
        process = subprocess.Popen(
            self.command(*arguments),
            env=self.environment(**environ),
            stdin=theirs if typed else subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        try:
            os.write(ours, typed.encode())
            return _drain(ours)
        finally:
            os.close(ours)
            process.wait(timeout=60)

    def command(self, *arguments: str) -> list[str]:
        """Return the command line."""
        return [sys.executable, "-m", "signet.cli.main", *arguments]


def _drain(terminal: int) -> str:
    drawn = bytearray()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                drawn += os.read(terminal, 65_536)
            except OSError:  # the other side is closed
                return drawn.decode()
    raise AssertionError("the command did not end")
