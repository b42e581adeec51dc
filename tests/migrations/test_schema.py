"""What a new file holds and what it refuses."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from signet.db.driver import Connection, connect, sqlite
from support.database import fresh_database

pytestmark = pytest.mark.sqlite_file

AT = "2026-01-01T00:00:00.000Z"

#: Columns that the product's documents name, by table; the rest of each table serves them.
PROMISED = {
    "agent_feedback": "memory_id session_id feedback_type correction_text actor created_at",
    "agents": "id name read_policy policy_group created_at updated_at",
    "community_runs": "agent_id modularity quality graph_signature ran_at",
    "connectors": "id provider display_name config_json cursor_json status last_sync_at last_error",
    "conversations": "id session_id harness started_at ended_at summary topics decisions vector_clock version",
    "document_memories": "document_id memory_id chunk_index",
    "documents": "id source_url source_type content_hash raw_content status connector_id chunk_count metadata_json",
    "embeddings": "id content_hash vector dimensions source_type source_id chunk_text created_at",
    "entities": "name entity_type description canonical_name mentions embedding agent_id community_id pinned_at",
    "entity_aspects": "entity_id aspect_name canonical_name description confidence weight",
    "entity_attributes": "aspect_id entity_id attribute_key attribute_value confidence source_memory_id kind status",
    "entity_communities": "id agent_id name cohesion member_count created_at updated_at",
    "entity_dependencies": "source_entity_id target_entity_id dependency_type strength reason metadata",
    "entity_pinning": "entity_id pin_type weight_override reason created_at",
    "error_events": "seq timestamp stage code message request_id memory_id actor",
    "ingestion_jobs": "id source_path source_type file_hash status chunks_total started_at",
    "memories": "id type category content normalized_content content_hash confidence importance source_id"
    " source_type source_path source_section tags who why project session_id created_at updated_at updated_by"
    " last_accessed access_count vector_clock version manual_override pinned is_deleted deleted_at"
    " extraction_status embedding_model extraction_model update_count idempotency_key runtime_path scope agent_id"
    " visibility",
    "memories_cold": "archive_id memory_id content original_created_at archived_at cold_source_id original_row_json",
    "memory_entity_mentions": "memory_id entity_id mention_text confidence created_at",
    "memory_hints": "id memory_id agent_id hint created_at",
    "memory_history": "id memory_id event old_content new_content changed_by reason metadata actor_type request_id",
    "memory_jobs": "id memory_id document_id job_type status payload result attempts max_attempts leased_at"
    " completed_at failed_at error queue priority due_ms dedupe_key lease_owner lease_token lease_until_ms crashes"
    " runs_total last_error_code errors cancel_requested agent_id parent_id",
    "predictor_session_comparisons": "session_key predictor_ndcg baseline_ndcg predictor_won margin alpha counted",
    "predictor_state": "agent_id success_rate alpha cold_start_exited judged_since last_rollback",
    "predictor_training_log": "model_version loss sample_count duration_ms canary_topk_churn accepted reason",
    "processes": "owner kind pid started_at beat_ms lock_inode busy queues",
    "provider_outcomes": "provider kind outcome error at",
    "rate_limit_events": "key at",
    "relations": "source_entity_id target_entity_id relation_type strength mentions confidence metadata updated_at",
    "repair_runs": "action last_run_at window_started_at runs_in_window halted ineffective",
    "runtime_counters": "process boot_id name key value",
    "scheduled_tasks": "id name prompt cron_expression harness working_directory enabled next_run_at skill_mode",
    "schema_migrations": "version applied_at checksum",
    "schema_migrations_audit": "id version applied_at duration_ms checksum",
    "session_checkpoints": "session_key trigger digest prompt_count focal_entity_ids active_aspect_ids",
    "session_memories": "session_key memory_id source final_score rank was_injected path_json",
    "session_scores": "session_key project score confidence memories_recalled continuity_reasoning",
    "session_summaries": "id project depth kind content token_count earliest_at latest_at session_key",
    "session_summary_children": "parent_id child_id ordinal",
    "session_summary_memories": "summary_id memory_id",
    "session_transcripts": "agent_id session_key content harness project created_at updated_at",
    "skill_meta": "entity_id agent_id version source role triggers enriched installed_at use_count fs_path",
    "summary_jobs": "session_id harness transcript status result_path attempts agent_id lease_owner lease_token",
    "task_meta": "entity_id task_type priority status due_at context_json retention_until",
    "task_runs": "id task_id status started_at completed_at exit_code stdout stderr error",
    "telemetry_events": "id event timestamp properties created_at",
    "tokens": "jti sub role scope_json issued_at expires_at revoked_at",
    "umap_cache": "id dimensions embedding_count result_json cached_at",
}


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Connection]:
    connection = connect(fresh_database(tmp_path / "memories.db"))
    yield connection
    connection.close()


def remember(db: Connection, memory_id: str, content: str = "text", **columns: object) -> None:
    values = {"id": memory_id, "content": content, "created_at": AT, "updated_at": AT, **columns}
    insert(db, "memories", **values)


def insert(db: Connection, table: str, **values: object) -> None:
    marks = ", ".join("?" * len(values))
    db.execute(
        f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", tuple(values.values())
    )


def add_entity(db: Connection, entity_id: str, canonical: str, agent: str = "default") -> None:
    insert(
        db,
        "entities",
        id=entity_id,
        name=canonical.title(),
        canonical_name=canonical,
        entity_type="thing",
        agent_id=agent,
        created_at=AT,
        updated_at=AT,
    )


def search(db: Connection, words: str) -> list[str]:
    found = db.execute(
        "SELECT m.id FROM memories_fts JOIN memories m ON m.seq = memories_fts.rowid"
        " WHERE memories_fts MATCH ? ORDER BY m.id",
        (words,),
    )
    return [row[0] for row in found]


@pytest.mark.parametrize("table", sorted(PROMISED))
def test_a_new_file_has_every_promised_column(db: Connection, table: str) -> None:
    found = {row["name"] for row in db.execute(f"PRAGMA table_info({table})")}
    assert set(PROMISED[table].split()) - found == set()


def test_every_table_of_an_agent_has_an_index_that_starts_with_it(db: Connection) -> None:
    tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    missing = []
    for table in tables:
        agent = [row for row in db.execute(f"PRAGMA table_info({table})") if row[1] == "agent_id"]
        if (
            not agent or table == "memory_jobs"
        ):  # a job's agent is for show and fairness, never looked up
            continue
        indexes = [row["name"] for row in db.execute(f"PRAGMA index_list({table})")]
        firsts = [db.execute(f"PRAGMA index_info({name})").fetchone()["name"] for name in indexes]
        if "agent_id" not in firsts:
            missing.append(table)
    assert missing == []


def test_a_new_file_is_in_wal_mode_and_vacuums_incrementally(db: Connection) -> None:
    assert db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    assert db.execute("PRAGMA auto_vacuum").fetchone()[0] == 2


def test_the_default_agent_shares_from_the_start(db: Connection) -> None:
    row = db.execute("SELECT read_policy FROM agents WHERE id = 'default'").fetchone()
    assert row["read_policy"] == "shared"


def test_two_active_memories_of_one_owner_cannot_have_one_hash(db: Connection) -> None:
    remember(db, "a", content_hash="h")
    with pytest.raises(sqlite.IntegrityError):
        remember(db, "b", content_hash="h")
    remember(db, "b", content_hash="h", is_deleted=1)
    remember(db, "c", content_hash="h", agent_id="other")
    remember(db, "d", content_hash="h", scope="lab")
    remember(db, "e", content_hash="h", visibility="private")


def test_an_idempotency_key_is_used_once_by_an_agent(db: Connection) -> None:
    remember(db, "a", idempotency_key="k")
    with pytest.raises(sqlite.IntegrityError):
        remember(db, "b", idempotency_key="k")
    remember(db, "b", idempotency_key="k", agent_id="other")


def test_full_text_follows_every_change_of_the_text(db: Connection) -> None:
    remember(db, "a", "The kettle is boiling")
    remember(db, "b", "The kettles are cold")
    assert search(db, "kettle") == ["a", "b"]
    db.execute("UPDATE memories SET content = 'A teapot' WHERE id = 'a'")
    db.execute("UPDATE memories SET access_count = 5, is_deleted = 1 WHERE id = 'b'")
    assert (search(db, "kettle"), search(db, "teapot")) == (["b"], ["a"])
    db.execute("DELETE FROM memories WHERE id = 'b'")
    assert search(db, "kettle") == []
    db.execute("INSERT INTO memories_fts (memories_fts) VALUES ('integrity-check')")


def test_bumping_a_counter_leaves_the_full_text_index_alone(db: Connection) -> None:
    remember(db, "a", "The kettle is boiling")
    before = db.total_changes
    db.execute("UPDATE memories SET access_count = 1, last_accessed = ? WHERE id = 'a'", (AT,))
    assert db.total_changes - before == 1  # the row: a memory that is used has not changed


def test_full_text_survives_a_vacuum_after_deletes(db: Connection) -> None:
    for number in range(20):
        remember(db, f"m{number}", f"Word{number} stands here")
    db.execute("DELETE FROM memories WHERE seq % 3 = 0")
    db.execute("VACUUM")
    assert search(db, '"word 18"') == ["m18"]
    db.execute("INSERT INTO memories_fts (memories_fts) VALUES ('integrity-check')")


def test_hints_and_entities_have_full_text_too(db: Connection) -> None:
    remember(db, "a")
    insert(db, "memory_hints", id="h", memory_id="a", hint="Who boils water?", created_at=AT)
    add_entity(db, "e", "kettle")
    db.execute("UPDATE entities SET name = 'Samovar' WHERE id = 'e'")
    db.execute("UPDATE memory_hints SET hint = 'Who drinks tea?'")
    hits = "SELECT count(*) FROM {0} WHERE {0} MATCH ?"
    for table, word, expected in (
        ("memory_hints_fts", "boil", 0),
        ("memory_hints_fts", "drinking", 1),
        ("entities_fts", "samovar", 1),
        ("entities_fts", "name:kettle", 0),
    ):
        assert db.execute(hits.format(table), (word,)).fetchone()[0] == expected, (table, word)
    db.execute("DELETE FROM memory_hints")
    db.execute("DELETE FROM entities")
    for table in ("memory_hints_fts", "entities_fts"):
        db.execute(f"INSERT INTO {table} ({table}) VALUES ('integrity-check')")


def test_two_agents_may_know_one_name_and_one_agent_knows_it_once(db: Connection) -> None:
    add_entity(db, "e1", "kettle")
    add_entity(db, "e2", "kettle", agent="other")
    with pytest.raises(sqlite.IntegrityError):
        add_entity(db, "e3", "kettle")


def test_an_entity_has_one_pin_of_a_known_type(db: Connection) -> None:
    insert(db, "entity_pinning", id="p1", entity_id="e", pin_type="pin", created_at=AT)
    with pytest.raises(sqlite.IntegrityError):
        insert(db, "entity_pinning", id="p2", entity_id="f", pin_type="x", created_at=AT)
    with pytest.raises(sqlite.IntegrityError):
        insert(db, "entity_pinning", id="p3", entity_id="e", pin_type="suppress", created_at=AT)


JOB = {
    "id": "j",
    "job_type": "extract",
    "queue": "llm",
    "due_ms": 0,
    "created_at": AT,
    "updated_at": AT,
}
LEASE = {"status": "leased", "lease_owner": "w", "lease_token": 1, "lease_until_ms": 9}


@pytest.mark.parametrize(
    "state",
    [
        {},
        LEASE,
        {"status": "completed", "completed_at": AT},
        {"status": "dead", "failed_at": AT},
        {"status": "failed"},
    ],
)
def test_a_job_may_be_in_a_known_state(db: Connection, state: dict[str, object]) -> None:
    insert(db, "memory_jobs", **JOB, **state)


@pytest.mark.parametrize(
    "state",
    [
        {"status": "running"},
        {"priority": 3},
        {"lease_owner": "w"},
        {"lease_until_ms": 9},
        {**LEASE, "lease_owner": None},
        {**LEASE, "lease_until_ms": None},
        {**LEASE, "lease_token": 0},
        {"status": "completed"},
        {"completed_at": AT},
        {"status": "dead"},
        {"failed_at": AT},
    ],
)
def test_a_job_cannot_be_in_an_illegal_state(db: Connection, state: dict[str, object]) -> None:
    with pytest.raises(sqlite.IntegrityError, match="CHECK"):
        insert(db, "memory_jobs", **{**JOB, **state})


def test_a_target_has_one_open_job(db: Connection) -> None:
    insert(db, "memory_jobs", **JOB, dedupe_key="extract:m")
    with pytest.raises(sqlite.IntegrityError):
        insert(db, "memory_jobs", **{**JOB, "id": "j2"}, dedupe_key="extract:m")
    db.execute("UPDATE memory_jobs SET status = 'completed', completed_at = ?", (AT,))
    insert(db, "memory_jobs", **{**JOB, "id": "j2"}, dedupe_key="extract:m")


def test_a_claim_is_one_seek_in_the_index_of_open_jobs(db: Connection) -> None:
    plan = db.execute(
        "EXPLAIN QUERY PLAN SELECT id FROM memory_jobs WHERE status = 'pending' AND queue = ? AND priority = 0"
        " AND due_ms <= ? ORDER BY due_ms, id LIMIT 8",
        ("llm", 1),
    ).fetchall()
    assert [row["detail"] for row in plan] == [
        "SEARCH memory_jobs USING COVERING INDEX idx_memory_jobs_due (queue=? AND priority=? AND due_ms<?)"
    ]


WRITER = """
import sys
from pathlib import Path
from signet.db.driver import connect
path, name = Path(sys.argv[1]), sys.argv[2]
db = connect(path)
db.execute("PRAGMA busy_timeout = 30000")
for n in range(334):
    db.execute("BEGIN IMMEDIATE")
    key = f"{name}-{n - n % 4}"
    if n % 4 == 0:
        db.execute("INSERT INTO memories (id, content, created_at, updated_at) VALUES (?, 'new ' || ?, '', '')",
                   (key, name))
    elif n % 4 == 1:
        db.execute("UPDATE memories SET content = 'changed ' || id WHERE id = ?", (key,))
    elif n % 4 == 2:
        db.execute("UPDATE memories SET access_count = access_count + 1 WHERE id = ?", (key,))
    else:
        db.execute("DELETE FROM memories WHERE id = ? AND seq % 2 = 0", (key,))
    db.execute("COMMIT")
"""


def test_a_thousand_writes_of_three_processes_leave_the_file_whole(tmp_path: Path) -> None:
    path = fresh_database(tmp_path / "memories.db")
    command = [sys.executable, "-c", WRITER, str(path)]
    environment = {"PYTHONPATH": ":".join(sys.path)}
    running = [subprocess.Popen([*command, name], env=environment) for name in "abc"]
    assert [process.wait(60) for process in running] == [0, 0, 0]
    db = connect(path)
    assert [row[0] for row in db.execute("PRAGMA integrity_check")] == ["ok"]
    db.execute("INSERT INTO memories_fts (memories_fts) VALUES ('integrity-check')")
    kept = db.execute("SELECT count(*) FROM memories").fetchone()[0]
    assert kept >= 3
    assert len(search(db, "new OR changed")) == kept
    db.close()
