"""How a file is brought to the newest schema: once, with a copy, or not at all (SCH-1, SCH-2)."""

import hashlib
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

from migrations import upstream
from signet.db import migrate
from signet.db.driver import connect, sqlite
from signet.resources import alembic_dir
from support.database import fresh_database
from support.processes import PATIENCE_SECONDS

pytestmark = pytest.mark.sqlite_file

NOW = datetime(2026, 5, 1, 6, 30, tzinfo=UTC)

#: What each released revision makes of an empty file. A revision is never edited after its release: files made by
#: it exist. Until then, record the new digest here together with the edit.
RECORDED = {
    "0024": "297bca9633f80722",
    "0025": "c8f151cd05c2b4bf",
    "0026": "48e069134067448a",
    "0027": "48e069134067448a",
}


def statements(path: Path, *sql: str) -> list[tuple[object, ...]]:
    db = connect(path)
    rows = [tuple(row) for text in sql for row in db.execute(text)]
    db.close()
    return rows


def bytes_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_new_file_is_made_without_a_copy(tmp_path: Path) -> None:
    path = tmp_path / "memory" / "memories.db"
    done = migrate.upgrade(path, now=NOW)
    assert done == migrate.Migration(before=None, after=migrate.head(), copy=None)
    assert migrate.is_current(path)
    assert migrate.drift(path) == []


def test_a_second_upgrade_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "memories.db"
    migrate.upgrade(path, now=NOW)
    before = bytes_of(path)
    done = migrate.upgrade(path, now=NOW)
    assert done == migrate.Migration(before=migrate.head(), after=migrate.head(), copy=None)
    assert bytes_of(path) == before


def test_no_file_and_an_empty_file_have_no_revision(tmp_path: Path) -> None:
    path = tmp_path / "memories.db"
    assert migrate.current(path) is None
    path.touch()
    assert migrate.current(path) is None
    assert not migrate.is_current(path)
    assert migrate.upgrade(path, now=NOW).copy is None


def test_the_newest_revision_is_the_one_alembic_finds() -> None:
    # Every process of a run reads this file, and would take longer for these than for all tests in it.
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(alembic_dir()))
    script = ScriptDirectory.from_config(config)
    assert script.get_heads() == [migrate.head()]


def test_every_revision_is_recorded() -> None:
    assert list(RECORDED) == migrate._revisions()


@pytest.mark.parametrize("revision", RECORDED)
def test_a_released_revision_still_makes_the_same_schema(tmp_path: Path, revision: str) -> None:
    path = tmp_path / "memories.db"
    migrate._run_revisions(path, NOW, to=revision)
    found = migrate.schema(path)
    del found[f"table {migrate.VERSION_TABLE}"]  # its text is the migration library's
    text = "\n".join(found.values())
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == RECORDED[revision]


def test_asking_for_the_revision_loads_no_migration_library(tmp_path: Path) -> None:
    path = fresh_database(tmp_path / "memories.db")
    program = (
        "import sys; from pathlib import Path; from signet.db import migrate;"
        "assert migrate.is_current(Path(sys.argv[1]));"
        "print(sorted({'alembic', 'mako'} & set(sys.modules)))"
    )
    environment = {"PYTHONPATH": ":".join(sys.path)}
    ran = subprocess.run(
        [sys.executable, "-c", program, str(path)], env=environment, capture_output=True, text=True
    )
    assert (ran.stdout, ran.stderr) == ("[]\n", "")


def test_processes_that_start_together_migrate_once(tmp_path: Path) -> None:
    path = tmp_path / "memories.db"
    upstream.write(path, 30).close()
    program = (
        "import sys; from pathlib import Path; from datetime import datetime, UTC; from signet.db import migrate;"
        "print(migrate.upgrade(Path(sys.argv[1]), now=datetime.now(UTC)).copy is not None)"
    )
    environment = {"PYTHONPATH": ":".join(sys.path)}
    command = [sys.executable, "-c", program, str(path)]
    running = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) for _ in range(3)]
    said = sorted(process.communicate(timeout=PATIENCE_SECONDS)[0] for process in running)
    assert said == [b"False\n", b"False\n", b"True\n"]
    assert len(list(tmp_path.glob("*.bak-*"))) == 1


def test_a_file_of_a_newer_program_is_refused_and_not_touched(tmp_path: Path) -> None:
    path = fresh_database(tmp_path / "memories.db")
    statements(path, f"UPDATE {migrate.VERSION_TABLE} SET version_num = '0999'")
    before = bytes_of(path)
    copies = [
        path.with_name(f"{path.name}.bak-v{version}-20260{month}01T000000Z")
        for month, version in ((1, "0023"), (2, migrate.head()), (3, "0998"))
    ]
    for copy in copies:
        copy.touch()
    with pytest.raises(migrate.SchemaTooNew, match=f"before the upgrade is {copies[1]}"):
        migrate.current(path)
    for copy in copies:
        copy.unlink()
    for ask in (migrate.current, migrate.is_current, lambda p: migrate.upgrade(p, now=NOW)):
        with pytest.raises(migrate.SchemaTooNew, match=f"0999.*{migrate.head()}"):
            ask(path)
    assert bytes_of(path) == before
    assert not list(tmp_path.glob("*.bak-*"))


