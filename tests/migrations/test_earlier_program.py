"""The earlier TypeScript program opens a database of ours and finds nothing to migrate; what it left is put right."""

import gzip
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from signet.db import migrate
from signet.db.driver import Connection, connect, sqlite
from support.database import fresh_database

pytestmark = pytest.mark.sqlite_file

NOW = datetime(2026, 5, 1, 6, 30, tzinfo=UTC)
UPSTREAM = Path(__file__).parents[3] / "shared" / "data" / "upstream-db" / "memories-0.58.1.db.gz"

#: What its steps 8 and 30 come to on our tables; the newest known number is 147.
STEPS = {
    8: """
DELETE FROM embeddings WHERE rowid NOT IN (SELECT min(rowid) FROM embeddings GROUP BY content_hash);
CREATE UNIQUE INDEX IF NOT EXISTS idx_embeddings_content_hash_unique ON embeddings (content_hash);""",
    30: """
CREATE TABLE memory_jobs_new (id TEXT PRIMARY KEY, memory_id TEXT, job_type TEXT NOT NULL, status TEXT);
INSERT INTO memory_jobs_new SELECT id, memory_id, job_type, status FROM memory_jobs;
DROP TABLE memory_jobs;
ALTER TABLE memory_jobs_new RENAME TO memory_jobs;""",
    **dict.fromkeys((1, 31, 56, 147), "SELECT 1;"),
}
VECTOR = (
    "INSERT INTO embeddings (id, content_hash, vector, dimensions, source_type, source_id, ordinal, chunk_text,"
    " created_at) VALUES (?, 'same', x'00000000', 1, 'memory', ?, 0, 'x', '2026-05-01')"
)


def pending_by_set(db: Connection) -> list[int]:
    """Return the steps that its newer versions would run: those whose number is missing."""
    done = {row[0] for row in db.execute("SELECT version FROM schema_migrations")}
    return [number for number in sorted(STEPS) if number not in done]


def pending_by_highest(db: Connection) -> list[int]:
    """Return the steps that its older versions would run: those above the highest number."""
    last = db.execute("SELECT max(version) FROM schema_migrations").fetchone()[0] or 0
    return [number for number in sorted(STEPS) if number > last]


Pending = Callable[[Connection], list[int]]


def opened_by_it(path: Path, pending: Pending) -> None:
    with closing(connect(path)) as db:
        for number in pending(db):
            db.executescript(STEPS[number])


def a_new_file(path: Path) -> None:
    fresh_database(path)


def a_file_that_is_there_already(path: Path) -> None:
    fresh_database(path)
    with closing(connect(path)) as db:
        db.execute("DELETE FROM schema_migrations")


def an_adopted_file(path: Path) -> None:
    if not UPSTREAM.exists():
        pytest.skip("a file of the earlier program is not part of a clone")
    path.write_bytes(gzip.decompress(UPSTREAM.read_bytes()))


@pytest.mark.parametrize("pending", [pending_by_set, pending_by_highest])
@pytest.mark.parametrize("make", [a_new_file, a_file_that_is_there_already, an_adopted_file])
def test_it_has_nothing_to_migrate_in_a_file_of_ours(
    tmp_path: Path, make: Callable[[Path], None], pending: Pending
) -> None:
    path = tmp_path / "memories.db"
    make(path)
    migrate.upgrade(path, now=NOW)
    before = migrate.schema(path)
    opened_by_it(path, pending)
    assert migrate.schema(path) == before
    assert migrate.compare(path) == migrate.Differences()
    with closing(connect(path)) as db:  # two memories may have one text
        db.execute(VECTOR, ("v1", "m1"))
        db.execute(VECTOR, ("v2", "m2"))


def test_its_own_record_of_an_adopted_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "memories.db"
    an_adopted_file(path)
    own = "SELECT version, applied_at, checksum FROM schema_migrations WHERE version <= 30"
    with closing(connect(path)) as db:
        before = [tuple(row) for row in db.execute(own)]
    migrate.upgrade(path, now=NOW)
    with closing(connect(path)) as db:
        assert [tuple(row) for row in db.execute(own)] == before
    assert len(before) == 30


def test_what_it_left_is_named_and_put_right_and_nothing_else(tmp_path: Path) -> None:
    path = fresh_database(tmp_path / "memories.db")
    with closing(connect(path)) as db:
        db.execute(VECTOR, ("v1", "m1"))
        db.executescript(
            STEPS[8]
            + """
            CREATE INDEX idx_theirs ON memories (who, type);
            CREATE TRIGGER theirs AFTER INSERT ON memories BEGIN SELECT 1; END;
            CREATE TABLE guests (id TEXT); CREATE UNIQUE INDEX idx_guests ON guests (id);
            DROP INDEX idx_memories_scope; CREATE INDEX idx_memories_scope ON memories (scope);
            DROP TRIGGER memories_bd;"""
        )
        with pytest.raises(sqlite.IntegrityError):
            db.execute(VECTOR, ("v2", "m2"))
    found = migrate.compare(path)
    assert found == migrate.Differences(
        missing=("trigger memories_bd",),
        differs=("index idx_memories_scope",),
        foreign=(
            "index idx_embeddings_content_hash_unique",
            "index idx_theirs",
            "trigger theirs",
        ),
        guards=("index idx_embeddings_content_hash_unique", "trigger theirs"),
    )
    assert "removed index idx_embeddings_content_hash_unique" in migrate.mend(path)
    assert migrate.compare(path) == migrate.Differences()
    assert migrate.mend(path) == []
    with closing(connect(path)) as db:
        db.execute(VECTOR, ("v2", "m2"))
        assert db.execute("SELECT count(*) FROM embeddings").fetchone()[0] == 2
        assert db.execute("SELECT name FROM sqlite_master WHERE name = 'idx_guests'").fetchone()


def test_an_index_that_does_not_fit_the_rows_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = fresh_database(tmp_path / "memories.db")
    with closing(connect(path)) as db:
        db.execute("DROP INDEX idx_embeddings_source")
        db.execute("CREATE INDEX idx_theirs ON memories (who)")
        db.execute(VECTOR, ("v1", "m1"))
        db.execute(VECTOR, ("v2", "m1"))
    before = migrate.schema(path)
    with pytest.raises(migrate.MigrationFailed, match="not changed: UNIQUE"):
        migrate.mend(path)
    assert migrate.schema(path) == before
