"""What the queue promises on a whole daemon, by its commands: clocks that jump, cancels, pauses, kinds, crashes.

The tests share a daemon; each begins with the right time and every queue resumed.
"""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from cli.program import Program
from signet.db.driver import connect
from signet.paths import Workspace
from signet.process import backoff
from support.models import Answer, FakeServer, Hang, Status
from support.processes import eventually
from support.shifted_clock import ShiftedClock
from worker.home import manifest
from worker.script import Script, fact, found, scripted

MINUTE, HOUR, DAY = 60, 3_600, 86_400
#: A little more than the interval of maintenance.
UPKEEP = 31 * MINUTE
WELL = found(fact("The bittern mill belongs to the parish"))
#: A model server that is overloaded, and asks for a day of peace.
OVERLOADED = Status(503, retry_after=str(DAY))
_LIVING = "SELECT pid FROM processes WHERE kind = 'worker' ORDER BY started_at DESC, rowid DESC"


@dataclass(frozen=True)
class Place:
    """A daemon with a clock that the test moves and a model server that follows its script."""

    program: Program
    clock: ShiftedClock
    script: Script
    server: FakeServer

    def value(self, sql: str, *params: object) -> object:
        return self.values(sql, *params)[0]

    def values(self, sql: str, *params: object) -> list[object]:
        """Return the first column of what a query finds, None when it finds nothing."""
        with closing(connect(Workspace(self.program.workspace).database, read_only=True)) as db:
            return [row[0] for row in db.execute(sql, params)] or [None]

    def change(self, sql: str, *params: object) -> None:
        """Change rows as another program would."""
        with closing(connect(Workspace(self.program.workspace).database)) as db:
            db.execute(sql, params)

    def run(self, *arguments: str) -> str:
        done = self.program.run(*arguments)
        assert done.status == 0, done
        return done.out + done.err

    def start(self) -> None:
        """Start the daemon from nothing: what is forked would not load the clock."""
        path = f"{self.program.home}{os.pathsep}{os.environ['PATH']}"
        environ = {**self.clock.environ, "SIGNET_BACKUP_PASSPHRASE": "sesame"}
        done = subprocess.run(
            self.program.command("daemon", "start", "--port", str(self.program.port)),
            env=self.program.environment(PATH=path, **environ),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr

    def save(self, text: str) -> tuple[str, str]:
        """Save a memory and return its id, and that of the job which reads it."""
        memory = self.program.run("remember", text, "--json").json()["id"]
        job = self.value(
            "SELECT id FROM memory_jobs WHERE memory_id = ? AND job_type = 'extract'", memory
        )
        return memory, str(job)

    def state(self, job: str) -> tuple[object, object]:
        """Return the status of a job and the code of its last error."""
        status = self.value("SELECT status FROM memory_jobs WHERE id = ?", job)
        return status, self.value("SELECT last_error_code FROM memory_jobs WHERE id = ?", job)

    def completes(self, *jobs: str) -> None:
        eventually(lambda: all(self.state(job)[0] == "completed" for job in jobs))

    def ended(self, kind: str) -> int:
        """Return how many jobs of a kind have completed."""
        sql = "SELECT COUNT(*) FROM memory_jobs WHERE job_type = ? AND status = 'completed'"
        return int(str(self.value(sql, kind)))

    def ticks(self, seconds: int) -> None:
        """Move the clock ahead of the true time, and wait until a beat was recorded by it."""
        self.clock.set(seconds)
        beaten = "SELECT MAX(last_run_ms) FROM beats"
        eventually(
            lambda: int(str(self.value(beaten) or 0)) / 1000 > time.time() + seconds - MINUTE
        )

    def answers(self, text: str, *answers: Answer) -> None:
        """Let the model server answer so to texts that hold `text`, and well to all others."""
        self.script.scenes.clear()
        self.script.reads(text, *answers)
        self.script.reads("", WELL)

    def asked(self, text: str) -> int:
        return sum(text in prompt for prompt in self.server.prompts)

    def has_asked(self, text: str, times: int) -> bool:
        return self.asked(text) == times

    def has_crashed(self, job: str, times: int) -> bool:
        return self.value("SELECT crashes FROM memory_jobs WHERE id = ?", job) == times

    def kill_worker(self) -> None:
        backoff.forget(Workspace(self.program.workspace).runtime_dir)
        pid = int(str(self.value(_LIVING)))
        os.kill(pid, signal.SIGKILL)
        eventually(lambda: self.value(_LIVING) not in (None, pid))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    home, script = tmp_path_factory.mktemp("promises"), Script()
    try:
        clock = ShiftedClock(home)
    except RuntimeError as reason:
        pytest.skip(str(reason))
    with scripted(script) as server:
        program = Program(home=home, workspace=home / "w")
        program.workspace.mkdir()
        settings = {**manifest(url=server.url), "backup": {"daily": False}}
        (program.workspace / "agent.yaml").write_text(json.dumps(settings))
        (home / "claude").write_text("#!/bin/sh\n")
        (home / "claude").chmod(0o755)
        place = Place(program, clock, script, server)
        place.start()
        yield place
        program.run("daemon", "stop")


@pytest.fixture
def place(shared: Place) -> Place:
    shared.clock.set(0)
    shared.answers("", WELL)
    shared.run("jobs", "resume")
    shared.run("jobs", "nudge")
    return shared


def test_no_process_of_the_daemon_knows_the_passphrase_of_backups(place: Place) -> None:
    workspace = Workspace(place.program.workspace)
    pids = [workspace.pid_file.read_text(), *place.values("SELECT pid FROM processes")]
    assert len(pids) == 4
    for pid in pids:
        environ = Path(f"/proc/{pid}/environ").read_bytes()
        assert b"SHIFTED_CLOCK" in environ and b"sesame" not in environ


def test_a_cancelled_job_stays_cancelled(place: Place) -> None:
    """Q0: maintenance revived it as the one dead job of a quiet hour."""
    place.run("jobs", "pause")
    _, job = place.save("The heron counts the boats.")
    place.run("jobs", "cancel", job)
    place.run("jobs", "resume")
    before = place.ended("maintenance")
    place.clock.set(UPKEEP)
    eventually(lambda: place.ended("maintenance") > before)
    assert place.state(job) == ("dead", "cancelled")
    place.run("repair", "requeue-dead", "--apply")
    assert place.state(job) == ("dead", "cancelled")


def test_work_goes_on_when_the_clock_is_set_back(place: Place) -> None:
    """Q1, Q1b, Q3: jobs, upkeep and tasks that were due by a clock two days ahead."""
    place.clock.set(2 * DAY)
    place.run("jobs", "pause")
    jobs = [place.save(f"The heron has boat {number}.")[1] for number in range(3)]
    place.run("task", "add", "--name", "report", "--prompt", "x", "--cron", "*/5 * * * *")
    upkeep = (
        "SELECT COUNT(*) FROM memory_jobs WHERE job_type = 'maintenance' AND status = 'pending'"
    )
    eventually(lambda: place.value(upkeep) == 1)
    before = place.ended("maintenance")
    place.clock.set(0)
    place.run("jobs", "resume")
    place.completes(*jobs)
    eventually(lambda: place.ended("maintenance") > before)
    assert "the clock jumped back by 2 days" in place.run("status")
    place.clock.set(UPKEEP)
    eventually(lambda: place.ended("maintenance") > before + 1)
    tasks = json.loads(place.run("task", "list", "--json"))["tasks"]
    place.run("task", "remove", "report")
    (next_run,) = (one["next_run_at"] for one in tasks)
    assert next_run < time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() + HOUR))


