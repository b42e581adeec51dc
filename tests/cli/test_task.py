"""`signet task`, `git`, `update` and `config` with a daemon of their own, whose harness is a script."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from cli.program import SETTINGS, Program
from support.harness import install
from support.processes import PATIENCE_SECONDS, eventually, is_running


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    home = tmp_path_factory.mktemp("home")
    made = Program(home=home, workspace=home / "workspace")
    made.workspace.mkdir()
    (made.workspace / "agent.yaml").write_text(SETTINGS)
    with pytest.MonkeyPatch.context() as patch:
        install(home / "bin", patch, "claude")
        patch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
        started = made.run(
            "daemon", "start", "--port", str(made.port), PIP_INDEX_URL="http://127.0.0.1:9/simple"
        )
        assert started.status == 0, started.err
        yield made
        assert made.run("daemon", "stop").status == 0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give the folder that runs work in."""
    return tmp_path


@contextmanager
def listening(program: Program, task_id: str) -> Iterator[Iterator[dict[str, Any]]]:
    """Listen to a task's stream; yields its events."""
    address = f"http://127.0.0.1:{program.port}/api/tasks/{task_id}/stream"
    with httpx.stream("GET", address, timeout=PATIENCE_SECONDS) as answer:
        lines = answer.iter_lines()
        yield (json.loads(line[6:]) for line in lines if line.startswith("data: "))


def until_end(events: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the events up to the end of a run."""
    for event in events:
        yield event
        if event["type"] == "run-completed":
            return


def added(program: Program, folder: Path, name: str) -> str:
    """Make a task, for an hour that hardly ever comes, and return its id."""
    done = program.run(
        *("task", "add", "--name", name, "--prompt", "sort my notes", "--cron", "0 9 29 2 *"),
        *("--directory", str(folder), "--json"),
    )
    assert done.status == 0, done.err
    return str(done.json()["id"])


def test_a_task_from_its_making_to_its_end(program: Program, folder: Path) -> None:
    task_id = added(program, folder, "Tidy")
    listed = program.run("task", "list").out
    assert listed.startswith(f"{task_id[:8]}  Tidy  claude-code  0 9 29 2 *  next ")
    with listening(program, task_id) as events:
        assert next(events)["type"] == "connected"
        assert program.run("task", "run", "tidy").out.startswith("Started ")
        *told, ended = until_end(events)
        said = "".join(one["chunk"] for one in told if one.get("stream") == "stdout")
        assert "args: -p sort my notes\nhooks: 1 inside:  in: " in said
        assert said.endswith("last words\n") and ended["status"] == "completed"
        (folder / "code").write_text("2")
        program.run("task", "run", task_id[:8])
        *_, ended = until_end(events)
        assert (ended["status"], ended["exitCode"]) == ("failed", 2)
    runs = program.run("task", "runs", "Tidy").out.splitlines()
    assert [line.split("  ")[2:] for line in runs] == [["failed", "exit 2"], ["completed"]]
    changed = program.run("task", "edit", "Tidy", "--disable", "--cron", "0 8 * * 1")
    assert changed.out == "Changed Tidy\n"
    assert "0 8 * * 1  disabled" in program.run("task", "show", "Tidy").out
    assert program.run("task", "remove", "Tidy").out == "Removed Tidy\n"
    assert "There is no task Tidy" in program.run("task", "show", "Tidy").err


def test_what_is_said_is_told_again_to_whoever_comes_later(program: Program, folder: Path) -> None:
    task_id = added(program, folder, "Slow")
    (folder / "wait").touch()
    stack = ExitStack()
    idle = stack.enter_context(listening(program, task_id))
    assert next(idle)["type"] == "connected"
    run_id = program.run("task", "run", "Slow", "--json").json()["runId"]
    assert program.run("task", "run", "Slow").err.strip().endswith("Task is already running")
    assert next(idle)["type"] == "run-started"
    said = ""
    while not ("hooks" in said and "a warning" in said):  # in either order: they are two pipes
        event = next(idle)
        assert event["type"] == "run-output"
        said += event["chunk"]
    late = stack.enter_context(listening(program, task_id))
    told = [next(late) for _ in range(2)]
    assert [event["type"] for event in told] == ["connected", "run-started"]
    assert told[1]["runId"] == run_id
    heard = [next(late), next(late)]
    assert {event["stream"]: event["chunk"] for event in heard}["stderr"] == "a warning\n"
    (folder / "gate").touch()
    rest = []
    while (event := next(late))["type"] != "run-completed":
        rest.append(event["chunk"])
    assert "".join(rest) == "last words\n"
    assert (event["status"], event["exitCode"], event["error"]) == ("completed", 0, None)
    stack.close()
    program.run("task", "remove", "Slow")


def test_one_that_is_stopped_in_the_middle_is_told_as_failed(
    program: Program, folder: Path
) -> None:
    task_id = added(program, folder, "Long")
    (folder / "wait").touch()
    run_id = program.run("task", "run", "Long", "--json").json()["runId"]
    pid = folder / "pid"
    eventually(lambda: pid.exists() and pid.read_text().strip() != "")
    assert program.run("daemon", "restart").status == 0

    def last() -> dict[str, object]:
        found = program.run("task", "runs", "Long", "--json").json()["runs"][0]
        assert found["id"] == run_id
        return dict(found)

    eventually(lambda: last()["status"] == "failed")
    assert last()["error"] == "daemon_restart"
    eventually(lambda: not is_running(int(pid.read_text())))
    assert (folder / "started").read_text() == "run\n"
    assert program.run("task", "remove", task_id).status == 0


def test_git_is_shown_and_set(program: Program) -> None:
    assert program.run("git", "status").out == "The workspace is not a git repository\n"
    failed = program.run("git", "sync")
    assert (failed.status, "Not a git repository" in failed.err) == (1, True)
    assert program.run("git", "disable").status == 0
    assert program.run("config", "get", "git.autoSync", "--show-origin").out == (
        "false  (agent.yaml)\n"
    )
    assert (
        program.run("git", "enable", "-i", "900", "--json").json()["config"]["syncInterval"] == 900
    )


def test_updates_are_looked_for_when_a_person_asks(program: Program) -> None:
    failed = program.run("update")
    assert (failed.status, "cannot connect" in failed.err) == (1, True)
    assert program.run("update", "status").out.startswith("automatic check     no\n")
    assert program.run("update", "enable", "-i", "86400").status == 0
    eventually(lambda: "check     yes" in program.run("update", "status").out)
    assert program.run("update", "disable").status == 0
    assert program.run("update", "install", "nonsense").status == 1
