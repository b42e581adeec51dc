"""A repair whose worker is killed: the next one brings it to the same end, and the gate and the history know of one."""

import itertools
import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from subprocess import Popen

import pytest

from signet import clock
from signet.config import settings_from
from signet.db import fts_index
from signet.domain.memory.models import Actor
from signet.domain.repair import indexes, run
from signet.domain.repair.catalog import BY_PATH
from signet.domain.repair.models import RefusalReason, RepairOrder, RepairRefused, Value
from signet.process.rescuer import Rescuer
from support.models import fake_ollama
from support.processes import PATIENCE_SECONDS, eventually
from worker.home import Home, manifest

AT = "2026-01-01T00:00:00.000Z"
#: More than two steps of every repair.
MANY = 2 * indexes.TEXT_STEP + 50


def ordered(path: str, **options: Value) -> RepairOrder:
    action = BY_PATH[path]
    defaults = {one.name: one.default for one in action.options if one.default is not None}
    return RepairOrder(
        action=action,
        settings=settings_from({})[0],
        actor=Actor(name="ada", type="operator"),
        now=clock.now(),
        monotonic_ms=clock.monotonic_ms(),
        options={**defaults, **options},
    )


def save(home: Home, count: int, hash: Callable[[int], str] = str, **fields: object) -> None:
    names = ["id", "content", "content_hash", "created_at", "updated_at", *fields]
    marks = ", ".join("?" * len(names))
    rows = [
        (f"m{n:04}", f"Ada Winter keeps box {n}.", hash(n), AT, AT, *fields.values())
        for n in range(count)
    ]
    sql = f"INSERT INTO memories ({', '.join(names)}) VALUES ({marks})"
    home.db.write(lambda tx: tx.many(sql, rows))


# -- what is broken, and how it looks when it is whole ----------------------------------------


def lose_words(home: Home) -> None:
    save(home, MANY)
    home.run(
        "INSERT INTO memories_fts (memories_fts, rowid, content) SELECT 'delete', seq, content FROM memories LIMIT 10"
    )


def has_words(home: Home) -> int:
    assert not any(seen.is_off for seen in home.db.read(indexes.check_text_indexes))
    left = "SELECT COUNT(*) FROM sqlite_master WHERE name GLOB '*_new*' OR name GLOB '*_filled'"
    assert home.value(left) == 0
    found = "SELECT COUNT(*) FROM memories_fts WHERE memories_fts MATCH 'winter'"
    assert home.value(found) == MANY
    return 1


def lose_vectors(home: Home) -> None:
    save(home, 5)


def has_vectors(home: Home) -> int:
    sql = "SELECT source_id, content_hash FROM embeddings ORDER BY 1"
    assert [tuple(row) for row in home.rows(sql)] == [(f"m{n:04}", str(n)) for n in range(5)]
    return 5


def double(home: Home) -> None:
    home.run("DROP INDEX idx_memories_content_hash_unique")
    save(home, 9, lambda n: str(n % 3))


def is_single(home: Home) -> int:
    left = home.rows("SELECT content_hash, COUNT(*) FROM memories WHERE is_deleted = 0 GROUP BY 1")
    assert [tuple(row) for row in left] == [("0", 1), ("1", 1), ("2", 1)]
    events = (
        "SELECT event, COUNT(*) FROM memory_history WHERE event <> 'none' GROUP BY 1 ORDER BY 1"
    )
    assert [tuple(row) for row in home.rows(events)] == [("deleted", 6), ("merged", 3)]
    return 6


def orphan(home: Home) -> None:
    save(home, MANY, is_deleted=1, deleted_at=AT)
    home.run(
        "INSERT INTO embeddings (id, content_hash, vector, dimensions, source_type, source_id, chunk_text, created_at)"
        f" SELECT 'v' || id, content_hash, x'{bytes(16).hex()}', 4, 'memory', id, '', created_at FROM memories"
    )


def has_no_orphan(home: Home) -> int:
    assert home.value("SELECT COUNT(*) FROM embeddings") == 0
    assert home.value("SELECT COUNT(*) FROM memories") == MANY
    return MANY


def bury(home: Home) -> None:
    home.run(
        "INSERT INTO memory_jobs (id, job_type, queue, status, due_ms, created_at, updated_at, failed_at)"
        " WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)"
        " SELECT 'dead-' || i, 'extract', 'llm', 'dead', 0, ?1, ?1, ?1 FROM n",
        AT,
    )


def is_archived(home: Home) -> int:
    """Those of the limit and no more are gone, and each of them is in an archive."""
    left = {row[0] for row in home.rows("SELECT id FROM memory_jobs WHERE status = 'dead'")}
    archives = (home.workspace.daemon_dir / "archive").glob("*.ndjson")
    kept = {json.loads(line)["id"] for one in archives for line in one.read_text().splitlines()}
    assert len(left) == 50 and len(kept | left) == 300
    return 250


def unlink(home: Home) -> None:
    save(home, 120)


def is_linked(home: Home) -> int:
    assert home.value("SELECT COUNT(*) FROM memory_entity_mentions") == 120
    assert [tuple(row) for row in home.rows("SELECT name, mentions FROM entities")] == [
        ("Ada Winter", 120)
    ]
    return 120


