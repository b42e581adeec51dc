"""Starting, stopping and looking, when all goes well, and moving a workspace (DG-25)."""

import json
import os
import resource
import shutil
import signal
import socket
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from signet.config.env import Environment
from signet.daemon import control, record
from signet.daemon.processes import processes
from signet.observe.logfile import STARTUP
from signet.paths import Workspace
from support.processes import PATIENCE_SECONDS, eventually, is_running

from .conftest import Daemon


def test_a_started_daemon_is_ready_and_a_stopped_one_is_gone(daemon: Daemon) -> None:
    done = daemon.start()
    assert done.is_new
    assert daemon.workspace.pid_file.read_text() == str(done.daemon.pid)
    assert stat.S_IMODE((daemon.workspace.log_dir / STARTUP).stat().st_mode) == 0o600
    eventually(lambda: len(daemon.booted()) == 3)
    programs = daemon.booted()
    assert daemon.stop()
    assert not any(map(is_running, [done.daemon.pid, *programs]))
    assert not daemon.workspace.pid_file.exists()
    assert not daemon.workspace.state_file.exists()
    # Harnesses know the port: the next start has it too, unless the environment names another.
    assert record.next_port(daemon.workspace, Environment()) == daemon.port
    assert record.next_port(daemon.workspace, Environment(port=4_000)) == 4_000
    daemon.workspace.port_file.write_text("")
    assert record.next_port(daemon.workspace, Environment()) == 3_850


def test_the_real_database_is_made_before_the_programs_start(daemon: Daemon) -> None:
    daemon.plan = replace(daemon.plan, migrate="signet.daemon.migrate")
    daemon.start()
    assert daemon.workspace.database.stat().st_size > 0


def test_starting_twice_and_stopping_twice_is_fine(daemon: Daemon) -> None:
    first = daemon.start()
    again = daemon.start()
    assert (first.is_new, again.is_new) == (True, False)
    assert again.daemon == first.daemon
    assert daemon.stop() is True
    assert daemon.stop() is False


def test_of_simultaneous_starts_exactly_one_wins(daemon: Daemon) -> None:
    starters = [daemon.launch("start") for _ in range(3)]
    outputs = [starter.communicate(timeout=PATIENCE_SECONDS) for starter in starters]
    assert [starter.returncode for starter in starters] == [0, 0, 0], outputs
    news, pids = zip(*(out.split() for out, _ in outputs), strict=True)
    assert sorted(news) == ["False", "False", "True"]
    assert len(set(pids)) == 1
    assert len(daemon.pids("api")) == 1


def test_the_state_file_tells_others_where_the_daemon_is(daemon: Daemon) -> None:
    done = daemon.start()
    state = json.loads(daemon.workspace.state_file.read_text())
    assert state["port"] == daemon.port
    assert state["url"] == f"http://127.0.0.1:{daemon.port}"
    assert state["pid"] == done.daemon.pid


def test_a_daemon_whose_state_file_was_removed_can_still_be_stopped(daemon: Daemon) -> None:
    pid = daemon.start().daemon.pid
    daemon.workspace.state_file.unlink()
    found = record.running(daemon.workspace)
    assert found is not None
    assert (found.pid, found.port) == (pid, daemon.port)
    assert daemon.stop()
    assert not is_running(pid)


def test_nobody_else_may_read_or_control_the_daemon(daemon: Daemon) -> None:
    daemon.start()
    for folder in (daemon.workspace.daemon_dir, daemon.workspace.runtime_dir):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(record.control_socket(daemon.workspace).stat().st_mode) == 0o600
    for file in (daemon.workspace.pid_file, daemon.workspace.state_file):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_status_shows_the_three_processes(daemon: Daemon) -> None:
    assert control.status(daemon.workspace)["running"] is False
    pid = daemon.start().daemon.pid
    eventually(lambda: len(daemon.booted()) == 3)
    eventually(lambda: {one.state for one in processes(daemon.workspace)} == {"running"})
    found = control.status(daemon.workspace)
    assert (found["running"], found["pid"], found["port"]) == (True, pid, daemon.port)
    shown = processes(daemon.workspace)
    assert [one.name for one in shown] == ["api", "scheduler", "worker"]
    assert [one.pid for one in shown] == [daemon.pids(one.name)[-1] for one in shown]
    assert [one.restarts for one in shown] == [0, 0, 0]
    # The time since the start is that of the process: the clock may have been set back since.
    recorded = json.loads(daemon.workspace.state_file.read_text())
    later = json.dumps({**recorded, "startedAt": "2100-01-01T00:00:00.000Z"})
    daemon.workspace.state_file.write_text(later)
    eventually(lambda: int(str(control.status(daemon.workspace)["uptime"])) > 0)


def test_restart_keeps_the_port_and_works_on_a_stopped_daemon(daemon: Daemon) -> None:
    first = daemon.start()
    daemon.workspace.port_file.unlink()  # an upgrade: earlier versions wrote none
    second = daemon.restart()
    assert second.is_new
    assert second.daemon.pid != first.daemon.pid
    assert second.daemon.port == first.daemon.port
    daemon.stop()
    third = control.restart(
        daemon.workspace, None, default_port=daemon.port, tell=daemon.told.append, plan=daemon.plan
    )
    assert third.daemon.port == daemon.port


