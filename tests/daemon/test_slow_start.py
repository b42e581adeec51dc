"""A start on a busy machine: waited for as long as something moves, given up when nothing does."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from signet.daemon import control, processes, record
from signet.daemon.record import StartFailed
from signet.paths import Workspace
from support import forks
from support.ports import free_port

from .conftest import Daemon


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """A workspace whose daemon is the real one; no patience but for what moves."""
    for name in [name for name in os.environ if name.startswith("SIGNET_")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(control, "READY_SECONDS", 0.0)
    found = Workspace(tmp_path / "w")
    found.root.mkdir()
    (found.root / "agent.yaml").write_text("embedding: {provider: none}\n")
    with forks.daemons():
        yield found
        control.stop(found)


@contextmanager
def slowed(workspace: Workspace, name: str, *, share: float) -> Iterator[None]:
    """Let one program of a daemon that starts have only a share of the time; 0 stops it and each one in its place."""
    done = threading.Event()

    def find() -> int | None:
        return next((one.pid for one in processes.processes(workspace) if one.name == name), None)

    def signals() -> None:
        pid: int | None = None
        while not done.wait(0.01):
            pid = find() if not (pid and share) else pid
            with suppress(ProcessLookupError):  # the start was given up, or the program replaced
                if pid is not None:
                    os.kill(pid, signal.SIGSTOP)
                    done.wait(0.05 * (1 - share))
                if pid is not None and share:
                    os.kill(pid, signal.SIGCONT)
                    done.wait(0.05 * share)

    thread = threading.Thread(target=signals)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


@pytest.mark.parametrize("name", ["api", "worker"])
def test_a_start_that_moves_slowly_is_waited_for(workspace: Workspace, name: str) -> None:
    told: list[str] = []
    with slowed(workspace, name, share=0.4):
        started = control.start(workspace, free_port(), tell=told.append)
    assert started.is_new
    assert record.running(workspace) == started.daemon


def test_a_start_where_nothing_moves_is_given_up_with_the_last_lines_of_the_log(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "STILL_SECONDS", 2.0)
    with slowed(workspace, "worker", share=0.0), pytest.raises(StartFailed) as failed:
        control.start(workspace, free_port(), tell=lambda _: None)
    assert "not ready after" in failed.value.message
    assert "worker is not running" in failed.value.message
    assert any("spawned: 'worker'" in line for line in failed.value.tail)
    assert record.running(workspace) is None


def test_a_program_that_crashes_again_and_again_does_not_count_as_moving(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    daemon.ask("api-unready")
    daemon.ask("worker-crash")
    monkeypatch.setattr(control, "READY_SECONDS", 0.0)
    monkeypatch.setattr(control, "STILL_SECONDS", 5.0)
    with pytest.raises(StartFailed, match="worker is not running") as failed:
        daemon.start()
    assert len(daemon.pids("worker")) >= processes.CRASHES
    assert "crashed as asked" in failed.value.log.read_text("utf-8")
