"""Real processes whose wall clock jumps (`tests/queue/test_clock_guard.py` has the single cases)."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from signet import clock
from signet.db import schedule
from signet.domain.tasks import edit
from signet.domain.tasks.models import Task
from signet.queue import Job, enqueue
from support import forks
from support.processes import eventually
from support.shifted_clock import ShiftedClock
from worker.home import Home, manifest

DAY = 86_400


@pytest.fixture
def shifted(tmp_path: Path, home: Home) -> ShiftedClock:
    home.configure(manifest("rules"))
    try:
        return ShiftedClock(tmp_path)
    except RuntimeError as reason:
        pytest.skip(str(reason))


@contextmanager
def daemon(home: Home, shifted: ShiftedClock) -> Iterator[None]:
    """Run scheduler and worker by the shifted clock; a process that is forked would not load the library."""
    metrics = home.workspace.metrics_dir
    metrics.mkdir(parents=True, exist_ok=True)
    env = {**shifted.environ, forks.READ_WHEN_LOADED: str(metrics)}
    with home.runs("signet_scheduler", env), home.worker(env):
        yield


def test_a_save_made_by_a_clock_two_days_ahead_is_read_once_the_clock_is_right(
    home: Home, shifted: ShiftedClock
) -> None:
    ahead = clock.now() + timedelta(days=2)
    home.db.write(schedule.record_run, "synthesis", int(ahead.timestamp() * 1000), "1")
    source = home.remember("The bittern mill belongs to the parish.")
    home.run("UPDATE memory_jobs SET due_ms = ?", int(ahead.timestamp() * 1000))
    task = Task(
        id="task",
        name="Report",
        prompt="Write it.",
        cron_expression="*/5 * * * *",
        harness="codex",
        created_at=clock.to_text(ahead),
        updated_at=clock.to_text(ahead),
        next_run_at=clock.to_text(ahead),
    )
    home.db.write(edit.add, task)
    with daemon(home, shifted):
        eventually(lambda: home.job(source)["status"] == "completed")
    assert home.logged("clock.jumped") == 1
    next_run = str(home.value("SELECT next_run_at FROM scheduled_tasks"))
    assert clock.parse(next_run) - clock.now() <= timedelta(minutes=5)


def test_eight_seconds_with_the_clock_seventy_days_ahead_purge_nothing(
    home: Home, shifted: ShiftedClock
) -> None:
    def sweep(name: str) -> str:
        """Run a sweep and return what it reports."""
        job = Job(kind="retention_sweep", dedupe_key=name)
        job_id = home.db.write(enqueue, job, now=clock.now())
        result = "SELECT result FROM memory_jobs WHERE id = ? AND status = 'completed'"
        eventually(lambda: home.value(result, job_id) is not None)
        return str(home.value(result, job_id))

    source = home.remember("The bittern mill belongs to the parish.")
    with daemon(home, shifted):
        eventually(lambda: home.job(source)["status"] == "completed")
        shifted.set(70 * DAY)
        eventually(lambda: home.logged("clock.jumped") == 1)
        assert "held" in sweep("ahead")
        shifted.set(0)
        eventually(lambda: home.logged("clock.jumped") == 2)
        assert "held" not in sweep("right again")
    assert home.job(source)["status"] == "completed"
