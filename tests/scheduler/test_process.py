"""The real scheduler process: one leads, it looks after workers, the log and the settings."""

import os
import signal
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from subprocess import Popen

import pytest

from signet import clock
from signet.process import backoff
from signet.process.rescuer import Rescuer
from support.models import Hang
from support.processes import PATIENCE_SECONDS, eventually, program, suspend
from worker.home import Home, manifest
from worker.script import Script, fact, found, scripted

HOUR_MS = 3_600_000
TEXT = "A word about the bittern mill and who owns it."
ANSWER = found(fact("The bittern mill belongs to the parish"))


@pytest.fixture
def home(home: Home) -> Home:
    home.configure(manifest("rules"))
    return home


def scheduler(home: Home) -> AbstractContextManager[Popen[str]]:
    return home.runs("signet_scheduler")


@contextmanager
def second(home: Home) -> Iterator[Popen[str]]:
    """Run a scheduler beside the one that leads; it waits."""
    backoff.forget(home.workspace.runtime_dir)
    env = {"SIGNET_PATH": str(home.workspace.root)}
    with program("-m", "signet_scheduler.main", env=env, is_heard=False) as process:
        eventually(lambda: _has_open(process.pid, "scheduler.lock"))
        yield process


def _has_open(pid: int, name: str) -> bool:
    for file in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # it was closed since
            if file.readlink().name == name:
                return True
    return False


def epoch(home: Home) -> object:
    return home.value("SELECT epoch FROM scheduler_lease")


def sweeps(home: Home) -> int:
    return len(home.rows("SELECT * FROM memory_jobs WHERE job_type = 'retention_sweep'"))


def test_two_schedulers_start_a_beat_once_and_the_second_takes_over(home: Home) -> None:
    with scheduler(home) as first, second(home) as heir:
        eventually(lambda: sweeps(home) == 1)
        assert (epoch(home), home.processes("scheduler")) == (1, 1)
        first.kill()
        eventually(lambda: epoch(home) == 2)
        owner = home.value("SELECT owner FROM scheduler_lease")
        eventually(
            lambda: [row["owner"] for row in home.rows("SELECT owner FROM processes")] == [owner]
        )
        assert heir.poll() is None
        assert sweeps(home) == 1
        heir.send_signal(signal.SIGTERM)
        assert heir.wait(PATIENCE_SECONDS) == 0
        assert home.processes("scheduler") == 0


@pytest.mark.sqlite_file
def test_a_scheduler_that_waits_can_be_stopped(home: Home) -> None:
    with scheduler(home), second(home) as waiting:
        waiting.send_signal(signal.SIGTERM)
        assert waiting.wait(PATIENCE_SECONDS) == 0
        assert epoch(home) == 1


def test_the_jobs_of_a_killed_worker_are_given_back_long_before_their_leases_end(
    home: Home,
) -> None:
    script = Script()
    script.reads("", Hang())
    with scripted(script) as server:
        home.configure(manifest(url=server.url))
        source = home.remember(TEXT)
        with scheduler(home), home.worker() as worker:
            eventually(lambda: bool(server.prompts))
            worker.kill()
            eventually(lambda: home.job(source)["status"] == "pending")
            eventually(lambda: home.processes("worker") == 0)
    job = home.job(source)
    assert (job["crashes"], job["attempts"], job["last_error_code"]) == (1, 0, "crashed")


def test_a_worker_that_is_stopped_loses_its_lease_and_writes_nothing_twice(home: Home) -> None:
    script, hang = Script(), Hang(text=ANSWER)
    script.reads("", hang, ANSWER)
    with scripted(script) as server:
        home.configure(manifest(url=server.url))
        source = home.remember(TEXT)
        with home.worker() as worker:
            eventually(lambda: bool(server.prompts))
            suspend(worker, home.db.path)
            home.run("UPDATE memory_jobs SET lease_until_ms = ?", clock.monotonic_ms() - 1)
            Rescuer(home.db, home.workspace.runtime_dir, own="test").end_expired()
            job = home.job(source)
            assert (job["status"], job["last_error_code"]) == ("pending", "lease_expired")
            assert (job["attempts"], job["crashes"]) == (1, 0)
            hang.release.set()
            os.kill(worker.pid, signal.SIGCONT)
            home.ended(source)
            assert [row["content"] for row in home.facts(source)] == [
                "The bittern mill belongs to the parish"
            ]
            assert len(home.proposals(source)) == 1
    assert (home.job(source)["lease_token"], home.job(source)["attempts"]) == (2, 2)


@pytest.mark.sqlite_file
def test_a_lease_that_is_kept_is_not_ended(home: Home) -> None:
    script = Script()
    script.reads("", Hang())
    with scripted(script) as server:
        home.configure(manifest(url=server.url))
        source = home.remember(TEXT)
        with home.worker():
            eventually(lambda: bool(server.prompts))
            Rescuer(home.db, home.workspace.runtime_dir, own="test").end_expired()
            assert home.job(source)["status"] == "leased"


def test_memories_without_a_vector_are_queued(home: Home) -> None:
    memory_id = home.remember(TEXT)
    assert home.rows("SELECT * FROM memory_jobs WHERE job_type = 'embed'") == []
    home.configure(manifest("rules", embedding="ollama"))
    with scheduler(home):
        eventually(lambda: bool(home.rows("SELECT * FROM memory_jobs WHERE job_type = 'embed'")))
    job = home.job(memory_id, "embed")
    assert (job["status"], job["priority"], job["queue"]) == ("pending", 2, "vectors")


def test_new_settings_reach_a_running_scheduler(home: Home) -> None:
    two_hours_ago = clock.SYSTEM.wall_ms() - 2 * HOUR_MS
    home.run("INSERT INTO beats VALUES ('retention', ?, 'x')", two_hours_ago)
    with scheduler(home):
        eventually(lambda: bool(home.rows("SELECT * FROM beats WHERE name = 'embedding_gaps'")))
        assert sweeps(home) == 0
        home.configure({**home.tree, "retention": {"intervalMs": HOUR_MS}})
        eventually(lambda: sweeps(home) == 1)


@pytest.mark.sqlite_file
def test_the_log_is_moved_even_when_another_part_of_the_tick_fails(home: Home) -> None:
    with scheduler(home):
        eventually(lambda: sweeps(home) == 1)
        home.run("ALTER TABLE processes RENAME TO elsewhere")
        eventually(lambda: home.logged('"tick.failed"') > 0)
        before = home.db.path.stat().st_size
        home.run("INSERT INTO runtime_settings VALUES ('large', zeroblob(1000000))")
        eventually(lambda: home.db.path.stat().st_size - before > 900_000)
        home.run("ALTER TABLE elsewhere RENAME TO processes")
