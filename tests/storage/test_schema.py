"""The schema on a PostgreSQL server: the same tables as in a file, and upgraded by the same revisions."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from migrations import postgres as written
from signet import engine
from signet.db import migrate
from signet.db.driver import connect
from signet.db.postgres import address, moving
from signet.db.postgres.schema import ServerUnfit
from signet.resources import alembic_dir
from storage.hosts import rows
from support import postgres

NOW = datetime(2026, 1, 1, tzinfo=UTC)
#: The revision with which the tables of PostgreSQL began.
FIRST = "0027"
VERSION = "SELECT version_num FROM signet_schema_version"
NEXT = "ALTER TABLE agents ADD COLUMN hue TEXT; UPDATE agents SET hue = 'red';"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """Return the path of a database that is on a server."""
    path, url = tmp_path / "memories.db", postgres.empty()
    engine.use(path, url)
    yield path
    engine.use(path, None)
    postgres.drop(url)


@pytest.fixture
def revisions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the revisions be a copy, which a test adds to."""
    copy = tmp_path / "alembic"
    shutil.copytree(alembic_dir(), copy)
    monkeypatch.setattr(migrate, "alembic_dir", lambda: copy)
    return copy / "versions"


def add(revisions: Path, number: str, script: str) -> None:
    (revisions / f"{number}_next.py").write_text("")
    (revisions / f"{number}_next.sql").write_text(script)


def test_the_tables_are_those_of_the_newest_schema() -> None:
    assert written.TABLES.read_text() == written.written()


def test_each_later_revision_has_statements_for_a_server() -> None:
    versions = alembic_dir() / "versions"
    later = [path for path in versions.glob("[0-9]*.py") if path.name[:4] > FIRST]
    assert [path for path in later if not path.with_suffix(".sql").exists()] == []


def test_a_database_on_a_server_is_upgraded_once(place: Path, revisions: Path) -> None:
    url = engine.url_of(place)
    assert url is not None
    assert migrate.upgrade(place, now=NOW).before is None
    first = migrate.head()
    add(revisions, "0098", NEXT)
    add(revisions, "0099", "DROP INDEX nothing;")
    with pytest.raises(ServerUnfit, match="nothing"):
        migrate.upgrade(place, now=NOW)
    assert rows(url, VERSION) == [(first,)]
    add(revisions, "0099", "-- nothing to do")
    assert [migrate.upgrade(place, now=NOW).before for _ in range(2)] == [first, "0099"]
    assert rows(url, VERSION) == [("0099",)]
    assert rows(url, "SELECT hue FROM agents") == [("red",)]


def test_a_database_of_a_newer_program_is_refused(
    place: Path, revisions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(revisions, "0099", NEXT)
    migrate.upgrade(place, now=NOW)
    monkeypatch.undo()
    with pytest.raises(migrate.SchemaTooNew):
        migrate.upgrade(place, now=NOW)
    with pytest.raises(migrate.SchemaTooNew):
        migrate.current(place)


EARLIER = [
    ("words_ranks", "DROP FUNCTION words_ranks"),
    ("mentions_counted", "DROP FUNCTION mentions_counted; DROP TABLE mentions_due CASCADE"),
    ("words.length", "ALTER TABLE words DROP COLUMN length CASCADE"),
    ("words.times", "ALTER TABLE words RENAME COLUMN times TO often"),
    ("memories_fts", "DROP VIEW memories_fts"),
    ("idx_memories_type", "DROP INDEX idx_memories_type"),
    ("memories_changed_ai", "DROP TRIGGER memories_changed_ai ON memories"),
    ("tokens", "DROP TABLE tokens"),
    ("memories.confidence", "ALTER TABLE memories RENAME COLUMN confidence TO sure"),
    ("sq_format", "ALTER FUNCTION sq_format(text) RENAME TO sq_form"),
]


@pytest.mark.parametrize(("lacking", "change"), EARLIER, ids=[name for name, _ in EARLIER])
def test_a_database_of_an_earlier_build_says_how_to_copy_it(
    place: Path, lacking: str, change: str
) -> None:
    url = engine.url_of(place)
    assert url is not None
    migrate.upgrade(place, now=NOW)
    migrate.upgrade(place, now=NOW)
    rows(url, change)
    told = rf"made by an earlier build.* lacks .*\b{lacking}\b.*signet storage move file"
    with pytest.raises(ServerUnfit, match=told):
        migrate.upgrade(place, now=NOW)
    with closing(moving.opened(url)) as server:
        copied = moving.write_file(server, place.with_name("copy.db"), now=NOW)
    assert copied.rows["agents"] == 1
    with closing(connect(place.with_name("copy.db"))) as file:
        assert file.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("FATAL:  password authentication failed for user", "refuses the password of ada"),
        ("fe_sendauth: no password supplied", "asks for a password of ada"),
    ],
)
def test_a_password_that_is_wrong_or_missing_is_named(said: str, told: str) -> None:
    found = address.password_fault("postgresql://ada@db.example/signet", said)
    assert found is not None and told in found
    assert "~/.pgpass (chmod 600) as HOST:PORT:signet:ada:PASSWORD" in found


def test_a_role_without_rights_is_told_the_line_that_helps() -> None:
    url = postgres.empty()
    role = postgres.name_of(url) + "_wren"
    try:
        admin = postgres.address(postgres.name_of(url), postgres.SUPERUSER)
        rows(admin, f'CREATE ROLE "{role}" LOGIN')
        weak = postgres.address(postgres.name_of(url), role)
        line = f'ALTER DATABASE "{postgres.name_of(url)}" OWNER TO "{role}"'
        with pytest.raises(ServerUnfit, match=f"the right CREATE in its schema.*{line}"):
            moving.opened(weak)
        rows(admin, line)
        moving.opened(weak).close()
    finally:
        postgres.drop(url)
        rows(postgres.address("postgres", postgres.SUPERUSER), f'DROP ROLE "{role}"')
