"""The contract across processes: kills at every step, zombies, wake-ups, stops."""

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from signet import clock
from signet.db import Database, ReadTx, processes
from signet.process import liveness
from signet.process.rescuer import Rescuer
from signet.queue import NewJob, enqueue, pauses, transitions
from signet.queue.retry import MAX_CRASHES
from signet.queue.wakeup import Notifier
from support.processes import ROOT, eventually, program, said, suspend
from support.queue import row, statuses, unreachable

ACTOR = str(ROOT / "tests" / "queue" / "actor_program.py")

STEPS = [
    "in_claim",
    "after_claim",
    "in_actor",
    "before_commit",
    "in_complete",
    "after_commit",
]


@pytest.fixture
def runtime() -> Iterator[Path]:
    """A folder whose path is short enough for unix sockets, whatever pytest calls its own."""
    with tempfile.TemporaryDirectory(prefix="signet-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture
def ringing(db: Database, runtime: Path) -> Iterator[Database]:
    notifier = Notifier(runtime)
    db.writer.listen(lambda signals: notifier.notify())
    yield db
    notifier.close()


@pytest.fixture
def rescuer(db: Database, runtime: Path) -> Rescuer:
    return Rescuer(db, runtime, own="test")


def add(db: Database, key: str) -> str:
    job = NewJob(kind="work", queue="light", dedupe_key=key)
    return str(db.write(enqueue, job, now=clock.now()))


def effects(db: Database) -> dict[str, int]:
    rows = db.read(ReadTx.all, "SELECT key, value FROM runtime_settings")
    return {found["key"]: int(found["value"]) for found in rows}


def done(db: Database, count: int) -> bool:
    return statuses(db) == {"completed": count}


@pytest.mark.parametrize("step", STEPS)
def test_a_kill_at_any_step_loses_nothing_and_doubles_nothing(
    step: str, ringing: Database, runtime: Path, rescuer: Rescuer
) -> None:
    jobs = [add(ringing, str(number)) for number in range(3)]
    arguments = (ACTOR, str(ringing.path), str(runtime), "effect")
    with program(*arguments, step) as victim:
        assert victim.wait() == -signal.SIGKILL
    rescuer.poll()
    with program(*arguments) as heir:
        said(heir, "ready")
        eventually(lambda: done(ringing, 3))
    assert effects(ringing) == dict.fromkeys(jobs, 1)
    assert unreachable(ringing, set()) == []
    assert ringing.read(ReadTx.value, "PRAGMA integrity_check") == "ok"


def test_an_effect_apart_from_its_completion_is_doubled_by_a_kill(
    ringing: Database, runtime: Path, rescuer: Rescuer
) -> None:
    """The control of the test above: without one commit for both, it would find something."""
    (job_id,) = [add(ringing, "a")]
    with program(ACTOR, str(ringing.path), str(runtime), "separate", "between") as victim:
        assert victim.wait() == -signal.SIGKILL
    rescuer.poll()
    with program(ACTOR, str(ringing.path), str(runtime), "separate"):
        eventually(lambda: done(ringing, 1))
    assert effects(ringing) == {job_id: 2}


def test_the_jobs_of_a_killed_worker_run_elsewhere_long_before_their_leases_end(
    ringing: Database, runtime: Path, rescuer: Rescuer
) -> None:
    job_id = add(ringing, "a")
    with program(ACTOR, str(ringing.path), str(runtime), "sleep") as victim:
        said(victim, "running")
        rescuer.poll()
        with program(ACTOR, str(ringing.path), str(runtime), "effect") as heir:
            said(heir, "ready")
            victim.kill()
            eventually(lambda: done(ringing, 1))
    assert row(ringing, job_id)["crashes"] == 1


def test_a_zombie_that_slept_through_its_lease_is_fenced(ringing: Database, runtime: Path) -> None:
    job_id = add(ringing, "a")
    gate = runtime / "gate"
    with program(ACTOR, str(ringing.path), str(runtime), "gated", str(gate)) as zombie:
        said(zombie, "running")
        suspend(zombie, ringing.path)
        owner = ringing.read(processes.every)[0].owner
        assert liveness.is_alive(runtime, owner), "a stopped process keeps its lock"
        ringing.write(transitions.reap_expired, monotonic_ms=1 << 60, now=clock.now())
        ringing.write(lambda tx: tx.run("UPDATE memory_jobs SET due_ms = 0"))
        with program(ACTOR, str(ringing.path), str(runtime), "effect"):
            eventually(lambda: done(ringing, 1))
        before = tuple(row(ringing, job_id))
        gate.touch()
        os.kill(zombie.pid, signal.SIGCONT)
        said(zombie, "lost")
        assert tuple(row(ringing, job_id)) == before
    assert effects(ringing) == {job_id: 1}


def test_a_poison_job_dies_and_the_others_finish(
    ringing: Database, runtime: Path, rescuer: Rescuer
) -> None:
    poison = add(ringing, "poison")
    ringing.write(lambda tx: tx.run("UPDATE memory_jobs SET crashes = ?", (MAX_CRASHES - 2,)))
    for _ in range(2):
        with program(ACTOR, str(ringing.path), str(runtime), "poison") as victim:
            assert victim.wait() == -signal.SIGKILL
        rescuer.poll()
        eventually(lambda: statuses(ringing).get("leased", 0) == 0)
        ringing.write(lambda tx: tx.run("UPDATE memory_jobs SET due_ms = 0"))
    found = row(ringing, poison)
    assert (found["status"], found["last_error_code"]) == ("dead", "crashed")
    healthy = add(ringing, "healthy")
    with program(ACTOR, str(ringing.path), str(runtime), "effect"):
        eventually(lambda: row(ringing, healthy)["status"] == "completed")


def test_a_stop_gives_back_what_runs_and_touches_nothing_that_waits(
    ringing: Database, runtime: Path
) -> None:
    jobs = [add(ringing, str(number)) for number in range(20)]
    with program(ACTOR, str(ringing.path), str(runtime), "sleep") as worker:
        said(worker, "running")
        worker.send_signal(signal.SIGTERM)
        said(worker, "stopped")
        assert worker.wait() == 0
    assert statuses(ringing) == {"pending": 20}
    assert {row(ringing, job_id)["attempts"] for job_id in jobs} == {0}


def test_a_paused_queue_starts_nothing_until_it_is_resumed(
    ringing: Database, runtime: Path
) -> None:
    ringing.write(pauses.pause, now=clock.now(), actor="test")
    job_id = add(ringing, "a")
    with program(ACTOR, str(ringing.path), str(runtime), "effect") as worker:
        said(worker, "ready")
        add(ringing, "b")
        assert statuses(ringing) == {"pending": 2}
        ringing.write(pauses.resume)
        eventually(lambda: done(ringing, 2))
    assert effects(ringing)[job_id] == 1


def test_a_job_is_found_without_any_bell(db: Database, runtime: Path) -> None:
    """Nobody rings here: the look at `data_version` finds it."""
    with program(ACTOR, str(db.path), str(runtime), "effect") as worker:
        said(worker, "ready")
        add(db, "a")
        eventually(lambda: done(db, 1))


def test_a_removed_runtime_folder_is_no_death(
    ringing: Database, runtime: Path, rescuer: Rescuer
) -> None:
    add(ringing, "a")
    with program(ACTOR, str(ringing.path), str(runtime), "sleep") as worker:
        said(worker, "running")
        for path in sorted(runtime.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        rescuer.poll()
        rescuer.forget_unlocked()
        assert statuses(ringing) == {"leased": 1}
        assert len(ringing.read(processes.every)) == 1


def test_a_heartbeat_that_dies_with_its_process_frees_the_job(
    ringing: Database, runtime: Path, rescuer: Rescuer
) -> None:
    job_id = add(ringing, "a")
    with program(ACTOR, str(ringing.path), str(runtime), "sleep", "in_heartbeat") as victim:
        assert victim.wait() == -signal.SIGKILL
    rescuer.poll()
    eventually(lambda: row(ringing, job_id)["status"] == "pending")
