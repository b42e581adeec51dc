"""`signet daemon …` as a person and a script meet it."""

import json
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from signet.cli.main import main
from signet.daemon import control
from support.processes import PATIENCE_SECONDS, program, said

from .conftest import Daemon


def line(level: str, category: str, message: str, second: int) -> str:
    """Return one line of a log file."""
    return json.dumps(
        {
            "timestamp": f"2026-03-04T12:00:{second:02d}.000Z",
            "level": level,
            "category": category,
            "message": message,
            "data": {"process": "worker", "kind": "extract"},
            "duration": 7,
        }
    )


@pytest.fixture
def logged(daemon: Daemon) -> Daemon:
    """A daemon that does not run and has logged three lines."""
    daemon.workspace.make()
    lines = [
        line("info", "pipeline", "job.completed", 1),
        line("warn", "git", "pull.failed", 2),
        line("error", "pipeline", "job.buried", 3),
    ]
    (daemon.workspace.log_dir / "daemon-2026-03-04.log").write_text("\n".join(lines) + "\n")
    return daemon


Invoke = Callable[..., tuple[int, str, str]]


@pytest.fixture
def invoke(daemon: Daemon, capsys: pytest.CaptureFixture[str]) -> Invoke:
    """Run a command on the daemon's workspace and return exit status, stdout and stderr."""

    def call(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        status = main(["daemon", *arguments, "--path", str(daemon.workspace.root)])
        shown = capsys.readouterr()
        return status, shown.out, shown.err

    return call


def test_status_and_stop_of_a_daemon_that_does_not_run(daemon: Daemon, invoke: Invoke) -> None:
    status, out, _ = invoke("status")
    assert (status, out.splitlines()[0]) == (1, "Daemon is not running")
    status, out, _ = invoke("status", "--json")
    assert status == 1
    assert json.loads(out) == {"running": False, "workspace": str(daemon.workspace.root)}
    assert invoke("stop") == (0, "Daemon is not running\n", "")


def test_start_status_restart_and_stop(
    daemon: Daemon, invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "shipped", lambda: daemon.plan)
    url = f"http://127.0.0.1:{daemon.port}"
    port = str(daemon.port)
    assert invoke("start", "--port", port)[:2] == (0, f"Daemon started\n{url}\n")
    status, out, _ = invoke("start", "--json")
    assert (status, json.loads(out)["started"]) == (0, False)
    assert invoke("start")[1] == f"Daemon is already running\n{url}\n"
    status, out, _ = invoke("status")
    assert status == 0
    assert url in out
    assert out.count("restarts 0") == 3
    status, out, _ = invoke("restart", "--json")
    assert (status, json.loads(out)["url"]) == (0, url)
    assert invoke("stop") == (0, "Daemon stopped\n", "")
    # Harnesses know the port, so a later start has it too.
    status, out, _ = invoke("start", "--json")
    assert (status, json.loads(out)["url"]) == (0, url)
    assert invoke("stop") == (0, "Daemon stopped\n", "")


def test_a_failed_start_shows_the_log_and_exits_1(
    daemon: Daemon, invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "shipped", lambda: daemon.plan)
    daemon.ask("migrate-fail")
    status, out, err = invoke("start", "--port", str(daemon.port))
    assert (status, out) == (1, "")
    lines = [line for line in err.splitlines() if not line.startswith("Starting: ")]  # slow
    assert lines[0] == "error: Failed to start daemon: it exited while starting"
    assert "  the database is made of cheese" in lines
    assert lines[-1].endswith("startup.log")
    status, out, _ = invoke("start", "--json", "--port", str(daemon.port))
    assert (status, json.loads(out)["code"]) == (1, "start_failed")


def test_a_workspace_that_cannot_be_written_is_one_line_and_exit_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert main(["daemon", "start", "--path", str(tmp_path / "file" / "ws")]) == 1
    shown = capsys.readouterr()
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert shown.err.startswith("error: Cannot write ")


def test_logs_shows_lines_by_level_category_and_number(logged: Daemon, invoke: Invoke) -> None:
    def messages(*arguments: str) -> list[str]:
        status, out, _ = invoke("logs", *arguments, "--json")
        assert status == 0
        found = json.loads(out)
        assert found["count"] == len(found["logs"])
        return [entry["message"] for entry in found["logs"]]

    assert messages() == ["job.completed", "pull.failed", "job.buried"]
    assert messages("-l", "warn", "-c", "pipeline") == ["job.buried"]
    assert messages("-n", "2") == ["pull.failed", "job.buried"]
    assert messages("-n", "0") == []


def test_a_log_line_is_readable(logged: Daemon, invoke: Invoke) -> None:
    _, out, _ = invoke("logs", "-n", "1")
    assert out.endswith("error pipeline job.buried process=worker kind=extract took 7 ms\n")


def test_an_unknown_level_is_wrong_usage(logged: Daemon, invoke: Invoke) -> None:
    status, _, err = invoke("logs", "-l", "loud")
    assert status == 2
    assert "debug, info, warn, error" in err


def test_following_the_log_ends_with_ctrl_c_and_exit_0(logged: Daemon) -> None:
    root = str(logged.workspace.root)
    arguments = ("-m", "signet.cli.main", "daemon", "logs", "-f", "-p", root)
    with program(*arguments, env={"PYTHONUNBUFFERED": "1"}) as process:
        said(process, "job.buried")
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_SECONDS) == 0


def test_the_commands_load_no_heavy_library(daemon: Daemon) -> None:
    script = """
import sys
from signet.cli import main
assert main.main(["daemon", "status"]) == 1
heavy = {"sqlalchemy", "httpx", "supervisor", "numpy", "structlog", "fastapi", "dramatiq"}
print("loaded", sorted(heavy & set(sys.modules)))
"""
    with program("-c", script, env={"SIGNET_PATH": str(daemon.workspace.root)}) as process:
        said(process, "loaded []")


@pytest.mark.parametrize("command", ["start", "stop", "restart", "status", "logs"])
def test_every_command_has_help_with_examples(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["daemon", command, "--help"]) == 0
    assert capsys.readouterr().out.count(f"signet daemon {command}") >= 2
