"""A file of the earlier implementation opens and loses nothing (SCH-4)."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from migrations import upstream
from signet.db import migrate
from signet.db.driver import Connection, connect, sqlite
from signet.domain.memory import wording

pytestmark = pytest.mark.sqlite_file

NOW = datetime(2026, 5, 1, 6, 30, tzinfo=UTC)
NOW_TEXT = "2026-05-01T06:30:00.000Z"
NOW_MS = 1_777_617_000_000

#: Where a table or a column has another name afterwards; written down apart from the code on purpose.
TABLES = {"predictor_comparisons": "predictor_session_comparisons"}
COLUMNS = {
    ("entity_aspects", "name"): "aspect_name",
    ("entity_attributes", "content"): "attribute_value",
    ("entity_attributes", "normalized_content"): "normalized_value",
    ("entity_attributes", "memory_id"): "source_memory_id",
    ("summary_jobs", "session_key"): "session_id",
    ("summary_jobs", "result"): "result_path",
    ("umap_cache", "payload"): "result_json",
    ("umap_cache", "created_at"): "cached_at",
}
#: Rows that end in another row of the same meaning, and values that a rule translates; each has its own test below.
MERGED = {
    ("entities", "n2"),
    ("relations", "r2"),
    ("entity_aspects", "a2"),
    ("entity_dependencies", "p2"),
    ("entity_dependencies", "p3"),
    ("umap_cache", 1),
}
#: What a model was trained with that there is no longer.
DROPPED = {"predictor_training_pairs"}
TRANSLATED = {
    "memories": {"agent_id", "extraction_status"},
    "entities": {"mentions", "canonical_name", "description"},
    "relations": {"mentions"},
    "memory_entity_mentions": {"entity_id"},  # m1 names both halves of a merged entity
    "entity_dependencies": {"source_entity_id"},
    "entity_attributes": {"aspect_id", "status", "superseded_by"},
    "memory_jobs": {"status", "leased_at", "completed_at", "failed_at", "error", "updated_at"},
    "summary_jobs": {"status"},
    "predictor_comparisons": {"session_key"},
}

Rows = list[dict[str, object]]


def contents(db: Connection) -> dict[str, Rows]:
    """Return every row of every ordinary table."""
    names = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT GLOB 'sqlite_*'"
    tables = [row[0] for row in db.execute(names)]
    return {
        table: [dict(row) for row in db.execute(f'SELECT * FROM "{table}"')] for table in tables
    }


@pytest.fixture(params=upstream.VERSIONS)
def version(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def before(tmp_path: Path, version: int) -> Iterator[dict[str, Rows]]:
    old = upstream.write(tmp_path / "memories.db", version)
    yield contents(old)
    old.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memories.db"


@pytest.fixture(scope="module")
def newest(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a file of the newest version we know, upgraded."""
    path = tmp_path_factory.mktemp("newest") / "memories.db"
    upstream.write(path, 43).close()
    migrate.upgrade(path, now=NOW)
    return path.read_bytes()


@pytest.fixture
def adopted(path: Path, newest: bytes) -> Iterator[Connection]:
    """Such a file, open."""
    path.write_bytes(newest)
    db = connect(path)
    yield db
    db.close()


def column(db: Connection, statement: str) -> list[object]:
    return [row[0] for row in db.execute(statement)]


def pairs(db: Connection, statement: str) -> dict[object, object]:
    return {row[0]: row[1] for row in db.execute(statement)}


def test_a_file_of_any_age_gets_the_schema_of_a_new_one(
    path: Path, before: dict[str, Rows]
) -> None:
    assert len(before["memories"]) == 3
    path.chmod(0o644)
    done = migrate.upgrade(path, now=NOW)
    assert done.before is None and done.copy is not None
    assert [one.stat().st_mode & 0o777 for one in (path, done.copy)] == [0o600, 0o600]
    assert migrate.drift(path) == []
    db = connect(path)
    assert column(db, "PRAGMA integrity_check") == ["ok"]
    assert column(db, "SELECT name FROM sqlite_master WHERE name GLOB 'upstream_*'") == []
    assert column(db, "PRAGMA auto_vacuum") == [2]
    db.close()


