"""Crashes, kills, other people's ports and unusable workspaces."""

import http.client
import os
import signal
import socket
import stat
import subprocess
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from signet.daemon import control, ready, record
from signet.daemon.processes import processes
from signet.daemon.record import PortTaken, StartFailed
from signet.errors import SignetError, Unavailable
from signet.observe.logfile import LogPlace
from signet.observe.logread import LogFilter, newest
from signet.paths import Workspace
from support.processes import PATIENCE_SECONDS, eventually, is_running

from .conftest import Daemon, freeze


def test_kill_9_of_the_supervisor_leaves_nothing_and_start_works_again(daemon: Daemon) -> None:
    done = daemon.start()
    eventually(lambda: len(daemon.booted()) == 3)
    programs = daemon.booted()
    os.kill(done.daemon.pid, signal.SIGKILL)
    eventually(lambda: not any(map(is_running, programs)))
    os.waitpid(done.daemon.pid, 0)
    assert record.running(daemon.workspace) is None
    again = daemon.start()
    assert again.is_new
    assert again.daemon.pid != done.daemon.pid


def test_a_start_right_after_a_kill_9_waits_for_the_port(daemon: Daemon) -> None:
    done = daemon.start()
    os.kill(done.daemon.pid, signal.SIGKILL)
    os.waitpid(done.daemon.pid, 0)
    assert daemon.start().is_new


def test_a_start_ends_the_api_that_a_killed_supervisor_left_before_it_could_notice(
    daemon: Daemon,
) -> None:
    """A program that still imports is not yet tied to its supervisor, and on a busy machine that takes seconds."""
    daemon.ask("api-slow")
    starter = daemon.launch("start")
    eventually(lambda: len(daemon.pids("api")) == 1)
    [left] = daemon.pids("api")
    found = record.running(daemon.workspace)
    assert found is not None
    os.kill(found.pid, signal.SIGKILL)
    starter.communicate(timeout=PATIENCE_SECONDS)
    (daemon.workspace.root / "api-slow").unlink()
    assert is_running(left)
    assert daemon.start().is_new
    assert not is_running(left)
    had = f"a killed daemon of this workspace still uses port {daemon.port}"
    assert f"{had}; its API (PID {left}) is stopped" in daemon.told


def test_a_start_that_waits_for_a_daemon_takes_over_when_that_is_killed(daemon: Daemon) -> None:
    daemon.ask("api-unready")
    first = daemon.launch("start")
    eventually(lambda: record.running(daemon.workspace) is not None)
    killed: list[int] = []

    def kill(missing: str) -> None:
        daemon.told.append(missing)
        found = record.running(daemon.workspace)
        if missing == "Starting: the worker …" and found is not None and not killed:
            os.kill(found.pid, signal.SIGKILL)
            killed.append(found.pid)
            # Else its API might become ready before it is dead, and the start would rightly find a daemon.
            eventually(lambda: not record.is_supervisor(found.pid, daemon.workspace))
            (daemon.workspace.root / "api-unready").unlink()

    done = control.start(daemon.workspace, daemon.port, tell=kill, plan=daemon.plan)
    first.communicate(timeout=PATIENCE_SECONDS)
    assert done.daemon.pid not in killed
    assert "the running daemon was killed; a new one is started" in daemon.told


def test_a_command_that_was_given_our_environment_is_no_api_of_ours(daemon: Daemon) -> None:
    daemon.workspace.make()
    names = {"SIGNET_PATH": str(daemon.workspace.root), "SIGNET_SUPERVISOR_PID": "99999999"}
    ours, theirs = socket.socketpair()
    with ours, theirs:
        environ: dict[str, str] = {**os.environ, **names}
        command = subprocess.Popen(["sleep", "60"], stdin=theirs.fileno(), env=environ)
        try:
            assert record.orphaned_apis(daemon.workspace, daemon.port) == []
        finally:
            command.kill()
            command.wait()


def test_a_killed_program_is_started_again_and_counted(daemon: Daemon) -> None:
    daemon.start()
    eventually(lambda: len(daemon.booted()) == 3)
    first = daemon.pids("scheduler")[-1]
    os.kill(first, signal.SIGKILL)
    eventually(lambda: len(daemon.pids("scheduler")) == 2)
    assert {one.name: one.restarts for one in processes(daemon.workspace)} == {
        "api": 0,
        "scheduler": 1,
        "worker": 0,
    }


def test_a_caller_of_a_restarting_api_waits_and_is_answered(daemon: Daemon) -> None:
    daemon.start()
    os.kill(daemon.pids("api")[-1], signal.SIGKILL)
    answer = ready.ask(daemon.port, "/health", timeout_seconds=PATIENCE_SECONDS)
    assert answer.status == 200
    assert len(daemon.pids("api")) == 2


def test_a_program_that_keeps_crashing_waits_longer_each_time_and_says_why(daemon: Daemon) -> None:
    daemon.ask("worker-crash")
    daemon.start()
    eventually(lambda: len(daemon.pids("worker")) >= 2)
    (worker,) = (one for one in processes(daemon.workspace) if one.name == "worker")
    assert worker.restarts >= 1  # the third start may have begun
    (crash, *_) = newest(
        LogPlace(directory=daemon.workspace.log_dir), 1, LogFilter(level="error", category="daemon")
    )
    assert crash["message"] == "process.crashed"
    error = crash["error"]
    assert isinstance(error, dict)
    assert error["message"] == "crashed as asked"


def test_a_stale_pid_file_neither_stops_a_start_nor_kills_a_stranger(daemon: Daemon) -> None:
    daemon.workspace.make()
    daemon.workspace.pid_file.write_text(str(os.getpid()))
    assert daemon.stop() is False
    assert daemon.start().is_new
    daemon.stop()
    for nonsense in ("", "-1", "no number", "99999999"):
        daemon.workspace.pid_file.write_text(nonsense)
        assert record.running(daemon.workspace) is None