def test_a_deep_workspace_gets_its_socket_elsewhere(
    make_daemon: Callable[[str], Daemon], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path.parent))
    deep = make_daemon("/".join(["a-rather-long-name-of-a-folder"] * 5))
    deep.start()
    assert not record.control_socket(deep.workspace).is_relative_to(deep.workspace.root)
    assert len(processes(deep.workspace)) == 3


def test_in_the_foreground_stdout_is_the_log_and_sigterm_ends_it_cleanly(daemon: Daemon) -> None:
    process = daemon.launch("foreground")
    eventually(lambda: len(daemon.booted()) == 3)
    assert daemon.start().is_new is False
    assert record.running(daemon.workspace) is not None
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, err) == (0, "")
    lines = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    started = {line["data"]["process"] for line in lines if line["message"] == "process.started"}
    assert started == {"api", "worker", "scheduler"}
    assert not daemon.workspace.pid_file.exists()


def test_under_a_service_manager_whose_journal_is_a_socket_the_log_goes_to_a_file(
    daemon: Daemon,
) -> None:
    ours, journal = socket.socketpair()
    with ours, journal:
        process = daemon.launch("foreground", journal.fileno())
        eventually(lambda: len(daemon.booted()) == 3)
        process.terminate()
        assert process.communicate(timeout=PATIENCE_SECONDS)[1] == ""
    startup = (daemon.workspace.log_dir / "startup.log").read_text()
    assert '"message":"process.started"' in startup


def test_a_second_daemon_in_the_foreground_leaves_at_once(daemon: Daemon) -> None:
    daemon.start()
    second = daemon.launch("foreground")
    _, err = second.communicate(timeout=PATIENCE_SECONDS)
    assert (second.returncode, err) == (0, "")


def test_what_the_upgrade_of_the_database_says_reaches_the_caller(daemon: Daemon) -> None:
    daemon.ask("migrate-notice")
    assert daemon.start().daemon.notice == "Database upgraded"


def test_the_daemon_does_not_belong_to_the_session_that_started_it(daemon: Daemon) -> None:
    pid = daemon.start().daemon.pid
    assert os.getsid(pid) == pid


def test_a_workspace_that_is_moved_ends_its_daemon_and_starts_one_at_the_new_place(
    daemon: Daemon, tmp_path: Path
) -> None:
    first, old = daemon.start().daemon, daemon.workspace
    eventually(lambda: len(daemon.booted()) == 3)
    programs = daemon.booted()
    daemon.workspace = Workspace(tmp_path / "moved")
    old.root.rename(daemon.workspace.root)
    assert record.running(daemon.workspace) == first
    eventually(lambda: not any(map(is_running, [first.pid, *programs])))
    assert not old.root.exists()
    log = (daemon.workspace.log_dir / STARTUP).read_text()
    assert f"{old.root} was moved; it is at {daemon.workspace.root} now" in log
    assert not daemon.workspace.token_file.exists()
    assert daemon.start().is_new
    assert daemon.stop()


def test_a_start_replaces_the_daemon_of_a_workspace_that_was_just_moved(
    daemon: Daemon, tmp_path: Path
) -> None:
    first, old = daemon.start().daemon, daemon.workspace
    # A fork that is about to be a program has the command line of its supervisor for a moment.
    eventually(lambda: len(daemon.booted()) == 3)
    daemon.workspace = Workspace(tmp_path / "moved")
    old.root.rename(daemon.workspace.root)
    old.make()
    assert record.running(old) is None
    second = daemon.start()
    assert second.is_new and not is_running(first.pid)
    assert record.running(old) is None
    assert daemon.stop()


def test_a_workspace_that_is_deleted_ends_its_daemon(daemon: Daemon) -> None:
    first = daemon.start().daemon
    eventually(lambda: len(daemon.booted()) == 3)
    shutil.rmtree(daemon.workspace.root)
    eventually(lambda: not is_running(first.pid))
    assert not daemon.workspace.root.exists()


def test_a_shell_that_allows_too_few_open_files_is_told_how_many(daemon: Daemon) -> None:
    limited = ["sh", "-c", 'ulimit -n 64 && exec "$@"', "sh"]
    starter = daemon.launch("start", within=limited)
    _, error = starter.communicate(timeout=PATIENCE_SECONDS)
    assert starter.returncode == 1
    assert error.strip() == (
        "The daemon needs at least 256 open files, and this shell allows 64. "
        "Raise the limit and start again: ulimit -n 1024"
    )
    assert not daemon.workspace.daemon_dir.exists()


def test_a_low_limit_that_may_be_raised_is_raised(daemon: Daemon) -> None:
    limited = ["sh", "-c", 'ulimit -Sn 64 && exec "$@"', "sh"]
    daemon.launch("start", within=limited).communicate(timeout=PATIENCE_SECONDS)
    found = record.running(daemon.workspace)
    assert found is not None
    limits = Path(f"/proc/{found.pid}/limits").read_text()
    (files,) = (line.split()[3] for line in limits.splitlines() if "open files" in line)
    assert int(files) == min(control.WANTED_FILES, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