def test_no_row_and_no_value_is_lost(path: Path, before: dict[str, Rows]) -> None:
    migrate.upgrade(path, now=NOW)
    db = connect(path)
    lost = []
    for table, rows in before.items():
        same = TRANSLATED.get(table, set())
        for row in rows:
            if table in DROPPED or (table, row.get("id")) in MERGED:
                continue
            kept = {
                COLUMNS.get((table, k), k): v
                for k, v in row.items()
                if v is not None and k not in same
            }
            where = " AND ".join(f"{name} = ?" for name in kept)
            found = f"SELECT count(*) FROM {TABLES.get(table, table)} WHERE {where}"
            if db.execute(found, tuple(kept.values())).fetchone()[0] != 1:
                lost.append((table, row))
    db.close()
    assert lost == []


def test_full_text_finds_the_old_rows_by_their_old_numbers(
    path: Path, before: dict[str, Rows]
) -> None:
    old = sqlite.connect(str(path))
    numbers = dict(old.execute("SELECT id, rowid FROM memories"))
    old.close()
    migrate.upgrade(path, now=NOW)
    db = connect(path)
    assert pairs(db, "SELECT id, seq FROM memories") == numbers
    match = "SELECT m.id FROM memories_fts JOIN memories m ON m.seq = memories_fts.rowid WHERE memories_fts MATCH "
    assert column(db, match + "'seedling'") == [
        "m2"
    ]  # stemmed: the old index knew only `seedlings`
    assert column(db, match + "'tomato'") == ["m3"]
    db.execute("UPDATE memories SET content = 'Nothing grows' WHERE id = 'm2'")
    assert column(db, match + "'seedling'") == []
    db.execute("INSERT INTO memories_fts (memories_fts) VALUES ('integrity-check')")
    db.close()


def test_an_upgraded_file_is_upgraded_once(path: Path, before: dict[str, Rows]) -> None:
    migrate.upgrade(path, now=NOW)
    done = migrate.upgrade(path, now=NOW)
    assert done == migrate.Migration(before=migrate.head(), after=migrate.head(), copy=None)


def test_a_file_that_lost_its_version_row_is_adopted_again_unchanged(
    path: Path, adopted: Connection
) -> None:
    rows = contents(adopted)
    adopted.execute(f"DELETE FROM {migrate.VERSION_TABLE}")
    adopted.close()
    migrate.upgrade(path, now=NOW)
    db = connect(path)
    assert contents(db) == rows
    assert migrate.drift(path) == []
    db.close()


def test_old_columns_and_tables_that_we_do_not_know_are_kept(adopted: Connection) -> None:
    assert pairs(adopted, "SELECT id, mood FROM memories") == {"m1": None, "m2": "calm", "m3": None}
    assert column(adopted, "SELECT sent_to_posthog FROM telemetry_events") == [1]
    assert column(adopted, "SELECT note FROM path_notes JOIN memories m ON m.id = memory_id") == [
        "kept as it is"
    ]
    assert column(adopted, "SELECT id FROM pinned_memories") == ["m1"]
    assert column(adopted, "SELECT \"table\" FROM pragma_foreign_key_list('path_notes')") == [
        "memories"
    ]
    own = "SELECT version FROM schema_migrations WHERE checksum <> 'not-run'"
    assert column(adopted, own) == [2, 8, 30, 43]


def test_agents_of_the_old_file_stay_as_they_are(adopted: Connection) -> None:
    found = pairs(
        adopted, "SELECT id, name || ' ' || read_policy FROM agents WHERE name IS NOT NULL"
    )
    assert found == {"default": "Gardener shared"}
    assert column(adopted, "SELECT read_policy FROM agents WHERE id = 'helper'") == ["group"]


def test_audit_rows_and_history_refer_to_no_memory(adopted: Connection) -> None:
    assert column(adopted, "SELECT memory_id FROM memory_history ORDER BY id") == ["m1", "system"]
    for table in ("memory_history", "memory_jobs"):
        assert adopted.execute(f"PRAGMA foreign_key_list({table})").fetchall() == []


