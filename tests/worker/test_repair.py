"""Repairs that the worker does: a database that was damaged on purpose is cured, and who is in the way waits."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from signet import clock
from signet.config import settings_from
from signet.db import fts_index, migrate, vectors
from signet.domain.memory.models import Actor
from signet.domain.repair import gate, indexes, run
from signet.domain.repair.catalog import BY_PATH
from signet.domain.repair.models import RefusalReason, RepairOrder
from signet.domain.repair.steps import RepairWork
from signet.queue import NewJob, enqueue
from support.http import Answer, Served, served
from support.models import FakeServer, Hang, Status, Works, fake_ollama
from support.processes import PYTHONPATH, eventually
from worker.home import Home, a_home, manifest


@dataclass(frozen=True)
class Daemon:
    """An API and a worker over one workspace, and the server that they ask for vectors and texts."""

    home: Home
    api: Served
    models: FakeServer

    def repair(self, path: str, body: object = None) -> Answer:
        """Ask for a repair without a cooldown."""
        self.home.run("DELETE FROM repair_runs")
        return self.api.post(f"/api/repair/{path}", body)

    def found(self, word: str) -> int:
        """Return how many memories the full text finds."""
        sql = "SELECT COUNT(*) FROM memories_fts WHERE memories_fts MATCH ?"
        count = self.home.value(sql, word)
        assert isinstance(count, int)
        return count


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with ExitStack() as stack:
        models = stack.enter_context(fake_ollama("{}"))
        home = stack.enter_context(a_home(tmp_path_factory.mktemp("repairs")))
        home.configure(manifest("ollama", models.url, embedding="ollama"))
        api = stack.enter_context(served(home.workspace))
        stack.enter_context(home.worker())
        for number in range(30):
            home.remember(f"Box number {number} holds oolong tea.", "keeper")
        home.run("DELETE FROM memory_jobs WHERE job_type = 'extract' AND status <> 'leased'")
        home.drained()
        yield Daemon(home, api, models)


# -- full text --------------------------------------------------------------------------------


@pytest.mark.sqlite_file
def test_rows_that_are_missing_in_full_text_are_found_again(daemon: Daemon) -> None:
    home = daemon.home
    home.run(
        "INSERT INTO memories_fts (memories_fts, rowid, content) SELECT 'delete', seq, content FROM memories LIMIT 10"
    )
    assert daemon.found("oolong") == 20
    looked = daemon.repair("check-fts").body
    assert (looked["affected"], looked["message"]) == (
        1,
        "FTS mismatch: 30 active memories vs 20 FTS rows",
    )
    mended = daemon.repair("check-fts", {"repair": True})
    assert (mended.status, mended.body["affected"]) == (200, 1)
    assert mended.body["message"] == "FTS mismatch: 30 active memories vs 20 FTS rows — rebuilt"
    assert daemon.found("oolong") == 30
    again = daemon.repair("check-fts", {"repair": True}).body
    assert (again["affected"], again["message"]) == (0, "FTS consistent: 30 active, 30 FTS rows")


@pytest.mark.sqlite_file
def test_an_index_that_was_cut_off_is_seen_and_made_anew(daemon: Daemon) -> None:
    daemon.home.run(
        "DELETE FROM memories_fts_data WHERE id = (SELECT MAX(id) FROM memories_fts_data)"
    )
    looked = daemon.repair("check-fts").body
    assert looked["affected"] == 1, "its rows are all there, and yet it is broken"
    assert "corruption" in looked["details"]["indexes"]["memories_fts"]["fault"]
    assert daemon.repair("check-fts", {"repair": True}).body["success"] is True
    assert daemon.found("oolong") == 30


@pytest.mark.sqlite_file
def test_an_index_that_is_gone_is_made_and_saving_works_again(daemon: Daemon) -> None:
    daemon.home.run("DROP TABLE memories_fts")
    daemon.home.run("DROP TABLE entities_fts")
    daemon.home.run("DROP TRIGGER memories_ai")
    daemon.home.run("DROP TRIGGER memories_bd")
    body = daemon.repair("check-fts", {"repair": True}).body
    assert body["success"] is True and "entities_fts too" in body["message"]
    assert daemon.found("oolong") == 30
    assert daemon.api.post("/api/memory/remember", {"content": "Nora has a kite."}).status == 200
    assert daemon.found("kite") == 1
    daemon.home.drained()
    daemon.home.run("DELETE FROM memories WHERE content LIKE 'Nora%'")
    assert daemon.repair("check-fts").body["affected"] == 0
    assert not [one for one in migrate.drift(daemon.home.workspace.database) if "trigger" in one]
    daemon.home.run("DROP TRIGGER memories_au")
    assert daemon.repair("check-fts").body["affected"] == 1, "its rows are all there"
    assert daemon.repair("check-fts", {"repair": True}).body["success"] is True


@pytest.mark.sqlite_file
def test_what_changes_while_an_index_is_made_is_in_it(tmp_path: Path) -> None:
    with a_home(tmp_path / "w") as home:
        sql = "INSERT INTO memories (id, content, created_at, updated_at) VALUES (?, ?, '', '')"
        rows = [
            (str(number), f"old words {number}") for number in range(2 * indexes.TEXT_STEP + 10)
        ]
        home.db.write(lambda tx: tx.many(sql, rows))
        index = fts_index.INDEXES[0]
        begin = partial(fts_index.begin, index=index)
        fill = partial(fts_index.fill, index=index, limit=indexes.TEXT_STEP)
        home.db.write(begin)
        home.db.write(fill)
        changes = (
            "UPDATE memories SET content = 'fresh words' WHERE id IN ('1', '300')",
            "DELETE FROM memories WHERE id IN ('2', '301')",
            "INSERT INTO memories (id, content, created_at, updated_at) VALUES ('x', 'late words', '', '')",
        )
        for change in changes:
            home.run(change)
        home.db.write(begin)  # killed, and started again
        indexes.rebuild_text(a_work(home, "check-fts"), index)
        counts = {
            word: home.value("SELECT COUNT(*) FROM memories_fts WHERE memories_fts MATCH ?", word)
            for word in ("words", "fresh", "late", "old")
        }
        assert counts == {"words": 409, "fresh": 2, "late": 1, "old": 406}
        assert not any(seen.is_off for seen in home.db.read(indexes.check_text_indexes))
        left = (
            "SELECT COUNT(*) FROM sqlite_master WHERE name LIKE '%_new%' OR name LIKE '%_filled%'"
        )
        assert home.value(left) == 0


def test_what_others_have_merged_is_not_taken_for_damage(tmp_path: Path) -> None:
    with a_home(tmp_path / "w") as home:
        sql = "INSERT INTO memories (id, content, created_at, updated_at) VALUES (?, 'x', '', '')"
        for number in range(40):
            home.run(sql, str(number))
            assert not any(seen.is_off for seen in home.db.read(indexes.check_text_indexes))
            assert home.db.read(gate.integrity, now=clock.now())["ok"]


# -- vectors ----------------------------------------------------------------------------------


def test_missing_vectors_are_made_oldest_first_until_none_is_left(daemon: Daemon) -> None:
    home = daemon.home
    home.run(
        "DELETE FROM embeddings WHERE source_id IN (SELECT id FROM memories ORDER BY seq LIMIT 5)"
    )
    assert daemon.api.get("/api/repair/embedding-gaps").body == {
        "unembedded": 5,
        "total": 30,
        "coverage": "83.3%",
        "stale": 0,
    }
    one = daemon.repair("re-embed", {"batchSize": 2}).body
    assert one["message"] == "re-embedded 2 of 2 memories (3 still missing)"
    oldest = home.rows("SELECT id, content_hash FROM memories ORDER BY seq LIMIT 2")
    hashes = {
        row["source_id"]: row["content_hash"] for row in home.rows("SELECT * FROM embeddings")
    }
    assert [hashes[row["id"]] for row in oldest] == [row["content_hash"] for row in oldest]
    rest = daemon.repair("re-embed", {"batchSize": 2, "fullSweep": True}).body
    assert (rest["affected"], rest["message"]) == (
        3,
        "re-embedded 3 of 3 memories (0 still missing)",
    )
    asked = (
        "SELECT COUNT(*) FROM provider_outcomes WHERE kind = 'embedding' AND outcome = 'success'"
    )
    eventually(lambda: daemon.home.value(asked) != 0)
    assert daemon.api.get("/api/diagnostics/provider").body["recentSuccesses"] > 0
    none = daemon.repair("re-embed").body
    assert (none["affected"], none["message"]) == (0, "no unembedded memories found")


def test_maintenance_leaves_queued_vectors_to_their_jobs_and_operators_their_cooldown(
    daemon: Daemon,
) -> None:
    home = daemon.home

    def embedded() -> int:
        has = "SELECT COUNT(*) FROM memories WHERE id IN (SELECT source_id FROM embeddings)"
        return int(str(home.value(has)))

    def maintained(slot: str) -> dict[str, Any]:
        """Return what a cycle in the worker recommended and did."""
        job = NewJob(kind="maintenance", dedupe_key=slot)
        home.db.write(enqueue, job, now=clock.now())
        home.drained("maintenance")
        result = home.value("SELECT result FROM memory_jobs WHERE dedupe_key = ?", job.unique_key)
        return dict(json.loads(str(result)))

    home.run("DELETE FROM repair_runs")
    home.run("DELETE FROM provider_outcomes")
    lacking = "SELECT id FROM memories ORDER BY seq LIMIT 15"
    home.run(f"DELETE FROM embeddings WHERE source_id IN ({lacking})")
    home.run(
        "INSERT INTO memory_jobs (id, memory_id, job_type, queue, status, due_ms, created_at, updated_at)"
        " SELECT 'later-' || id, id, 'embed', 'vectors', 'pending', 9999999999999, created_at, created_at"
        f" FROM memories WHERE id IN ({lacking})"
    )
    waiting = maintained("queued")
    assert (waiting["recommendations"], embedded()) == ([], 15)
    home.run(
        "DELETE FROM memory_jobs WHERE memory_id IN (SELECT id FROM memories ORDER BY seq LIMIT 10)"
    )
    (done,) = maintained("gaps")["executed"]
    assert (done["action"], done["affected"]) == ("reembedMissingMemories", 10)
    assert done["trigger"] == "embedding coverage 67% < 80%"
    assert embedded() == 25, "those with a job wait for it"
    operator = daemon.api.post("/api/repair/re-embed", {"batchSize": 5})
    assert (operator.status, operator.body["affected"]) == (200, 5)
    again = daemon.api.post("/api/repair/re-embed", None)
    assert (again.status, again.body["reason"]) == (429, "cooldown")
    home.run("DELETE FROM memory_jobs WHERE id GLOB 'later-*'")


def test_a_provider_that_gives_no_vectors_fails_the_repair_and_costs_no_run(daemon: Daemon) -> None:
    daemon.home.run("DELETE FROM embeddings WHERE source_id IN (SELECT id FROM memories LIMIT 3)")
    daemon.models.embeddings = [Status(500, "out of memory")]
    failed = daemon.repair("re-embed")
    assert (failed.status, failed.body["success"], failed.body["reason"]) == (
        503,
        False,
        "unavailable",
    )
    assert failed.headers["retry-after"] == "30"
    assert failed.body["message"].startswith(
        "embedding provider returned no vectors for 3 memories"
    )
    assert not daemon.home.rows("SELECT * FROM repair_runs")
    daemon.models.embeddings = [Works()]
    assert daemon.repair("re-embed").body["affected"] == 3


def test_one_run_at_a_time_and_the_request_does_not_hold_on_to_the_model(daemon: Daemon) -> None:
    daemon.home.run("DELETE FROM embeddings WHERE source_id IN (SELECT id FROM memories LIMIT 1)")
    hang = Hang()
    daemon.models.embeddings = [hang, Works()]
    body = {"batchSize": 1}
    daemon.home.run("DELETE FROM repair_runs")
    with ExitStack() as stack:
        stack.callback(hang.release.set)
        job = daemon.home.db.write(run.begin, an_order("re-embed", batchSize=1, fullSweep=False))
        eventually(
            lambda: (
                daemon.home.value("SELECT status FROM memory_jobs WHERE id = ?", job) == "leased"
            )
        )
        refused = daemon.repair("re-embed", body)
        assert (refused.status, refused.body["reason"]) == (429, "busy")
        assert refused.body["message"] == "re-embed already in progress"
        here = run.now(daemon.home.db, an_order("clean-orphans"), daemon.home.workspace)
        assert (here.reason, here.message) == (RefusalReason.BUSY, "another repair is running")
    daemon.models.embeddings = [Works()]
    daemon.home.drained("repair")


def test_the_vector_index_follows_the_stored_vectors(daemon: Daemon) -> None:
    home = daemon.home
    total = home.value("SELECT COUNT(*) FROM embeddings")
    if not home.db.has_vec:
        pytest.skip("sqlite-vec cannot be loaded here")
    daemon.repair("resync-vec")
    lost = home.rows("SELECT id FROM embeddings LIMIT 4")
    home.db.write(lambda tx: vectors.delete(tx, [row["id"] for row in lost]))
    home.run(
        "DELETE FROM embeddings WHERE id IN (SELECT id FROM embeddings ORDER BY seq DESC LIMIT 2)"
    )
    body = daemon.repair("resync-vec").body
    assert body["message"] == "removed 2 and inserted 4 rows of the vector index"
    assert home.value("SELECT COUNT(*) FROM vec_embeddings_rowids") == int(str(total)) - 2
    home.run("DROP TABLE vec_embeddings")
    made = daemon.repair("resync-vec").body
    assert made["affected"] == int(str(total)) - 2 and "rebuilt the vector index" in made["message"]
    home.run("DELETE FROM vec_embeddings_vector_chunks00")
    assert daemon.api.get("/api/repair/integrity-check").body["vecOk"] is False
    both = daemon.repair("rebuild-indexes").body
    assert both["success"] is True and "rebuilt the vector index" in both["message"]
    assert daemon.api.get("/api/repair/integrity-check").body["ok"] is True
    daemon.repair("re-embed", {"fullSweep": True})


def test_the_model_says_what_kind_of_thing_an_entity_is(daemon: Daemon) -> None:
    home = daemon.home
    for name in ("Redis", "Ada", "Fog"):
        home.run(
            "INSERT INTO entities (id, name, canonical_name, entity_type, created_at, updated_at)"
            " VALUES (?, ?, ?, 'extracted', '', '')",
            *(name, name, name.lower()),
        )
    said = [{"i": 1, "type": "tool"}, {"i": 2, "type": "person"}, {"i": 3, "type": "weather"}]
    daemon.models.answers = [json.dumps({"results": said})]
    ids = {"ids": ["Redis", "Ada", "Fog"]}
    body = daemon.repair("reclassify-entities", ids).body
    assert (body["affected"], body["details"]["types"]) == (2, {"Redis": "tool", "Ada": "person"})
    left = home.rows("SELECT name FROM entities WHERE entity_type = 'extracted' AND id = name")
    assert [row["name"] for row in left] == ["Fog"]
    daemon.models.answers = [Status(500)]
    failed = daemon.repair("reclassify-entities", ids)
    assert (failed.status, "the model did not answer" in failed.body["message"]) == (503, True)


# -- several processes ------------------------------------------------------------------------

RACER = """
import sys
from pathlib import Path
from typing import Any
from signet import clock, engine
from signet.config import settings_from
from signet.db import Database
from signet.domain.memory.models import Actor
from signet.domain.repair import run
from signet.domain.repair.catalog import BY_PATH
from signet.domain.repair.models import RepairOrder
from signet.paths import Workspace
workspace = Workspace(Path(sys.argv[1]))
engine.use(workspace.database, sys.argv[2] or None)
db = Database(workspace.database)
print("ready", flush=True)
for path in map(str.strip, sys.stdin):
    now, settings = clock.now(), settings_from({})[0]
    made = {"settings": settings, "actor": Actor(), "now": now, "monotonic_ms": clock.monotonic_ms()}
    order = RepairOrder(action=BY_PATH[path], **made)
    print(run.now(db, order, workspace).reason or "done", flush=True)
