"""A daemon of stand-in programs on a free port, in a workspace of its own."""

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from signet.daemon import control, record
from signet.paths import Workspace
from signet.resources import deploy_dir
from support import forks
from support.ports import free_port
from support.processes import PYTHONPATH, eventually, is_running, state

HERE = Path(__file__).parent


def freeze(pid: int) -> None:
    """Stop a process without ending it, and wait until it stands."""
    os.kill(pid, signal.SIGSTOP)
    eventually(lambda: state(pid) == "T")


@dataclass
class Daemon:
    """A workspace, a port and a plan, with the calls that tests repeat."""

    workspace: Workspace
    port: int
    plan: control.StartPlan
    told: list[str] = field(default_factory=list)

    def start(self) -> control.StartedDaemon:
        return control.start(self.workspace, self.port, tell=self.told.append, plan=self.plan)

    def stop(self) -> bool:
        return control.stop(self.workspace)

    def restart(self) -> control.StartedDaemon:
        return control.restart(
            self.workspace, None, default_port=1, tell=self.told.append, plan=self.plan
        )

    def ask(self, file: str) -> None:
        """Ask the stand-ins for a behaviour."""
        self.workspace.root.mkdir(parents=True, exist_ok=True)
        (self.workspace.root / file).touch()

    def pids(self, program: str) -> list[int]:
        """Return every process id that a program has had, oldest first."""
        path = self.workspace.daemon_dir / f"{program}.pids"
        return [int(pid) for pid in path.read_text().split()] if path.exists() else []

    def booted(self) -> list[int]:
        """Return the newest process id of each program, when all three have booted."""
        known = [self.pids(program) for program in ("api", "worker", "scheduler")]
        return [pids[-1] for pids in known] if all(known) else []

    def launch(
        self, how: str, stdout: int = subprocess.PIPE, *, within: Sequence[str] = ()
    ) -> "subprocess.Popen[str]":
        """Start from a process of its own, with its output in pipes unless said otherwise; `within` runs it."""
        return subprocess.Popen(
            [
                *within,
                sys.executable,
                str(HERE / "starter.py"),
                str(self.workspace.root),
                str(self.port),
                str(self.plan.config),
                how,
            ],
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
        )

    def clean(self) -> None:
        """Leave no process behind, whatever the test did."""
        found = record.running(self.workspace)
        with contextlib.suppress(ProcessLookupError):
            if found is not None:
                os.kill(found.pid, signal.SIGCONT)
        control.stop(self.workspace)
        pids = [pid for program in ("api", "worker", "scheduler") for pid in self.pids(program)]
        eventually(lambda: not any(map(is_running, pids)))


@pytest.fixture
def make_daemon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], Daemon]]:
    """Return a function that makes a daemon, not started, in a named workspace."""
    for name in [name for name in os.environ if name.startswith(("SIGNET_", "PROMETHEUS_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PYTHONPATH", PYTHONPATH)
    config = tmp_path / "stand_in.conf"
    shipped = (deploy_dir() / "supervisord.conf").read_text()
    config.write_text(re.sub(r"signet_(\w+)\.main", r"daemon.stand_in \1", shipped))
    made: list[Daemon] = []

    def make(name: str) -> Daemon:
        plan = control.StartPlan(config=config, migrate="daemon.stand_in_migrate")
        daemon = Daemon(workspace=Workspace(tmp_path / name), port=free_port(), plan=plan)
        made.append(daemon)
        return daemon

    with forks.daemons():
        yield make
        for daemon in made:
            daemon.clean()


@pytest.fixture
def daemon(make_daemon: Callable[[str], Daemon]) -> Daemon:
    """A daemon, not started, whose workspace has a space and a percent sign in its name."""
    return make_daemon("work 100% space")