def test_the_newest_vector_of_a_memory_is_its_first_passage(adopted: Connection) -> None:
    assert pairs(adopted, "SELECT id, ordinal FROM embeddings") == {"e1": 0, "e2": 1, "e3": 0}


def test_entities_of_one_name_become_one_with_all_links(adopted: Connection) -> None:
    row = adopted.execute("SELECT * FROM entities WHERE canonical_name = 'greenhouse'").fetchone()
    assert (row["id"], row["mentions"], row["description"]) == ("n1", 4, "Where seedlings grow")
    links = "SELECT memory_id, entity_id FROM memory_entity_mentions"
    assert pairs(adopted, links) == {"m1": "n1", "m2": "n1"}
    relation = adopted.execute("SELECT * FROM relations").fetchall()
    assert [(r["id"], r["source_entity_id"], r["mentions"]) for r in relation] == [("r1", "n1", 2)]
    assert column(adopted, "SELECT id FROM entity_aspects") == ["a1"]
    assert column(adopted, "SELECT id FROM entity_dependencies") == ["p1"]
    assert column(
        adopted, "SELECT name FROM entities_fts WHERE entities_fts MATCH 'greenhouse'"
    ) == ["Greenhouse"]


def test_attributes_find_their_entity_and_repeat_no_value(adopted: Connection) -> None:
    found = {row["id"]: row for row in adopted.execute("SELECT * FROM entity_attributes")}
    assert {key: row["entity_id"] for key, row in found.items()} == {
        "x1": "n1",  # of its aspect
        "x2": "n1",  # of its merged aspect
        "x3": "n3",  # named by its open job
        "x4": "n1",  # mentioned by its memory
    }
    assert (found["x1"]["status"], found["x2"]["status"]) == ("active", "superseded")
    assert (found["x2"]["aspect_id"], found["x2"]["superseded_by"]) == ("a1", "x1")


def test_pinned_entities_get_a_pin(adopted: Connection) -> None:
    pins = adopted.execute("SELECT entity_id, pin_type, created_at FROM entity_pinning").fetchall()
    assert [tuple(pin) for pin in pins] == [("n3", "pin", "2025-03-01")]


def test_every_old_job_is_finished_or_can_be_reached(adopted: Connection) -> None:
    rows = {
        row["id"]: row for row in adopted.execute("SELECT * FROM memory_jobs WHERE id GLOB 'j-*'")
    }
    assert {key: row["status"] for key, row in rows.items()} == {
        "j-done": "completed",
        "j-undated": "completed",
        "j-open": "pending",
        "j-again": "pending",
        "j-used-up": "dead",
        "j-leased": "pending",
        "j-stuck": "dead",
        "j-failed": "pending",
        "j-dead": "dead",
        "j-stub": "pending",
        "j-stub-too": "pending",
    }
    open_rows = [row for row in rows.values() if row["status"] == "pending"]
    assert {(row["due_ms"], row["leased_at"], row["lease_token"]) for row in open_rows} == {
        (NOW_MS, None, 0)
    }
    queues = {row["job_type"]: row["queue"] for row in open_rows}
    assert queues.pop("extract") == "llm"
    assert set(queues.values()) <= {"hints", "structure"}
    assert rows["j-undated"]["completed_at"] == "2025-01-01"
    assert rows["j-dead"]["failed_at"] == "2025-01-02"
    used_up, stuck = rows["j-used-up"], rows["j-stuck"]
    assert (used_up["error"], used_up["last_error_code"]) == ("no answer", "exhausted")
    assert (used_up["failed_at"], stuck["failed_at"]) == ("2025-01-02", NOW_TEXT)
    assert stuck["error"] == "All attempts were used up before completion."
    assert '"text":"timeout"' in rows["j-again"]["errors"]


def test_old_open_jobs_of_one_target_stay_apart_but_block_new_ones(adopted: Connection) -> None:
    keys = pairs(
        adopted,
        "SELECT id, dedupe_key FROM memory_jobs WHERE status = 'pending' AND id GLOB 'j-*'",
    )
    assert keys == {
        "j-open": "extract:m1",
        "j-again": None,
        "j-leased": "extract:m2",
        "j-failed": None,
        "j-stub": None,
        "j-stub-too": None,
    }