def test_a_file_that_is_no_database_is_refused_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "memories.db"
    path.write_bytes(
        b"These are my notes, and they are longer than the head of a database file. " * 10
    )
    before = bytes_of(path)
    with pytest.raises(migrate.MigrationFailed, match="cannot be read"):
        migrate.upgrade(path, now=NOW)
    assert bytes_of(path) == before


def test_the_copy_is_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "memories.db"
    upstream.write(path, 30).close()
    path.chmod(0o600)
    count = "SELECT count(*), max(content) FROM memories"
    before = statements(path, count)
    copy = migrate.upgrade(path, now=NOW).copy
    assert copy == tmp_path / "memories.db.bak-v30-20260501T063000Z"
    assert copy.stat().st_mode & 0o777 == 0o600
    assert statements(copy, count) == before
    assert migrate.current(copy) is None
    found = "SELECT content FROM memories WHERE rowid IN (SELECT rowid FROM memories_fts WHERE memories_fts MATCH ?)"
    old = sqlite.connect(str(copy))
    assert old.execute(found, ("propane",)).fetchall() == [
        ("The greenhouse heater runs on propane",)
    ]
    old.close()


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "memory").write_text("a file where the folder should be")
    with pytest.raises(migrate.MigrationFailed, match="cannot be written"):
        migrate.upgrade(tmp_path / "memory" / "memories.db", now=NOW)


def test_two_copies_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "memories.db"
    (tmp_path / "memories.db.bak-v2-20200101T000000Z.part").write_text(
        "a copy cut short by a crash"
    )
    for day in range(4):
        path.unlink(missing_ok=True)
        upstream.write(path, (30, 2, 8, 43)[day]).close()
        migrate.upgrade(path, now=NOW + timedelta(days=day))
    assert sorted(copy.name for copy in tmp_path.glob("*.bak-*")) == [
        "memories.db.bak-v43-20260504T063000Z",
        "memories.db.bak-v8-20260503T063000Z",
    ]


class Disk(NamedTuple):
    total: int
    used: int
    free: int


def test_no_copy_is_made_when_the_disk_is_nearly_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "memories.db"
    upstream.write(path, 30).close()
    free = 2 * path.stat().st_size - 1
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Disk(0, 0, free))
    assert migrate.upgrade(path, now=NOW).copy is None
    assert migrate.is_current(path)
    assert not list(tmp_path.glob("*.bak-*"))


def test_sessions_of_gemini_get_the_name_of_its_harness(tmp_path: Path) -> None:
    path = tmp_path / "memories.db"
    migrate._run_revisions(path, NOW, to="0026")
    insert = """
        INSERT INTO backfill_sessions
               (agent_id, session_key, harness, path, bytes, changed_at, state, by_model, asked_at)
        VALUES ('default', 'g1', 'gemini', '/s', 1, '', 'read', 0, '')"""
    statements(path, insert)
    migrate.upgrade(path, now=NOW)
    assert statements(path, "SELECT harness FROM backfill_sessions") == [("gemini-cli",)]


def test_a_failure_leaves_the_file_as_it_was_and_can_be_repaired(tmp_path: Path) -> None:
    path = tmp_path / "memories.db"
    db = upstream.write(path, 30)
    # Two rows may not share a key that upstream never let them share: something else wrote here.
    db.execute("DROP INDEX idx_memories_idempotency_key")
    db.execute("UPDATE memories SET idempotency_key = 'same'")
    db.close()
    master = "SELECT name, sql FROM sqlite_master ORDER BY name"
    rows = "SELECT * FROM memories"
    before = statements(path, master, rows)
    with pytest.raises(migrate.MigrationFailed, match="not changed: UNIQUE"):
        migrate.upgrade(path, now=NOW)
    assert statements(path, master, rows) == before
    statements(path, "UPDATE memories SET idempotency_key = NULL")
    migrate.upgrade(path, now=NOW)
    assert migrate.drift(path) == []


def test_a_database_that_another_program_writes_to_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("signet.db.driver.READ_WAIT_MS", 50)
    path = tmp_path / "memories.db"
    other = upstream.write(path, 2)
    other.execute("PRAGMA journal_mode = WAL")
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(migrate.MigrationFailed, match="database is locked"):
        migrate.upgrade(path, now=NOW)
    other.execute("ROLLBACK")
    other.close()
    assert migrate.upgrade(path, now=NOW).after == migrate.head()


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("DROP TRIGGER memories_bd", "trigger memories_bd is missing"),
        ("DROP INDEX idx_memory_jobs_due", "index idx_memory_jobs_due is missing"),
        ("ALTER TABLE memories DROP COLUMN why", "table memories differs"),
    ],
)
def test_drift_names_what_is_missing(tmp_path: Path, damage: str, said: str) -> None:
    path = fresh_database(tmp_path / "memories.db")
    statements(path, damage)
    assert migrate.drift(path) == [said]


def test_drift_names_what_is_different_and_ignores_what_is_added(tmp_path: Path) -> None:
    path = fresh_database(tmp_path / "memories.db")
    statements(
        path,
        "CREATE TABLE guests (id TEXT)",
        "ALTER TABLE memories ADD COLUMN mood TEXT",
        "DROP INDEX idx_memories_scope",
        "CREATE INDEX idx_memories_scope ON memories (scope)",
    )
    assert migrate.drift(path) == ["index idx_memories_scope differs"]
