"""An upgrade of a filled database, from every revision to a made-up next one: all rows stay, full text finds them."""

import ast
import contextlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from migrations import upstream
from signet.db import migrate
from signet.db.driver import Connection, connect
from signet.resources import alembic_dir

pytestmark = pytest.mark.sqlite_file

NOW = datetime(2026, 5, 1, 6, 30, tzinfo=UTC)
AT = "2026-04-01T00:00:00.000Z"

#: What the next revision could be: a new column, and the full text indexed again.
NEXT = """
from alembic import op

revision = "9000"
down_revision = "{}"


def upgrade() -> None:
    for statement in (
        "ALTER TABLE memories ADD COLUMN weather TEXT",
        "UPDATE memories SET weather = 'calm' WHERE id = 'en'",
        "INSERT INTO memories_fts (memories_fts) VALUES ('rebuild')",
    ):
        op.get_bind().exec_driver_sql(statement)
"""

#: Texts that only our views of the index find by these words.
TEXTS = {
    "zh": ("我们决定用Git保存配置文件", '"配置"'),
    "de": ("Die Straße zum Gewächshaus ist gesperrt", "Strasse"),
    "en": ("The irrigation pump starts at dawn", "pumps"),
}

#: Columns that a later revision dropped: their vectors are made anew.
DROPPED = {("episode_chunks", "model"), ("episode_chunks", "vector")}

Rows = list[tuple[object, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Upgraded:
    """A file that was upgraded: its columns and rows before, and what the upgrade reported."""

    path: Path
    revision: str
    before: dict[str, Rows]
    columns: dict[str, list[str]]
    done: migrate.Migration


@pytest.fixture(scope="module", params=migrate._revisions())
def upgraded(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Upgraded]:
    """Yield the newest form of a file of an earlier revision that had rows in every table."""
    folder = tmp_path_factory.mktemp("filled")
    path = filled(folder / "memories.db", request.param)
    with contextlib.closing(connect(path, read_only=True)) as db:
        known = {table: _kept(table, columns(db, table)) for table in tables(db)}
    before = contents(path, known)
    shutil.copytree(alembic_dir(), folder / "alembic")
    (folder / "alembic" / "versions" / "9000_next.py").write_text(NEXT.format(migrate.head()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(migrate, "alembic_dir", lambda: folder / "alembic")
        done = migrate.upgrade(path, now=NOW + timedelta(days=1))
        yield Upgraded(path=path, revision=request.param, before=before, columns=known, done=done)


def filled(path: Path, revision: str) -> Path:
    """Write a file of an earlier revision with rows in every table: adopted ones, and one in each that had none."""
    upstream.write(path, upstream.VERSIONS[-1]).close()
    migrate._run_revisions(path, NOW, to=revision)
    migrate._reserve(path, NOW)
    db = connect(path)
    db.execute("PRAGMA foreign_keys = OFF")
    db.execute("PRAGMA ignore_check_constraints = ON")
    for key, (text, _) in TEXTS.items():
        db.execute(
            "INSERT INTO memories (id, content, created_at, updated_at) VALUES (?, ?, ?, ?)",
            (key, text, AT, AT),
        )
    for table in tables(db):
        if db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 0:
            fill(db, table)
    db.close()
    return path


def tables(db: Connection) -> list[str]:
    """Return the ordinary tables of a file, but for the one that says its revision."""
    statement = (
        "SELECT name FROM pragma_table_list"
        " WHERE schema = 'main' AND type = 'table' AND name NOT GLOB 'sqlite_*' AND name <> ? ORDER BY name"
    )
    return [row[0] for row in db.execute(statement, (migrate.VERSION_TABLE,))]


def fill(db: Connection, table: str) -> None:
    """Insert one row with a value in each column."""
    values = {
        name: {"TEXT": f"{table}.{name}", "INTEGER": 7, "REAL": 0.25}.get(kind, b"\0" * 68)
        for _, name, kind, *_ in db.execute(f"PRAGMA table_info({table})")
    }
    marks = ", ".join("?" * len(values))
    names = ", ".join(values)
    db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(values.values()))


def _kept(table: str, names: list[str]) -> list[str]:
    return [name for name in names if (table, name) not in DROPPED]


def columns(db: Connection, table: str) -> list[str]:
    return [row[1] for row in db.execute(f"PRAGMA table_info({table})")]


def contents(path: Path, wanted: dict[str, list[str]]) -> dict[str, Rows]:
    """Return the rows of the given columns of the given tables."""
    db = connect(path, read_only=True)
    rows = {
        table: [
            tuple(row)
            for row in db.execute(f"SELECT {', '.join(names)} FROM {table} ORDER BY 1, 2")
        ]
        for table, names in wanted.items()
    }
    db.close()
    return rows


def test_every_row_of_every_table_stays(upgraded: Upgraded) -> None:
    assert all(upgraded.before.values()), "a table without rows rehearses nothing"
    assert upgraded.done.after == migrate.head()
    assert contents(upgraded.path, upgraded.columns) == upgraded.before
    assert migrate.drift(upgraded.path) == []


def test_full_text_is_right_afterwards(upgraded: Upgraded) -> None:
    db = connect(upgraded.path)
    for key, (_, words) in TEXTS.items():
        found = db.execute(
            "SELECT id FROM memories WHERE seq IN (SELECT rowid FROM memories_fts WHERE memories_fts MATCH ?)",
            (words,),
        )
        assert [row[0] for row in found] == [key]
    for index in ("memories_fts", "memory_hints_fts", "entities_fts", "episode_chunks_fts"):
        db.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('integrity-check', 1)")
    db.close()


def test_an_upgrade_keeps_a_copy_of_the_revision_before(upgraded: Upgraded) -> None:
    copy = upgraded.done.copy
    assert upgraded.done.before == upgraded.revision
    assert copy is not None
    assert migrate.current(copy) == upgraded.revision
    assert contents(copy, upgraded.columns) == upgraded.before


@pytest.mark.parametrize(
    "revision", sorted((alembic_dir() / "versions").glob("*.py")), ids=lambda path: path.stem
)
def test_a_released_revision_imports_nothing_of_the_product(revision: Path) -> None:
    named = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(revision.read_text("utf-8")))
        for name in _imported(node)
    }
    assert not {name for name in named if name.startswith("signet")}


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
