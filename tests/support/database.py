"""New databases for tests, quickly: the schema is built once and copied."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import NamedTuple

from signet import engine
from signet.db import migrate
from signet.db.driver import connect
from signet.files import locked, replace_file
from signet.paths import Workspace

#: When every test database was made.
MADE_AT = datetime(2026, 1, 1, tzinfo=UTC)
#: Names the database of processes that a test starts.
STORAGE_URL = "SIGNET_STORAGE_URL"
#: The process whose end is the end of the test run; workers of pytest-xdist inherit it.
RUN = "SIGNET_TEST_RUN"
_COLUMNS = "SELECT name, type, pk FROM pragma_table_info(?)"


class Engines:
    """The engine of the present test, and the databases that it made on a PostgreSQL server."""

    on_postgres = False
    made: list[str]

    def __init__(self) -> None:
        self.made = []

    @contextmanager
    def during(self, *, on_postgres: bool) -> Iterator[None]:
        """Use an engine until the block ends, then remove the databases that were made in it."""
        usual, self.on_postgres = self.on_postgres, on_postgres
        before, url = len(self.made), os.environ.get(STORAGE_URL)
        yield
        self.on_postgres = usual
        if len(self.made) > before:
            from support import postgres

            while len(self.made) > before:
                postgres.drop(self.made.pop())
            os.environ.pop(STORAGE_URL, None)
            if url is not None:
                os.environ[STORAGE_URL] = url

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keep the databases that are made in the block until the end of the run: several tests use them."""
        before, url = len(self.made), os.environ.get(STORAGE_URL)
        yield
        del self.made[before:]
        os.environ.pop(STORAGE_URL, None)
        if url is not None:
            os.environ[STORAGE_URL] = url


ENGINES = Engines()


def fresh_database(path: Path) -> Path:
    """Make a new database with the whole schema for `path` and return the path; nothing may have it open.

    On SQLite it is the file at the path. On PostgreSQL the path stands for a database of the tests' server, in this
    process and in those it starts.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if not ENGINES.on_postgres:
        path.write_bytes(_template())
        return path
    from support import postgres

    return _use(path, postgres.clone(_fill))


def storage(workspace: Path) -> dict[str, str]:
    """Return the variable that leads a workspace's programs to its database on the server; nothing on SQLite.

    A workspace without a database gets one.
    """
    if not ENGINES.on_postgres:
        return {}
    database = Workspace(workspace).database
    if (url := engine.url_of(database)) is None:
        from support import postgres

        url = postgres.clone(_fill)
        ENGINES.made.append(url)
        engine.use(database, url)
    return {STORAGE_URL: url}


def indexed_vectors() -> str:
    """Return the table of the vectors that a search can find: sqlite-vec's, or on a server that of all."""
    return "embeddings" if ENGINES.on_postgres else "vec_embeddings"


def copy_on_server(path: Path, of: Path) -> None:
    """Give a workspace that was copied its database, too, where that is on the server; nothing may have it open."""
    if (url := engine.url_of(of)) is not None:
        from support import postgres

        _use(path, postgres.copy(url))


class TableSchema(NamedTuple):
    """A table of the memory: its name, the statement that makes it, and its columns (name, type, place in the key)."""

    name: str
    sql: str
    columns: tuple[tuple[str, str, int], ...]


@cache
def tables() -> tuple[TableSchema, ...]:
    """Return the tables of a memory as SQLite has them: those of PostgreSQL are made from these."""
    listed = "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*'"
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "memories.db"
        model.write_bytes(_template())
        with closing(connect(model)) as db:
            return tuple(
                TableSchema(name, sql, tuple(map(tuple, db.execute(_COLUMNS, (name,)).fetchall())))
                for name, sql in db.execute(listed).fetchall()
            )


def _use(path: Path, url: str) -> Path:
    ENGINES.made.append(url)
    engine.use(path, url)
    os.environ[STORAGE_URL] = url
    return path


@cache
def _template() -> bytes:
    """Return a new database; the first process of a run that needs it makes it for all."""
    if RUN not in os.environ:
        return _made()
    shared = Path(tempfile.gettempdir()) / "new.db"
    with locked(shared.with_suffix(".lock")):
        if not shared.exists():
            replace_file(shared, _made())
    return shared.read_bytes()


def _made() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "memories.db"
        migrate.upgrade(model, now=MADE_AT)
        return model.read_bytes()


def _fill(url: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "memories.db"
        engine.use(model, url)
        migrate.upgrade(model, now=MADE_AT)
        engine.use(model, None)