@dataclass(frozen=True)
class Case:
    damage: Callable[[Home], None]
    #: Checks that nothing is broken any more and returns how many rows the history must tell of.
    whole: Callable[[Home], int]
    path: str
    where: str
    count: int = 1
    limit: int | None = None


CASES = {
    "words-first-part": Case(lose_words, has_words, "check-fts", "named", 2),
    "words-in-the-exchange": Case(lose_words, has_words, "check-fts", "part", 5),
    "words-after-the-exchange": Case(lose_words, has_words, "check-fts", "named", 5),
    "vectors": Case(lose_vectors, has_vectors, "re-embed", "named", 2, 5),
    "duplicates": Case(double, is_single, "deduplicate", "named", 2, 3),
    "orphans": Case(orphan, has_no_orphan, "clean-orphans", "named", 2),
    "dead-jobs-before-they-go": Case(bury, is_archived, "prune-jobs", "part", 2, 250),
    "dead-jobs": Case(bury, is_archived, "prune-jobs", "named", 1, 250),
    "links-before-the-end": Case(unlink, is_linked, "relink-entities", "last"),
    "links-after-the-end": Case(unlink, is_linked, "relink-entities", "end"),
}


def an_order(case: Case) -> RepairOrder:
    options: dict[str, Value] = {}
    if case.path == "check-fts":
        options["repair"] = True
    if case.path == "deduplicate":
        options["semanticThreshold"] = 0.9
    if case.limit is not None:
        options["limit" if case.path == "prune-jobs" else "batchSize"] = case.limit
    return ordered(case.path, **options)


def a_worker(home: Home, where: str = "end", count: int = 0) -> AbstractContextManager[Popen[str]]:
    """Run a worker that is killed at the count-th time that it is there; never at 0."""
    return home.runs("worker.stops_at", {"STOP_AFTER": where, "STOP_COUNT": str(count)})


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=name, marks=pytest.mark.sqlite_file if name[:5] == "words" else ())
        for name, case in CASES.items()
    ],
)
def test_a_killed_repair_is_brought_to_its_end_once(home: Home, case: Case) -> None:
    with fake_ollama("{}") as models:
        home.configure(manifest("none", models.url, embedding="ollama"))
        case.damage(home)
        job = home.db.write(run.begin, an_order(case))
        with a_worker(home, case.where, case.count) as victim:
            assert victim.wait(PATIENCE_SECONDS) == -9
        Rescuer(home.db, home.workspace.runtime_dir, own="test").poll()
        status = "SELECT status FROM memory_jobs WHERE id = ?"
        eventually(lambda: home.value(status, job) != "leased")
        audits = "SELECT metadata FROM memory_history WHERE event = 'none'"
        runs = "SELECT runs_in_window FROM repair_runs"
        if case.where != "end":
            assert home.value(status, job) == "pending"
            assert not home.rows(audits) and not home.rows(runs), "it has not been done"
            refused_while_open(home, case, job)
        with a_worker(home):
            eventually(lambda: home.value(status, job) == "completed")
    affected = case.whole(home)
    assert [json.loads(row[0])["affected"] for row in home.rows(audits)] == [affected]
    assert [row[0] for row in home.rows(runs)] == [1]
    told = home.db.read(run.progress, an_order(case), job)
    assert (told.success, told.affected) == (True, affected)
    assert home.value("PRAGMA integrity_check") == "ok"


def refused_while_open(home: Home, case: Case, job: str) -> None:
    """Somebody else who asks meanwhile shares the run or is told that it is there."""
    if BY_PATH[case.path].is_shared:
        assert home.db.write(run.begin, an_order(case)) == job
        return
    with pytest.raises(RepairRefused) as refused:
        home.db.write(run.begin, an_order(case))
    assert refused.value.reason is RefusalReason.BUSY


@pytest.mark.sqlite_file
def test_what_an_earlier_run_left_of_an_index_is_brought_to_its_end(home: Home) -> None:
    save(home, 3)
    index = fts_index.INDEXES[0]
    home.db.write(lambda tx: fts_index.begin(tx, index=index))
    assert home.value("SELECT COUNT(*) FROM sqlite_master WHERE name = 'memories_fts_new'") == 1
    run.now(home.db, ordered("check-fts", repair=True), home.workspace)
    assert home.value("SELECT COUNT(*) FROM sqlite_master WHERE name LIKE 'memories_fts_new%'") == 0
    assert not any(seen.is_off for seen in home.db.read(indexes.check_text_indexes))


def test_what_there_was_no_time_for_is_done_by_the_worker_and_told_as_one_run(home: Home) -> None:
    orphan(home)
    steps = itertools.count()

    def check() -> None:
        if next(steps) == 2:
            raise run.OutOfTime

    begun = run.now(home.db, ordered("clean-orphans"), home.workspace, check=check)
    assert (begun.success, begun.affected, begun.job_id is None) == (True, 200, False)
    assert not home.rows("SELECT * FROM repair_runs")
    with a_worker(home):
        home.drained("repair")
    told = home.db.read(run.progress, ordered("clean-orphans"), begun.job_id or "")
    assert (told.affected, told.message) == (MANY, f"deleted {MANY} orphaned vectors")
    (audit,) = home.rows("SELECT metadata FROM memory_history WHERE event = 'none'")
    assert json.loads(audit[0])["affected"] == has_no_orphan(home)
