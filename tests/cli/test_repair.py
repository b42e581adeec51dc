"""`signet repair` and `signet diagnostics` against a running daemon: looking first, doing with --apply."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from cli import program as programs
from cli.program import SETTINGS, Program, running
from signet import clock
from signet.db import Database, WriteTx
from signet.domain.repair.catalog import ACTIONS


@contextmanager
def database(program: Program) -> Iterator[Database]:
    db = Database(program.workspace / "memory" / "memories.db")
    try:
        yield db
    finally:
        db.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """Give a daemon of this file's own: its jobs are counted, and it repairs nothing by itself."""
    observing = "rules}, autonomous: {maintenanceMode: observe}}}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(programs, "SETTINGS", SETTINGS.replace("rules}}}", observing))
        with running(tmp_path_factory.mktemp("repairs")) as program:
            yield program


@pytest.fixture
def dead(served: Program) -> Iterator[Program]:
    """Give a daemon with 150 dead jobs; they are gone afterwards."""
    at = clock.to_text(clock.now())

    def bury(tx: WriteTx) -> None:
        tx.run("DELETE FROM repair_runs")
        tx.many(
            "INSERT INTO memory_jobs (id, job_type, queue, status, due_ms, created_at, updated_at, failed_at, error)"
            " VALUES (?, 'unknown_kind', 'later', 'dead', 0, ?, ?, ?, 'HTTP 503: overloaded')",
            [(f"dead-{number:03}", at, at, at) for number in range(150)],
        )

    with database(served) as db:
        db.write(bury)
        yield served
        db.write(lambda tx: tx.run("DELETE FROM memory_jobs WHERE job_type = 'unknown_kind'"))
        db.write(lambda tx: tx.run("DELETE FROM repair_runs"))


def test_every_repair_is_listed_and_has_a_command(served: Program) -> None:
    listed = served.run("repair", "list", "--json").json()
    assert [one["action"] for one in listed["repairs"]] == [action.name for action in ACTIONS]
    plain = served.run("repair", "list").out
    assert all(one["command"] in plain for one in listed["repairs"])


def test_a_repair_shows_first_what_it_would_do_and_then_does_it(dead: Program) -> None:
    looked = dead.run("repair", "requeue-dead", "--error", "http*over", "--limit", "2")
    assert looked.status == 0
    assert looked.out.startswith("would requeue 2 dead memory jobs")
    assert "dead-000" in looked.out and "HTTP 503: overloaded" in looked.out
    assert "--apply" in looked.err
    done = dead.run("repair", "requeue-dead", "dead-007", "--apply", "--json").json()
    assert (done["success"], done["affected"]) == (True, 1)
    refused = dead.run("repair", "requeue-dead", "--apply")
    assert refused.status == 1 and "cooldown active" in refused.err
    with database(dead) as db:
        counts = db.read(
            lambda tx: tx.all(
                "SELECT status, COUNT(*) FROM memory_jobs WHERE job_type = 'unknown_kind' GROUP BY status"
            )
        )
    assert {row[0]: row[1] for row in counts} == {"dead": 149, "pending": 1}


def test_wrong_use_is_told_before_anything_is_asked(served: Program) -> None:
    wrong = served.run("repair", "requeue-dead", "--older-than", "soon")
    assert (wrong.status, "'soon' is not a time" in wrong.err) == (2, True)
    refused = served.run("repair", "re-embed", "--batch-size", "900")
    assert (refused.status, "batchSize must be an integer" in refused.err) == (1, True)


def test_a_long_repair_is_followed_to_its_end(dead: Program) -> None:
    done = dead.run("repair", "rebuild-indexes", "--apply")
    assert done.status == 0, done.err
    assert "FTS consistent" in done.out
    pruned = dead.run("repair", "prune-jobs", "--kind", "unknown_kind", "--apply")
    assert pruned.out.startswith("archived and deleted 150 dead jobs")
    assert "archive: " in pruned.out


def test_status_and_diagnostics_say_what_is_wrong_and_what_helps(dead: Program) -> None:
    dead.run("repair", "release-leases", "--apply")  # forgets the report of two seconds ago
    report = dead.run("diagnostics")
    assert report.status == 1
    assert "150 dead jobs have piled up" in report.out
    assert "try: signet repair requeue-dead --apply" in report.out
    status = dead.run("status")
    assert status.status == 0
    assert "! queue: 150 dead jobs have piled up · try: signet repair requeue-dead" in status.out
    red = dead.on_terminal("status")
    assert "\x1b[31m●\x1b[0m" in red
    one = dead.run("diagnostics", "queue", "--json").json()
    assert (one["dead"], one["status"]) == (150, "unhealthy")
    assert dead.run("diagnostics", "nothing").err.startswith(
        "error: Unknown domain: nothing; there are queue, "
    )


def test_counts_and_the_file_itself_are_looked_at(served: Program) -> None:
    assert "without a vector" in served.run("repair", "stats").out
    whole = served.run("repair", "integrity")
    assert (whole.status, whole.out.count("✓")) == (0, 3)
    assert served.run("repair", "dead-memories").out.endswith(
        "unused memories with low confidence\n"
    )
    assert served.run("jobs", "nudge").out == "Nudged\n"
