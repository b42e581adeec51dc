"""Runs of tasks: a real program, a real worker, and what a worker's death leaves of them."""

import math
import signal
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from signet import clock, config
from signet.db import Row, commits
from signet.domain.tasks import run, scheduled
from signet.process.rescuer import Rescuer
from signet.process.settings_reload import LiveSettings
from signet.queue import transitions
from signet_scheduler import beats, tick
from support.harness import install
from support.processes import eventually, is_running
from worker.home import Home, a_home, manifest


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with a_home(tmp_path_factory.mktemp("w")) as made:
        made.configure(manifest("none"))
        yield made


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the folder that runs work in, with every harness on PATH."""
    install(tmp_path / "bin", monkeypatch, "claude", "codex", "opencode")
    monkeypatch.setenv("CLAUDECODE", "1")
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def made(home: Home, folder: Path, **fields: object) -> str:
    """Make a task that works in the folder."""
    wish = {
        "name": "Tidy",
        "prompt": "tidy up",
        "cron_expression": "0 9 * * *",
        "harness": "claude-code",
        "working_directory": str(folder),
    }
    task = scheduled.draft({**wish, **fields}, now=clock.now())
    home.db.write(scheduled.add, task)
    return task.id


def started(home: Home, task_id: str) -> str:
    """Start a run by hand."""
    return home.db.write(run.by_hand, task_id, now=clock.now())


def run_of(home: Home, run_id: str) -> Row:
    """Return the row of a run."""
    return home.rows("SELECT * FROM task_runs WHERE id = ?", run_id)[0]


def ended(home: Home, run_id: str) -> Row:
    """Wait for the end of a run and return its row."""
    eventually(lambda: run_of(home, run_id)["status"] in ("completed", "failed"))
    return run_of(home, run_id)


def spooled(home: Home) -> list[Path]:
    """Return what runs have said and is still on disk: it goes after the commit that ends a run."""
    return list((home.workspace.daemon_dir / "tasks").iterdir())


def running_pid(folder: Path) -> int:
    """Wait for the program of a run and return its process id."""
    pid = folder / "pid"
    eventually(lambda: pid.exists() and pid.read_text().strip() != "")
    return int(pid.read_text())


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a worker keeps all processors")
def test_the_program_of_a_task_has_the_processors_that_the_worker_leaves(
    home: Home, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = "#!/bin/sh\nexec grep Cpus_allowed: /proc/self/status\n"
    install(folder / "told", monkeypatch, "claude", script=script)
    with home.worker():
        run = ended(home, started(home, made(home, folder)))
    assert run["stdout"] in Path("/proc/self/status").read_text("utf-8").splitlines(keepends=True)


def test_each_harness_is_given_its_prompt_and_says_how_it_went(home: Home, folder: Path) -> None:
    tree = manifest("codex")
    home.configure(tree)
    skill = home.workspace.skills_dir / "tea" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: tea\ndescription: Tea\n---\nBoil water.\n", "utf-8")
    plain = made(home, folder)
    free = made(home, folder, prompt="-h", skip_permissions=True)
    slash = made(home, folder, harness="opencode", skill_name="tea", skill_mode="slash")
    inject = made(home, folder, harness="codex", skill_name="tea", skill_mode="inject")
    gone = made(home, folder, skill_name="none", skill_mode="slash")
    with home.worker():
        runs = [ended(home, started(home, one)) for one in (plain, free, slash, inject, gone)]
        (folder / "code").write_text("3")
        bad = ended(home, started(home, plain))
        eventually(lambda: spooled(home) == [])
    said = [run["stdout"].removeprefix("args: ").split("\nhooks: ") for run in runs]
    assert [arguments for arguments, _ in said] == [
        "-p tidy up",
        "--dangerously-skip-permissions -p  -h",
        "run --format json /tea tidy up",
        f"exec --skip-git-repo-check --json --model {_codex_model()} Boil water.\n\n---\n\ntidy up",
        "-p tidy up",
    ]
    assert said[0][1] == f"1 inside:  in: {folder.resolve()}\nlast words\n"
    assert {(run["status"], run["exit_code"], run["error"]) for run in runs} == {
        ("completed", 0, None)
    }
    assert (bad["status"], bad["exit_code"], bad["error"]) == ("failed", 3, None)
    assert bad["stderr"] == "a warning\n"


def _codex_model() -> str:
    from signet.config import settings_from

    settings, _ = settings_from(manifest("codex"))
    return settings.pipeline.extraction.model


def test_a_run_whose_worker_is_killed_has_failed_and_is_not_run_again(
    home: Home, folder: Path
) -> None:
    (folder / "wait").touch()
    task_id = made(home, folder)
    with home.worker() as worker:
        run_id = started(home, task_id)
        pid = running_pid(folder)
        spool = home.workspace.daemon_dir / "tasks" / f"{run_id}.stdout"
        eventually(lambda: "hooks" in spool.read_text("utf-8"))
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        eventually(lambda: not is_running(pid))
    assert run_of(home, run_id)["status"] == "running"
    with home.worker(), home.runs("signet_scheduler"):
        run = ended(home, run_id)
        job = "SELECT status FROM memory_jobs WHERE id = ?"
        eventually(lambda: home.value(job, run_id) == "completed")
        eventually(lambda: spooled(home) == [])
    assert (run["status"], run["error"], run["exit_code"]) == ("failed", "daemon_restart", None)
    assert run["stdout"].startswith("args: -p tidy up")
    assert (folder / "started").read_text() == "run\n"


def test_deleting_a_task_ends_its_run(home: Home, folder: Path) -> None:
    (folder / "wait").touch()
    task_id = made(home, folder)
    with home.worker():
        started(home, task_id)
        pid = running_pid(folder)
        home.db.write(run.delete, task_id, now=clock.now())
        eventually(lambda: not is_running(pid))
        home.drained()
    assert home.rows("SELECT * FROM task_runs") == []


def test_what_was_missed_runs_once_and_what_runs_does_not_run_twice(
    home: Home, folder: Path
) -> None:
    task_id = made(home, folder, cron_expression="* * * * *")
    off = made(home, folder, enabled=False)
    long_ago = clock.to_text(datetime(2020, 1, 1, tzinfo=UTC))
    home.run("UPDATE scheduled_tasks SET next_run_at = ?", long_ago)
    tick.look_at_tasks(home.db, home.workspace)
    tick.look_at_tasks(home.db, home.workspace)
    (run,) = home.rows("SELECT * FROM task_runs")
    assert (run["task_id"], run["status"]) == (task_id, "pending")
    rows = {row["id"]: row for row in home.rows("SELECT * FROM scheduled_tasks")}
    assert rows[off]["next_run_at"] == long_ago
    assert clock.parse(rows[task_id]["next_run_at"]) - clock.now() <= timedelta(minutes=1)
    home.run("UPDATE scheduled_tasks SET next_run_at = ?", long_ago)
    tick.look_at_tasks(home.db, home.workspace)
    assert len(home.rows("SELECT * FROM task_runs")) == 1


@pytest.mark.sqlite_file
def test_a_task_starts_at_its_time_although_nothing_was_committed(
    home: Home, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(home, folder, cron_expression="* * * * *")
    rescuer = Rescuer(home.db, home.workspace.runtime_dir, own="test")
    ticker = tick.Ticker(
        home.db,
        LiveSettings(home.workspace, config.load(home.workspace)),
        rescuer,
        home.workspace,
    )
    looks: list[object] = []
    look = tick.look_at_tasks
    monkeypatch.setattr(commits, "QUIET_SECONDS", math.inf)
    monkeypatch.setattr(beats, "BEATS", ())  # they write
    monkeypatch.setattr(tick, "look_at_tasks", lambda *of: looks.append(look(*of)))
    for _ in range(3):
        ticker.tick()
    before = len(looks)
    assert before < 3, "nothing was committed meanwhile"
    later = clock.now() + timedelta(minutes=2)
    monkeypatch.setattr(clock, "now", lambda: later)
    ticker.tick()
    ticker.close()
    assert len(looks) == before + 1
    assert [row["status"] for row in home.rows("SELECT * FROM task_runs")] == ["pending"]


def test_runs_that_nobody_will_end_are_ended(home: Home, folder: Path) -> None:
    task_id = made(home, folder)
    run_id = started(home, task_id)
    home.db.write(transitions.cancel, run_id, now=clock.now())
    home.run(
        "INSERT INTO task_runs (id, task_id, status, started_at, stdout) VALUES ('old', ?, 'running', '2020', 'hm')",
        task_id,
    )
    tick.look_at_tasks(home.db, home.workspace)
    assert run_of(home, run_id)["error"] == "cancelled"
    assert [run_of(home, "old")[key] for key in ("status", "error", "stdout")] == [
        "failed",
        "daemon_restart",
        "hm",
    ]


def test_an_expression_that_an_older_program_let_in_disables_its_task(
    home: Home, folder: Path
) -> None:
    made(home, folder)
    home.run("UPDATE scheduled_tasks SET next_run_at = '2020', cron_expression = 'never'")
    tick.look_at_tasks(home.db, home.workspace)
    assert home.value("SELECT enabled FROM scheduled_tasks") == 0
    assert home.rows("SELECT * FROM task_runs") == []


def test_the_newest_hundred_runs_stay(home: Home, folder: Path) -> None:
    task_id = made(home, folder)
    home.run(
        "INSERT INTO task_runs (id, task_id, status, started_at) WITH RECURSIVE n(i) AS"
        " (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 220)"
        " SELECT 'r' || i, ?, 'completed', '2020-' || i FROM n",
        task_id,
    )
    with home.worker():
        newest = ended(home, started(home, task_id))["id"]
    rows = home.rows("SELECT id FROM task_runs ORDER BY started_at DESC")
    assert (len(rows), rows[0][0], rows[-1][0]) == (100, newest, "r122")