def test_a_model_server_is_asked_again_after_ten_minutes_at_most(place: Place) -> None:
    """Q2, Q9: whatever it asks for, and wherever the clock stood."""
    # Noticed ahead, so that its way back is a jump and not found by the beat of each minute.
    place.ticks(2 * HOUR)
    retry_at = "SELECT MAX(retry_at_ms) FROM provider_breakers"

    def fails(job: str) -> None:
        eventually(lambda: None not in (place.state(job)[1], place.value(retry_at)))

    place.answers("The heron", OVERLOADED)
    _, job = place.save("The heron mends a net.")
    fails(job)
    assert int(str(place.value(retry_at))) / 1000 <= time.time() + 2 * HOUR + 11 * MINUTE
    assert "next attempt" in place.run("status")
    place.answers("", WELL)
    place.clock.set(0)
    place.completes(job)
    place.answers("The heron", OVERLOADED)
    _, job = place.save("The heron sells a net.")
    fails(job)
    place.answers("", WELL)
    place.clock.set(11 * MINUTE)
    place.completes(job)


def test_a_clock_seventy_days_ahead_deletes_nothing(place: Place) -> None:
    """Q4: eight seconds of it emptied the bin."""
    memory, job = place.save("The heron forgets the tide.")
    place.completes(job)
    place.run("memory", "forget", memory, "--yes")
    before, swept = place.ended("extract"), place.ended("retention_sweep")
    place.clock.set(70 * DAY)
    eventually(lambda: place.ended("retention_sweep") > swept)
    reports = (
        "SELECT result FROM memory_jobs WHERE job_type = 'retention_sweep' ORDER BY rowid DESC"
    )
    assert "held" in str(place.value(reports))
    assert place.ended("extract") >= before
    place.clock.set(0)
    place.run("memory", "recover", memory)


