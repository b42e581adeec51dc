"""What a sweep lets go of, and what it must keep."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from signet import clock
from signet.db import Database, ReadTx, WriteTx
from signet.domain.embeddings import vectors
from signet.domain.memory import history, remember
from signet.domain.memory.forget import forget
from signet.domain.memory.models import Actor, Event, NewMemory, Rules
from signet.domain.retention import purge
from signet.domain.retention.purge import Windows, cutoff
from support.database import fresh_database, tables

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
MS = timedelta(milliseconds=1)
ACTOR = Actor()
WINDOWS = Windows()


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    database = Database(fresh_database(tmp_path / "memories.db"))
    yield database
    database.close()


def a_memory(tx: WriteTx, text: str, *, forgotten_at: datetime | None = None) -> str:
    new = NewMemory(content=text, hints=("what is this about?",))
    saved = remember.remember(tx, new, actor=ACTOR, rules=Rules(), now=NOW - 90 * DAY)
    digest = tx.value("SELECT content_hash FROM memories WHERE id = ?", (saved.id,))
    vectors.replace(tx, saved.id, digest, [(text, b"\0\0\x80\x3f" * 4)], "test", NOW)
    if forgotten_at:
        assert forget(tx, saved.id, actor=ACTOR, reason="not needed", now=forgotten_at)
    return saved.id


def swept(db: Database, windows: Windows = WINDOWS, *, limit: int = 100) -> dict[str, int]:
    return dict(purge.sweep(db, windows=windows, now=NOW, limit=limit).counts)


def count(db: Database, table: str, where: str = "1", *params: object) -> int:
    return int(db.read(lambda tx: tx.value(f"SELECT count(*) FROM {table} WHERE {where}", params)))


def test_a_tombstone_is_kept_until_its_window_has_passed(db: Database) -> None:
    young = db.write(a_memory, "A heron was seen.", forgotten_at=NOW - 30 * DAY)
    old = db.write(a_memory, "An otter was seen.", forgotten_at=NOW - 30 * DAY - MS)
    db.write(a_memory, "A stork was seen.")
    assert swept(db)["tombstonesPurged"] == 1
    assert count(db, "memories", f"id = '{young}'") == 1
    assert count(db, "memories", f"id = '{old}'") == 0
    assert count(db, "memories") == 2


def test_a_purged_memory_leaves_nothing_but_its_history(db: Database) -> None:
    text = "We met Ada Winter, who lives in Port Ellen."
    memory_id = db.write(a_memory, text, forgotten_at=NOW - 31 * DAY)
    db.write(
        lambda tx: [
            tx.run(
                "INSERT INTO documents (id, source_type, created_at, updated_at) VALUES ('d', 'text', '', '')"
            ),
            tx.run("INSERT INTO document_memories VALUES ('d', ?, 0)", (memory_id,)),
            tx.run(
                "INSERT INTO agent_feedback (id, memory_id, session_id, feedback_type, actor, created_at)"
                " VALUES ('f', ?, 's', 'positive', 'a', '')",
                (memory_id,),
            ),
            tx.run(
                "INSERT INTO session_memories (id, session_key, memory_id, rank, created_at)"
                " VALUES ('s', 's', ?, 1, '')",
                (memory_id,),
            ),
        ]
    )
    counts = swept(db)
    assert counts["graphLinksPurged"] == 2
    assert counts["entitiesOrphaned"] == 2
    assert counts["embeddingsPurged"] == 1
    naming = {table for table in _tables() if db.read(_names, table, memory_id)}
    assert naming == {"memory_history", "audit_log"}
    for table in (
        "entities",
        "entity_aspects",
        "entity_attributes",
        "entity_dependencies",
        "embeddings",
    ):
        assert count(db, table) == 0, table
    assert count(db, "memories_fts", "memories_fts MATCH ?", "winter") == 0
    assert count(db, "memories_cold") == 0


def _tables() -> list[str]:
    """Return the tables that both engines have."""
    ours = re.compile(r"(?!schema_|vec_)(?!.*_fts).*")
    return [one.name for one in tables() if ours.fullmatch(one.name)]


def _names(tx: ReadTx, table: str, memory_id: str) -> bool:
    rows = tx.all(f"SELECT * FROM {table}")
    return any(memory_id in str(value) for row in rows for value in row)


def test_an_entity_loses_the_links_that_went_and_stays_while_one_is_left(db: Database) -> None:
    db.write(a_memory, "We met Ada Winter at the harbour.", forgotten_at=NOW - 40 * DAY)
    db.write(a_memory, "Later Ada Winter sold the boat.", forgotten_at=NOW - 40 * DAY)
    db.write(a_memory, "Then Ada Winter kept bees.")
    assert swept(db)["entitiesOrphaned"] == 0
    assert count(db, "entities", "canonical_name = 'ada winter' AND mentions = 1") == 1
    said = "source_memory_id IS NULL AND status = 'superseded'"
    assert count(db, "entity_attributes", said) == 2
    assert count(db, "entity_attributes", "status = 'active' AND source_memory_id IS NOT NULL") == 1


@pytest.mark.parametrize(
    "keep",
    [
        "UPDATE entities SET pinned = 1",
        "UPDATE entities SET entity_type = 'skill'",
        "UPDATE entities SET entity_type = 'task'",
        "UPDATE entities SET entity_type = 'chunk_group'",
        "INSERT INTO entity_attributes (id, entity_id, attribute_value, normalized_value, created_at, updated_at)"
        " SELECT 'a', id, 'was told outright', '', '', '' FROM entities",
        "INSERT INTO entity_pinning (id, entity_id, pin_type, created_at) SELECT 'p', id, 'suppress', '' FROM entities",
    ],
)
def test_kept_entities_stay_without_mentions(db: Database, keep: str) -> None:
    db.write(a_memory, "We met Ada Winter.", forgotten_at=NOW - 40 * DAY)
    db.write(lambda tx: tx.run(keep))
    swept(db)
    assert count(db, "entities", "mentions = 0") == 1


def test_entities_that_no_purged_memory_named_are_left_alone(db: Database) -> None:
    db.write(a_memory, "We met Ada Winter.", forgotten_at=NOW - 40 * DAY)
    db.write(
        lambda tx: tx.run(
            "INSERT INTO entities (id, name, canonical_name, entity_type, created_at, updated_at)"
            " VALUES ('e', 'Idle', 'idle', 'tool', '', '')"
        )
    )
    swept(db)
    assert count(db, "entities", "id = 'e'") == 1
    assert count(db, "entities") == 1


def test_a_backlog_goes_in_batches(db: Database) -> None:
    for number in range(7):
        db.write(a_memory, f"Number {number} was seen.", forgotten_at=NOW - 40 * DAY)
    first = db.write(purge.tombstones, NOW, WINDOWS, 3)
    assert first.handled == 0  # their vectors are still there
    db.write(purge.links, NOW, WINDOWS, 3)
    assert db.write(purge.embeddings, NOW, WINDOWS, 3).counts == {"embeddingsPurged": 3}
    assert db.write(purge.tombstones, NOW, WINDOWS, 3).handled == 3
    assert count(db, "memories") == 4
    assert swept(db, limit=2)["tombstonesPurged"] == 4


def test_a_sweep_finishes_what_a_killed_one_began(db: Database) -> None:
    db.write(a_memory, "We met Ada Winter.", forgotten_at=NOW - 40 * DAY)
    db.write(purge.links, NOW, WINDOWS, 100)
    counts = swept(db)
    assert (counts["graphLinksPurged"], counts["tombstonesPurged"]) == (0, 1)
    assert swept(db)["tombstonesPurged"] == 0


def test_a_tombstone_without_a_time_is_as_old_as_its_last_change(db: Database) -> None:
    for age in (20, 40):
        memory_id = db.write(a_memory, f"Seen {age} days ago.", forgotten_at=NOW - age * DAY)
        db.write(
            lambda tx, id_: tx.run("UPDATE memories SET deleted_at = NULL WHERE id = ?", (id_,)),
            memory_id,
        )
    assert swept(db)["tombstonesPurged"] == 1
    assert count(db, "memories", "content LIKE 'Seen 20%'") == 1


def test_history_goes_after_its_own_window(db: Database) -> None:
    for age in (179, 181):
        db.write(
            lambda tx, age: history.record(
                tx, "system", Event.NONE, actor=ACTOR, at=NOW - age * DAY
            ),
            age,
        )
    assert swept(db)["historyPurged"] == 1
    assert count(db, "memory_history") == 1


def test_ended_jobs_go_after_their_windows_and_open_ones_never(db: Database) -> None:
    def a_job(tx: WriteTx, job_id: str, status: str, age: int) -> None:
        at = clock.to_text(NOW - age * DAY)
        ended = (at if status == "completed" else None, at if status == "dead" else None)
        tx.run(
            "INSERT INTO memory_jobs (id, job_type, status, completed_at, failed_at, created_at, updated_at, queue,"
            " due_ms) VALUES (?, 'extract', ?, ?, ?, '', '', 'llm', 0)",
            (job_id, status, *ended),
        )

    for job in (
        ("c13", "completed", 13),
        ("c15", "completed", 15),
        ("d29", "dead", 29),
        ("d31", "dead", 31),
        ("open", "pending", 400),
    ):
        db.write(a_job, *job)
    counts = swept(db)
    assert (counts["completedJobsPurged"], counts["deadJobsPurged"]) == (1, 1)
    left = db.read(lambda tx: [row[0] for row in tx.all("SELECT id FROM memory_jobs ORDER BY id")])
    assert left == ["c13", "d29", "open"]


def test_requests_for_summaries_go_as_long_after_their_end_as_jobs(db: Database) -> None:
    def a_request(tx: WriteTx, name: str, status: str, age: int, asked: int | None = None) -> None:
        at = clock.to_text(NOW - age * DAY)
        column = {"done": "completed_at", "failed": "failed_at"}.get(status, "updated_at")
        tx.run(
            f"INSERT INTO summary_jobs (id, harness, status, created_at, {column}) VALUES (?, '', ?, ?, ?)",
            (name, status, clock.to_text(NOW - (asked or age) * DAY), at),
        )

    for name, status, age in (
        ("young done", "done", 13),
        ("old done", "done", 15),
        ("young failed", "failed", 29),
        ("old failed", "failed", 31),
        ("open", "pending", 90),
    ):
        db.write(a_request, name, status, age)
    db.write(a_request, "done late", "done", 13, asked=90)
    assert swept(db, limit=1)["summaryJobsPurged"] == 2
    rows = db.read(ReadTx.all, "SELECT id FROM summary_jobs ORDER BY id")
    assert [row[0] for row in rows] == ["done late", "open", "young done", "young failed"]


@pytest.mark.sqlite_file
def test_a_sweep_gives_free_pages_back(db: Database) -> None:
    for number in range(200):
        text = f"{number} " + "heron otter stork " * 40
        db.write(a_memory, text, forgotten_at=NOW - 40 * DAY)
    size = int(db.read(lambda tx: tx.value("PRAGMA page_count")))
    swept(db)
    assert db.read(lambda tx: tx.value("PRAGMA freelist_count")) == 0
    assert db.read(lambda tx: tx.value("PRAGMA page_count")) < size


@pytest.mark.sqlite_file
def test_free_pages_are_given_back_in_steps(db: Database) -> None:
    filler = "INSERT INTO telemetry_events (id, event, timestamp, properties, created_at) VALUES (?, '', '', ?, '')"
    db.write(lambda tx: tx.many(filler, [(str(n), "x" * 3_000) for n in range(1_500)]))
    db.write(lambda tx: tx.run("DELETE FROM telemetry_events"))
    free = int(db.read(lambda tx: tx.value("PRAGMA freelist_count")))
    assert free > 2 * purge.RECLAIM_PAGES
    assert db.write(purge.reclaim)
    assert db.read(lambda tx: tx.value("PRAGMA freelist_count")) == free - purge.RECLAIM_PAGES
    swept(db)
    assert db.read(lambda tx: tx.value("PRAGMA freelist_count")) == 0


def test_a_sweep_stops_when_its_time_is_over_and_the_next_goes_on(db: Database) -> None:
    for number in range(5):
        db.write(a_memory, f"Number {number} was seen.", forgotten_at=NOW - 40 * DAY)
    steps = iter([False] * 3)
    stopped = purge.sweep(db, windows=WINDOWS, now=NOW, limit=2, expired=lambda: next(steps, True))
    assert not stopped.is_finished
    assert stopped.counts["tombstonesPurged"] == 2
    rest = purge.sweep(db, windows=WINDOWS, now=NOW, limit=2)
    assert rest.is_finished
    assert rest.counts["tombstonesPurged"] == 3


def test_an_ended_task_goes_with_all_of_it_after_its_retention(db: Database) -> None:
    def a_task(tx: WriteTx, name: str, until: datetime) -> None:
        tx.run(
            "INSERT INTO entities (id, name, canonical_name, entity_type, created_at, updated_at)"
            " VALUES (?, ?, ?, 'task', '', '')",
            (name, name, name),
        )
        tx.run(
            "INSERT INTO task_meta (entity_id, status, retention_until, updated_at) VALUES (?, 'done', ?, '')",
            (name, clock.to_text(until)),
        )

    db.write(a_task, "old", NOW - DAY)
    db.write(a_task, "young", NOW + DAY)
    assert swept(db)["tasksPurged"] == 1
    assert count(db, "entities", "id = 'young'") == count(db, "entities") == 1
    assert count(db, "task_meta") == 1


def test_notes_of_what_was_brought_to_sessions_go_after_three_months(db: Database) -> None:
    def a_note(tx: WriteTx, age: int) -> None:
        tx.run(
            "INSERT INTO session_memories (id, session_key, memory_id, rank, created_at) VALUES (?, 's', ?, 1, ?)",
            (str(age), str(age), clock.to_text(NOW - age * DAY)),
        )

    for age in (92, 91, 89):
        db.write(a_note, age)
    assert swept(db)["sessionMemoriesPurged"] == 2
    assert count(db, "session_memories", "id = '89'") == count(db, "session_memories") == 1


def test_a_window_ends_after_its_last_millisecond() -> None:
    assert cutoff(NOW, 30 * DAY) == "2026-04-01T12:00:00.000Z"
