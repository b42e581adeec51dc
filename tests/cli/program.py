"""The `signet` program as a person or a script runs it, in a home and a workspace of its own."""

import json
import os
import pty
import select
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from support.database import storage
from support.forks import Command
from support.ports import free_port

ROOT = Path(__file__).parents[2]
SOURCES = [ROOT / "shared", *(ROOT / "services" / name for name in ("api", "worker", "scheduler"))]
#: Deterministic: no model is asked, no vector is made, and no copy of the day meets one that a test makes.
SETTINGS = """
backup: {daily: false}
embedding: {provider: none}
memory: {pipelineV2: {extraction: {provider: rules}}}
"""
#: Nobody listens there.
DEAD_URL = "http://127.0.0.1:9"
#: How long a command may take: half of what a test may, because a quickstart on a slow machine takes long.
COMMAND_SECONDS = 120.0
#: Hooks give up soon, so that nobody notices them; a test waits for a slow machine.
PATIENT = {
    f"SIGNET_{name}_TIMEOUT": "30000" for name in ("SESSION_START", "PROMPT_SUBMIT", "FETCH")
}


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
    #: Of this time zone are its commands and its daemon.
    zone: str = "UTC"

    def environment(self, **more: str) -> dict[str, str]:
        """Return an environment that reaches neither a model nor anything of this machine's user."""
        kept = {name: os.environ[name] for name in ("LANG", "TMPDIR") if name in os.environ}
        # As in a shell where the environment of the program is active.
        paths = [str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
        return {
            **kept,
            "PATH": os.pathsep.join(paths),
            "HOME": str(self.home),
            "SIGNET_PATH": str(self.workspace),
            "SIGNET_MODEL_DIR": str(self.home / "models"),
            "OLLAMA_HOST": DEAD_URL,
            "PYTHONPATH": os.pathsep.join(map(str, SOURCES)),
            "TERM": "xterm",
            "TZ": self.zone,
            **storage(self.workspace),
            **more,
        }

    def run(self, *arguments: str, stdin: str = "", **environ: str) -> Done:
        """Run one command to its end."""
        with ExitStack() as opened:
            files = [opened.enter_context(TemporaryFile("w+", encoding="utf-8")) for _ in range(3)]
            given, out, err = files
            given.write(stdin)
            given.seek(0)
            streams = (given.fileno(), out.fileno(), err.fileno())
            status = Command(arguments, self.environment(**environ), streams).wait(COMMAND_SECONDS)
            out.seek(0)
            err.seek(0)
            return Done(status, out.read(), err.read())

    def loaded(self, *arguments: str) -> set[str]:
        """Return the modules that a command has loaded when it ends."""
        script = (
            "import sys, signet.cli.main as m; status = m.main(sys.argv[1:]); "
            "print('\\n'.join(sys.modules), file=sys.stderr)"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, *arguments],
            env=self.environment(),
            capture_output=True,
            text=True,
            check=True,
        )
        return set(done.stderr.split())

    def on_terminal(
        self,
        *arguments: str,
        typed: str = "",
        after: str = "",
        answers: Sequence[tuple[str, str]] = (),
        columns: int = 100,
        **environ: str,
    ) -> str:
        """Run one command on a terminal of its own and return everything it drew.

        With `typed`, somebody sits there, and types when `after` has been drawn; `answers` are more such pairs of what
        is drawn and what is typed then, one after the other.
        """
        steps = [*([(after, typed)] if typed else []), *answers]
        ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (40, columns))
        with Path(os.devnull).open() as nobody:
            process = Command(
                arguments,
                self.environment(**environ),
                (theirs if steps else nobody.fileno(), theirs, theirs),
                terminal=True,
            )
        os.close(theirs)
        try:
            return _drawn(ours, steps)
        finally:
            os.close(ours)
            process.wait(COMMAND_SECONDS)

    def command(self, *arguments: str) -> list[str]:
        """Return the command line."""
        return [sys.executable, "-m", "signet.cli.main", *arguments]


@contextmanager
def running(home: Path, *, zone: str = "UTC") -> Iterator[Program]:
    """Give a program with a running daemon until the block ends."""
    program = Program(home=home, workspace=home / "workspace", zone=zone)
    program.workspace.mkdir()
    (program.workspace / "agent.yaml").write_text(SETTINGS)
    started = program.run("daemon", "start", "--port", str(program.port))
    assert started.status == 0, started.err
    try:
        yield program
    finally:
        stopped = program.run("daemon", "stop")
    assert stopped.out == "Daemon stopped\n"


def _drawn(terminal: int, steps: list[tuple[str, str]]) -> str:
    drawn, seen = bytearray(), 0
    deadline = time.monotonic() + COMMAND_SECONDS
    while time.monotonic() < deadline:
        if steps and steps[0][0].encode() in drawn[seen:]:
            seen = len(drawn)
            os.write(terminal, steps.pop(0)[1].encode())
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                drawn += os.read(terminal, 65_536)
            except OSError:  # the other side is closed
                return drawn.decode()
    raise AssertionError(f"the command did not end; it drew {drawn.decode()!r}")
