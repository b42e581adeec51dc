"""`signet daemon …` as a person and a script meet it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from signet.cli.daemon import app
from signet.daemon import control

from .conftest import SHARED, Daemon

pytestmark = pytest.mark.xdist_group("daemon")
RUN = "from signet.cli.daemon import app; app()"


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


def invoke(daemon: Daemon, *arguments: str) -> tuple[int, str, str]:
    """Run a command on the daemon's workspace and return exit status, stdout and stderr."""
    done = CliRunner().invoke(app, [*arguments, "--path", str(daemon.workspace.root)])
    return done.exit_code, done.stdout, done.stderr


def test_status_and_stop_of_a_daemon_that_does_not_run(daemon: Daemon) -> None:
    status, out, _ = invoke(daemon, "status")
    assert (status, out.splitlines()[0]) == (1, "Daemon is not running")
    status, out, _ = invoke(daemon, "status", "--json")
    assert status == 1
    assert json.loads(out) == {"running": False, "workspace": str(daemon.workspace.root)}
    assert invoke(daemon, "stop") == (0, "Daemon is not running\n", "")


def test_start_status_restart_and_stop(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control, "shipped", lambda: daemon.plan)
    url = f"http://127.0.0.1:{daemon.port}"
    port = str(daemon.port)
    assert invoke(daemon, "start", "--port", port)[:2] == (0, f"Daemon started\n{url}\n")
    status, out, _ = invoke(daemon, "start", "--json")
    assert (status, json.loads(out)["started"]) == (0, False)
    assert invoke(daemon, "start")[1] == f"Daemon is already running\n{url}\n"
    status, out, _ = invoke(daemon, "status")
    assert status == 0
    assert url in out
    assert out.count("restarts 0") == 3
    status, out, _ = invoke(daemon, "restart", "--json")
    assert (status, json.loads(out)["url"]) == (0, url)
    assert invoke(daemon, "stop") == (0, "Daemon stopped\n", "")


def test_a_failed_start_shows_the_log_and_exits_1(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "shipped", lambda: daemon.plan)
    daemon.ask("migrate-fail")
    status, out, err = invoke(daemon, "start", "--port", str(daemon.port))
    assert (status, out) == (1, "")
    assert err.splitlines()[0] == "Failed to start daemon: it ended while starting"
    assert "  the database is made of cheese" in err.splitlines()
    assert err.splitlines()[-1].endswith("startup.log")
    status, out, _ = invoke(daemon, "start", "--json")
    assert (status, json.loads(out)["code"]) == (1, "start_failed")


def test_a_workspace_that_cannot_be_written_is_one_line_and_exit_1(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = CliRunner().invoke(app, ["start", "--path", str(tmp_path / "file" / "ws")])
    assert done.exit_code == 1
    assert done.stderr.startswith("Cannot write ")
    assert done.stderr.count("\n") == 1


def test_logs_shows_lines_by_level_category_and_number(logged: Daemon) -> None:
    def messages(*arguments: str) -> list[str]:
        status, out, _ = invoke(logged, "logs", *arguments, "--json")
        assert status == 0
        found = json.loads(out)
        assert found["count"] == len(found["logs"])
        return [entry["message"] for entry in found["logs"]]

    assert messages() == ["job.completed", "pull.failed", "job.buried"]
    assert messages("-l", "warn", "-c", "pipeline") == ["job.buried"]
    assert messages("-n", "2") == ["pull.failed", "job.buried"]
    assert messages("-n", "0") == []


def test_a_log_line_is_readable(logged: Daemon) -> None:
    _, out, _ = invoke(logged, "logs", "-n", "1")
    assert out.endswith("error pipeline job.buried process=worker kind=extract took 7 ms\n")


def test_an_unknown_level_is_wrong_usage(logged: Daemon) -> None:
    status, _, err = invoke(logged, "logs", "-l", "loud")
    assert status == 2
    assert "debug, info, warn, error" in err.replace("│", "")


def test_following_the_log_ends_with_ctrl_c_and_exit_0(logged: Daemon) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", RUN, "logs", "-f", "-p", str(logged.workspace.root)],
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(SHARED), "PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stdout is not None
        shown = [process.stdout.readline() for _ in range(3)]
        assert "job.buried" in shown[-1]
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=10)
    assert process.returncode == 0


def test_the_commands_load_no_heavy_library(daemon: Daemon) -> None:
    script = (
        "import sys; from signet.cli.daemon import app; from signet.daemon import control, processes; "
        "from signet.paths import find_workspace; control.status(find_workspace());"
        "heavy = {'sqlalchemy', 'httpx', 'supervisor', 'numpy', 'structlog', 'pydantic', 'fastapi'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    env = {"PYTHONPATH": str(SHARED), "SIGNET_PATH": str(daemon.workspace.root)}
    shown = subprocess.run(
        [sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True
    )
    assert shown.stdout == "[]\n"


def test_every_command_has_help_with_examples_that_fits_the_screen() -> None:
    for command in ("start", "stop", "restart", "status", "logs"):
        done = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "80", **os.environ})
        assert done.exit_code == 0
        assert done.stdout.count("signet daemon") >= 2