def test_jobs_of_other_versions_move_or_wait_and_block_nothing(place: Place) -> None:
    """Q6, Q7: queues and kinds that this version does not serve."""
    place.run("jobs", "pause")
    names = ("gpu", "fold", "later")
    saved = {name: place.save(f"The heron reads chart {name}.") for name in names}
    jobs = {name: job for name, (_, job) in saved.items()}
    change = "UPDATE memory_jobs SET queue = ?, job_type = ? WHERE id = ?"
    place.change(change, "gpu", "extract", jobs["gpu"])
    place.change(change, "gpu", "fold_proteins", jobs["fold"])
    place.change("UPDATE memory_jobs SET dedupe_key = 'fold' WHERE id = ?", jobs["fold"])
    place.change(change, "later", "cluster_entities", jobs["later"])
    place.run("daemon", "stop")
    place.start()
    place.run("jobs", "resume")
    place.completes(jobs["gpu"], jobs["later"])
    assert place.state(jobs["fold"])[0] == "pending"
    assert "fold_proteins" in place.run("status")
    place.run("memory", "edit", saved["fold"][0], "--content", "The heron folds the chart.")
    again = "SELECT status FROM memory_jobs WHERE memory_id = ? AND job_type = 'extract'"
    eventually(lambda: place.value(again, saved["fold"][0]) == "completed")
    place.run("jobs", "cancel", jobs["fold"])


def test_a_pause_is_named_and_collects_one_job_of_each_kind(place: Place) -> None:
    """Q8: twelve hours of pause were 50 jobs at once."""
    place.run("jobs", "pause")
    for step in range(1, 5):
        place.ticks(step * UPKEEP)
    waiting = "SELECT COUNT(*) FROM memory_jobs WHERE status = 'pending' GROUP BY job_type ORDER BY 1 DESC"
    assert place.value(waiting) == 1
    for command in ("diagnostics", "status", "doctor"):
        assert "paused since" in place.program.run(command).out, command


def test_a_cancel_outlasts_the_death_of_the_worker(place: Place) -> None:
    """Q10: the job ran once more."""
    place.answers("The heron waits", Hang(), WELL)
    _, job = place.save("The heron waits for the ferry.")
    eventually(lambda: place.asked("waits for the ferry") == 1)
    place.run("jobs", "cancel", job)
    place.kill_worker()
    eventually(lambda: place.state(job) == ("dead", "cancelled"))
    assert place.asked("waits for the ferry") == 1


def test_deaths_of_the_worker_do_not_bury_a_job(place: Place) -> None:
    """Q11: three did, whatever had killed it."""
    place.answers("The heron sleeps", Hang(), Hang(), Hang(), WELL)
    _, job = place.save("The heron sleeps through the storm.")
    for death in range(1, 4):
        eventually(partial(place.has_asked, "sleeps through", death))
        place.kill_worker()
        # Else the wait after it would be counted from the moved clock.
        eventually(partial(place.has_crashed, job, death))
        place.clock.set(death * 10 * MINUTE)
    place.completes(job)
    assert place.has_crashed(job, 3)