db.close()
"""


def test_of_processes_that_repair_at_the_same_instant_one_does(tmp_path: Path) -> None:
    with a_home(tmp_path / "w") as home, ExitStack() as stack:
        command = [sys.executable, "-c", RACER, str(home.workspace.root), home.db.url or ""]
        racers = [
            stack.enter_context(
                subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                    env={"PYTHONPATH": PYTHONPATH},
                )
            )
            for _ in range(2)
        ]

        def said() -> list[str]:
            return [racer.stdout.readline().strip() for racer in racers if racer.stdout]

        assert said() == ["ready", "ready"]
        for path in ("release-leases", "clean-orphans"):  # one transaction, and many steps
            for racer in racers:
                assert racer.stdin is not None
                racer.stdin.write(f"{path}\n")
                racer.stdin.flush()
            answers = said()
            assert answers.count("done") == 1 and set(answers) <= {"done", "cooldown", "busy"}
        for racer in racers:
            assert racer.stdin is not None
            racer.stdin.close()
        assert home.value("SELECT SUM(runs_in_window) FROM repair_runs") == 2
        assert home.value("SELECT COUNT(*) FROM memory_history") == 2


def an_order(path: str, **options: int | bool) -> RepairOrder:
    """Return an order of an operator under the usual settings."""
    return RepairOrder(
        action=BY_PATH[path],
        settings=settings_from({})[0],
        actor=Actor(name="operator"),
        now=clock.now(),
        monotonic_ms=clock.monotonic_ms(),
        options=options,
    )


def a_work(home: Home, path: str) -> RepairWork:
    """Return the work of a repair in this process."""
    return RepairWork(order=an_order(path), db=home.db, workspace=home.workspace)
