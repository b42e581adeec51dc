"""Maintenance: what it recommends, does, leaves alone, and how it is asked."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from signet import clock
from signet.config import Settings, settings_from
from signet.db import WriteTx
from signet.domain.maintenance import cycle
from signet.domain.maintenance.cycle import Tick
from signet.domain.repair.steps import NoModels
from signet.queue import NewJob, enqueue
from worker.home import Home, a_home, manifest


def settings(**autonomous: object) -> Settings:
    tree: dict[object, object] = {
        "embedding": {"provider": "none"},
        "memory": {"pipelineV2": {"autonomous": autonomous}},
    }
    return settings_from(tree)[0]


def tick(home: Home, chosen: Settings | None = None) -> Tick:
    home.run("UPDATE repair_runs SET last_run_at = NULL, window_started_at = NULL")
    return cycle.tick(home.db, chosen or settings(), home.workspace, NoModels())


def jobs(home: Home, status: str, count: int, **fields: Any) -> None:
    at = clock.to_text(clock.now() - timedelta(minutes=5))
    column = {"dead": "failed_at", "completed": "completed_at"}[status]
    row = {"job_type": "extract", "queue": "llm", "max_attempts": 3, "runs_total": 3, **fields}
    for number in range(count):
        home.run(
            f"INSERT INTO memory_jobs (id, status, due_ms, created_at, updated_at, {column}, {', '.join(row)})"
            f" VALUES (?, ?, 0, ?, ?, ?, {', '.join('?' * len(row))})",
            *(f"{status}-{number}", status, at, at, at, *row.values()),
        )


def dead(home: Home) -> object:
    return home.value("SELECT COUNT(*) FROM memory_jobs WHERE status = 'dead'")


def ineffective(home: Home) -> dict[str, tuple[int, int]]:
    rows = home.rows("SELECT action, ineffective, halted FROM repair_runs")
    return {row["action"]: (row["ineffective"], row["halted"]) for row in rows}


def test_an_empty_store_needs_nothing(home: Home) -> None:
    done = tick(home)
    assert (done.recommendations, done.executed) == ((), ())
    told = done.as_dict()
    assert set(told) == {
        "report",
        "recommendations",
        "executed",
        "feedbackDecayedAspects",
        "feedbackPropagatedAttributes",
    }


def test_observing_only_tells_and_executing_leaves_no_dead_job(home: Home) -> None:
    jobs(home, "completed", 10)
    jobs(home, "dead", 5)
    seen = tick(home, settings(maintenance_mode="observe", maintenanceMode="observe"))
    (wanted,) = seen.recommendations
    assert wanted.as_dict() == {
        "domain": "queue",
        "action": "requeueDeadJobs",
        "trigger": "dead rate 33.3% > 1%",
    }
    assert (seen.executed, dead(home)) == ((), 5)
    done = tick(home)
    assert dead(home) == 0
    (executed,) = done.executed
    assert executed.result is not None and executed.result.affected == 5
    assert done.report.domains["queue"].score == 1.0, "the report is the one after the repairs"
    (row,) = home.rows("SELECT * FROM memory_history")
    assert (row["changed_by"], row["actor_type"], row["reason"]) == (
        "maintenance-worker",
        "daemon",
        "autonomous maintenance",
    )


@pytest.mark.parametrize("code", ["cancelled", "flushed"])
def test_maintenance_leaves_jobs_alone_that_a_person_ended(home: Home, code: str) -> None:
    jobs(home, "completed", 10)
    jobs(home, "dead", 5, last_error_code=code)
    done = tick(home)
    assert (done.recommendations, done.executed, dead(home)) == ((), (), 5)
    assert done.report.domains["queue"].score == 1.0
    home.run("UPDATE memory_jobs SET last_error_code = 'timeout' WHERE id = 'dead-0'")
    (executed,) = tick(home).executed
    assert executed.result is not None and executed.result.affected == 1
    assert dead(home) == 4


def test_the_gate_stands_before_maintenance_and_its_refusal_is_no_failure(home: Home) -> None:
    jobs(home, "completed", 10)
    jobs(home, "dead", 5)
    tick(home)
    home.run("DELETE FROM memory_jobs WHERE status <> 'completed'")
    jobs(home, "dead", 5)
    refused = cycle.tick(home.db, settings(), home.workspace, NoModels())
    (executed,) = refused.executed
    assert executed.result is not None and executed.result.reason == "cooldown"
    assert ineffective(home) == {"maintenance:requeueDeadJobs": (0, 0)}
    assert dead(home) == 5


def test_what_dies_again_and_again_is_left_to_a_person_after_three_useless_cycles(
    home: Home,
) -> None:
    jobs(home, "completed", 10)
    jobs(home, "dead", 5, runs_total=9)
    for count in (1, 2, 3):
        tick(home)
        assert ineffective(home)["requeueDeadJobs"] == (count, int(count == 3))
    (left,) = tick(home).executed
    assert left.as_dict()["skipped"] == "halted"
    assert ineffective(home)["requeueDeadJobs"] == (3, 1), "it survives, and counts no further"
    home.run("DELETE FROM memory_jobs WHERE status = 'dead'")
    tick(home)
    assert ineffective(home)["requeueDeadJobs"] == (0, 0), (
        "nothing to complain of: all is forgotten"
    )


def test_stale_leases_tombstones_and_duplicates_are_put_right_too(home: Home) -> None:
    for number in range(10):
        home.remember(f"Box number {number} is full of tea.")
    home.run("DELETE FROM memory_jobs")
    long_ago = clock.to_text(clock.now() - timedelta(days=40))
    home.run(
        "UPDATE memories SET is_deleted = 1, deleted_at = ? WHERE seq IN (SELECT seq FROM memories LIMIT 4)",
        long_ago,
    )
    home.run("DROP INDEX idx_memories_content_hash_unique")
    home.run("UPDATE memories SET content_hash = 'same' WHERE seq > 8")
    at = clock.to_text(clock.now() - timedelta(hours=1))
    home.run(
        "INSERT INTO memory_jobs (id, job_type, queue, status, due_ms, created_at, updated_at, leased_at,"
        " lease_owner, lease_until_ms, lease_token) VALUES ('j', 'extract', 'llm', 'leased', 0, ?, ?, ?, 'x', 1, 1)",
        *(at, at, at),
    )
    home.run("DELETE FROM memories_fts_docsize WHERE id < 5")
    done = tick(home)
    triggers = {one.action: one.trigger for one in done.recommendations}
    assert triggers == {
        "releaseStaleLeases": "1 stale lease",
        "checkFtsConsistency": "6 of 10 rows in the full-text index",
        "triggerRetentionSweep": "tombstone ratio 40% > 30%",
        "deduplicateMemories": "duplicate ratio 16.7% > 5%",
    }
    assert all(one.result is not None and one.result.success for one in done.executed)
    healthy = {name: one.score for name, one in done.report.domains.items() if name != "predictor"}
    assert set(healthy.values()) == {1.0}, healthy


@pytest.mark.sqlite_file
def test_an_error_in_one_repair_does_not_stop_the_others(home: Home) -> None:
    jobs(home, "completed", 10)
    jobs(home, "dead", 5)
    home.run(
        "CREATE TRIGGER broken BEFORE UPDATE OF status ON memory_jobs WHEN OLD.status = 'dead'"
        " BEGIN SELECT RAISE(ABORT, 'broken'); END"
    )
    for number in range(5):
        home.remember(f"Box number {number} is full.")
    home.run("DELETE FROM memories_fts_docsize")
    first, second = tick(home).executed
    assert (first.recommendation.action, first.result) == ("requeueDeadJobs", None)
    assert "broken" in str(first.error)
    assert second.result is not None and second.result.affected == 1


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with a_home(tmp_path_factory.mktemp("maintained")) as home:
        home.configure(manifest("none"))
        with home.worker():
            yield home


def test_a_cycle_is_a_job_of_the_worker_and_never_two(running: Home) -> None:
    running.configure_live(manifest("none"))
    jobs(running, "completed", 10)
    jobs(running, "dead", 5)

    def ask(tx: WriteTx) -> None:
        cycle.ask(tx, "1", now=clock.now())
        cycle.ask(tx, "2", now=clock.now())

    running.db.write(ask)
    running.drained("maintenance")
    (job,) = running.rows("SELECT * FROM memory_jobs WHERE dedupe_key = 'maintenance:cycle'")
    assert job["status"] == "completed", job["errors"]
    assert '"action": "requeueDeadJobs"' in job["result"]
    assert not running.rows("SELECT 1 FROM memory_jobs WHERE status = 'dead'")


def test_maintenance_that_is_off_does_nothing(running: Home) -> None:
    tree = manifest("none", autonomous={"enabled": False})
    running.configure_live(tree)
    running.db.write(enqueue, NewJob(kind=cycle.KIND, dedupe_key="off"), now=clock.now())
    running.drained("maintenance")
    sql = "SELECT result FROM memory_jobs WHERE dedupe_key = 'maintenance:off'"
    assert running.value(sql) == '{"skipped": "maintenance_off"}'