def test_a_memory_whose_extraction_died_at_adoption_is_marked(adopted: Connection) -> None:
    status = pairs(adopted, "SELECT id, extraction_status FROM memories")
    assert status == {"m1": "none", "m2": "none", "m3": "failed"}  # m2 has another try


def test_summary_jobs_speak_our_states(adopted: Connection) -> None:
    assert pairs(adopted, "SELECT id, status FROM summary_jobs") == {
        "s-done": "done",
        "s-dead": "failed",
        "s-stuck": "pending",
        "s-open": "pending",
    }


def test_an_old_session_is_carried_on_by_the_queue(adopted: Connection) -> None:
    rows = adopted.execute(
        "SELECT id, status, queue, dedupe_key, attempts FROM memory_jobs WHERE job_type = 'summarize'"
        " ORDER BY id"
    )
    assert [tuple(row) for row in rows] == [
        ("s-dead", "dead", "sessions", "summarize:default:k2", 3),
        ("s-open", "pending", "sessions", "summarize:default:k4", 0),
        ("s-stuck", "pending", "sessions", "summarize:default:k3", 1),
    ]


def test_results_of_sessions_move_to_their_own_table(adopted: Connection) -> None:
    results = pairs(adopted, "SELECT id, session_key FROM predictor_session_comparisons")
    assert results == {"c1": "k1#c1", "c2": "k1"}


def test_the_newest_map_of_each_size_is_kept(adopted: Connection) -> None:
    assert pairs(adopted, "SELECT dimensions, result_json FROM umap_cache") == {2: "[2]"}


def test_old_tasks_keep_their_rights_and_new_ones_get_none(adopted: Connection) -> None:
    adopted.execute(
        "INSERT INTO scheduled_tasks (id, name, prompt, cron_expression, harness, created_at, updated_at)"
        " VALUES ('t2', 'n', 'p', '* * * * *', 'codex', '', '')"
    )
    assert pairs(adopted, "SELECT id, skip_permissions FROM scheduled_tasks") == {"t1": 1, "t2": 0}


def test_a_vector_table_is_left_alone(path: Path) -> None:
    upstream.write(path, 8).close()
    db = connect(path)
    try:
        db.execute(
            "CREATE VIRTUAL TABLE vec_embeddings USING vec0(id TEXT PRIMARY KEY, embedding FLOAT[4])"
        )
    except sqlite.OperationalError:
        pytest.skip("sqlite-vec cannot be loaded here")
    db.execute("INSERT INTO vec_embeddings VALUES ('e1', '[1, 0, 0, 0]'), ('e3', '[0, 1, 0, 0]')")
    db.close()
    migrate.upgrade(path, now=NOW)
    db = connect(path)
    near = "SELECT id FROM vec_embeddings WHERE embedding MATCH '[0, 1, 0, 0]' AND k = 1"
    assert column(db, near) == ["e3"]
    db.close()


def test_rows_without_a_hash_get_one_unless_an_older_row_says_the_same(path: Path) -> None:
    old = upstream.write(path, 43)
    old.executescript(
        """
        INSERT INTO memories (id, content, created_at, updated_at, is_deleted, deleted_at) VALUES
          ('bare', 'The well is 12 m deep', '2025-03-01', '2025-03-01', 0, NULL),
          ('same', ' the well  is 12 m deep. ', '2025-03-02', '2025-03-02', 0, NULL),
          ('gone', 'The well is 12 m deep', '2025-03-02', '2025-03-02', 1, '2025-03-03'),
          ('torn', CAST(x'ff00fe' AS TEXT), '2025-03-02', '2025-03-02', 0, NULL);
        """
    )
    old.commit()
    old.close()
    migrate.upgrade(path, now=NOW)
    db = connect(path)
    found = pairs(db, "SELECT id, content_hash FROM memories WHERE created_at GLOB '2025-03-0*'")
    db.close()
    expected = wording.content_hash("The well is 12 m deep")
    assert (found["bare"], found["same"], found["gone"]) == (expected, None, expected)
    assert len(str(found["torn"])) == 64