def test_a_port_of_another_program_is_named(daemon: Daemon) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", daemon.port))
        other.listen()
        threading.Thread(target=lambda: other.accept()[0].close(), daemon=True).start()
        with pytest.raises(PortTaken, match=f"Port {daemon.port} is used by another program"):
            daemon.start()
    assert record.running(daemon.workspace) is None


def test_a_port_of_another_workspace_is_named_with_the_workspace(
    make_daemon: Callable[[str], Daemon],
) -> None:
    first, second = make_daemon("first"), make_daemon("second")
    first.start()
    second.port = first.port
    with pytest.raises(PortTaken, match=f"the Signet daemon of {first.workspace.root}"):
        second.start()


def test_a_workspace_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    workspace = Workspace(tmp_path / "file" / "workspace")
    with pytest.raises(SignetError, match=r"^Cannot write .*: Not a directory$"):
        control.start(workspace, 1, tell=print)


def test_a_read_only_workspace_is_one_clear_line(daemon: Daemon) -> None:
    daemon.workspace.make()
    daemon.workspace.daemon_dir.chmod(stat.S_IRUSR | stat.S_IXUSR)
    if os.access(daemon.workspace.daemon_dir, os.W_OK):
        pytest.skip("this user may write everywhere")
    try:
        with pytest.raises(SignetError, match=r"^Cannot write .*: Permission denied$"):
            daemon.start()
    finally:
        daemon.workspace.daemon_dir.chmod(stat.S_IRWXU)


def test_a_database_that_cannot_be_prepared_fails_the_start_with_its_reason(daemon: Daemon) -> None:
    daemon.ask("migrate-fail")
    with pytest.raises(StartFailed) as failure:
        daemon.start()
    assert "the database is made of cheese" in failure.value.tail
    assert failure.value.log == daemon.workspace.log_dir / "startup.log"
    assert record.running(daemon.workspace) is None
    assert daemon.booted() == []


def test_the_log_of_a_failed_start_shows_that_start_alone(daemon: Daemon) -> None:
    daemon.start()
    daemon.stop()
    daemon.ask("migrate-fail")
    with pytest.raises(StartFailed) as failure:
        daemon.start()
    assert failure.value.tail == (
        "the database is made of cheese",
        "The database could not be prepared",
    )


def test_a_start_that_never_becomes_ready_says_what_it_waited_for_and_leaves_nothing(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose_patience(missing: str) -> None:
        daemon.told.append(missing)
        if missing == "Starting: the worker …":
            monkeypatch.setattr(control, "READY_SECONDS", 0.0)
            monkeypatch.setattr(control, "STILL_SECONDS", 0.0)

    daemon.ask("api-unready")
    with pytest.raises(StartFailed, match=r"not ready after \d+ s: "):
        control.start(daemon.workspace, daemon.port, tell=lose_patience, plan=daemon.plan)
    assert "Starting: the worker …" in daemon.told
    assert record.running(daemon.workspace) is None


def test_a_stop_during_the_upgrade_of_the_database_ends_both(daemon: Daemon) -> None:
    daemon.ask("migrate-hang")

    def stop_when_told(missing: str) -> None:
        daemon.told.append(missing)
        eventually(lambda: record.running(daemon.workspace) is not None)
        assert daemon.stop()

    with pytest.raises(StartFailed, match="it exited while starting"):
        control.start(daemon.workspace, daemon.port, tell=stop_when_told, plan=daemon.plan)
    assert daemon.told == ["Starting: the database is being prepared …"]


def test_a_silent_daemon_is_called_hung_and_restart_replaces_it(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = daemon.start()
    freeze(daemon.pids("api")[-1])
    with monkeypatch.context() as impatient:
        impatient.setattr(control, "READY_SECONDS", 0)
        impatient.setattr(control, "HUNG_SECONDS", 0.3)
        with pytest.raises(Unavailable, match=f"PID {first.daemon.pid}.*signet daemon restart"):
            daemon.start()
    second = daemon.restart()
    assert second.is_new
    assert not is_running(first.daemon.pid)


def test_a_supervisor_that_ignores_sigterm_is_killed_with_its_programs(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = daemon.start()
    eventually(lambda: len(daemon.booted()) == 3)
    programs = daemon.booted()
    freeze(done.daemon.pid)
    monkeypatch.setattr(control, "STOP_SECONDS", 0.3)
    assert daemon.stop()
    eventually(lambda: not any(map(is_running, programs)))
    assert record.running(daemon.workspace) is None


def test_a_program_that_does_not_stop_is_killed(daemon: Daemon) -> None:
    daemon.ask("worker-deaf")
    done = daemon.start()
    eventually(lambda: len(daemon.booted()) == 3)
    assert daemon.stop()
    assert not is_running(done.daemon.pid)


def test_a_configuration_that_is_wrong_fails_the_start(daemon: Daemon, tmp_path: Path) -> None:
    (tmp_path / "wrong.conf").write_text("[nothing]\n")
    daemon.plan = replace(daemon.plan, config=tmp_path / "wrong.conf")
    with pytest.raises(StartFailed, match="it exited while starting") as failure:
        daemon.start()
    assert any("supervisord section" in line for line in failure.value.tail)


def test_the_port_is_closed_when_the_daemon_has_stopped(daemon: Daemon) -> None:
    daemon.start()
    daemon.stop()
    connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=PATIENCE_SECONDS)
    with pytest.raises(ConnectionRefusedError):
        connection.request("GET", "/health")
    connection.close()
