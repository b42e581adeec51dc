"""Copy all rows between a SQLite file and a PostgreSQL database, each time in one transaction of the target.

Before the commit the target's rows are read again, and their numbers and digests compared with the source's. Rows keep
their numbers. What is computed from rows (full text, the vector index) is computed again.
"""

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from psycopg import sql

from signet.db import damage, fts_index, migrate
from signet.db.driver import FULL, Connection, connect, primary_code, sqlite
from signet.db.postgres import schema, words
from signet.db.postgres.address import shown
from signet.db.postgres.connection import raw
from signet.db.postgres.session import LOCKS
from signet.errors import Conflict, StorageDamaged, StorageFull

#: Rows read or inserted at a time.
BATCH = 1_000
#: Called with the number of rows done.
Tell = Callable[[int], None]
Server = psycopg.Connection[tuple[Any, ...]]
Value = str | int | float | bytes | None

#: Our tables, without those that are computed for full text.
_TABLES = """
SELECT c.table_name, c.column_name, c.data_type FROM information_schema.columns c
  JOIN information_schema.tables t USING (table_schema, table_name)
 WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE'
   AND c.table_name NOT IN ('words', 'word_rows', 'word_totals', 'words_due', 'mentions_due')
 ORDER BY c.table_name, c.ordinal_position"""
_NUMBERED = """
SELECT table_name, column_name FROM information_schema.columns
 WHERE table_schema = current_schema() AND is_identity = 'YES' ORDER BY table_name"""
_ORDINARY = "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
#: SQLite's own tables, and those of its vector index.
_OF_SQLITE = ("sqlite_", "vec_embeddings")
#: About the file's schema, not the memory; an upgrade of a new file fills them.
_OF_FILES = ("schema_migrations", "schema_migrations_audit")


#: Suffixes of what `damage` and `moved` note next to a file.
_NOTES = (".mark", ".damage", ".left")


class CommonTable(NamedTuple):
    """A table that both engines have, with its common columns and the server's types of them."""

    name: str
    columns: tuple[str, ...]
    types: tuple[str, ...]


class Rows(NamedTuple):
    """The number of rows of a table and a digest of their values, in any order."""

    number: int = 0
    digest: int = 0

    def plus(self, row: Sequence[Value]) -> "Rows":
        found = hashlib.sha256(repr(tuple(row)).encode("utf-8", "surrogatepass")).digest()[:16]
        return Rows(self.number + 1, (self.digest + int.from_bytes(found, "big")) % (1 << 128))


class Moved(NamedTuple):
    """The rows of each table; values that the server stores differently, by column; columns that were left out."""

    rows: dict[str, int]
    adapted: dict[str, int]
    left_out: tuple[str, ...]


def is_empty(server: Server) -> bool:
    """Return whether a database has no tables, or only ours without a memory or session."""
    found = server.execute(
        "SELECT to_regclass('memories'), count(*) FROM pg_tables WHERE schemaname = current_schema()"
    )
    memories, tables = found.fetchone() or (None, 0)
    if memories is None:
        return bool(tables == 0)
    has_rows = (
        "SELECT EXISTS (SELECT 1 FROM memories) OR EXISTS (SELECT 1 FROM session_transcripts)"
    )
    found = server.execute(has_rows)
    return not bool((found.fetchone() or (True,))[0])


def to_server(file: Connection, server: Server, *, tell: Tell = lambda rows: None) -> Moved:
    """Replace all rows of a server's database by those of a file; the schema is created if it is missing.

    Raises Conflict for a value that the server cannot store, StorageDamaged if the rows differ afterwards; the database
    is then unchanged.
    """
    with server.transaction():
        if server.execute("SELECT to_regclass('memories')").fetchone() == (None,):
            schema.create(server, migrate.head())
        tables, left_out = _common(file, server)
        adapted: dict[str, int] = {}
        names = sql.SQL(", ").join(sql.Identifier(table.name) for table in tables)
        server.execute(sql.SQL("TRUNCATE mentions_due, {}").format(names))
        _switch_triggers(server, tables, "DISABLE")
        _switch_barrier(server, "NO FORCE")
        sent = {}
        done = 0
        for table in tables:
            sent[table.name] = _send(file, server, table, adapted, _adding(tell, done))
            done += sent[table.name].number
        _continue_numbers(file, server)
        words.rebuild(server)
        _check(sent, {table.name: _digest(_stored(server, table)) for table in tables})
        _switch_triggers(server, tables, "ENABLE")
        _switch_barrier(server, "FORCE")
    return Moved({name: rows.number for name, rows in sent.items()}, adapted, left_out)


def to_file(server: Server, file: Connection, *, tell: Tell = lambda rows: None) -> Moved:
    """Replace all rows of a file that has this program's schema by those of a server's database.

    Raises StorageDamaged if the rows differ afterwards; the file is then unchanged.
    """
    with server.transaction():
        server.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        tables, left_out = _common(file, server)
        file.execute("BEGIN IMMEDIATE")
        try:
            triggers = file.execute(
                "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
            ).fetchall()
            for name, _ in triggers:
                file.execute(f'DROP TRIGGER "{name}"')
            received = {}
            done = 0
            for table in tables:
                received[table.name] = _receive(server, file, table, _adding(tell, done))
                done += received[table.name].number
            _continue_file_numbers(server, file)
            for _, text in triggers:
                file.execute(text)
            for index in fts_index.INDEXES:
                file.execute(f"INSERT INTO {index.name} ({index.name}) VALUES ('rebuild')")
            _check(received, {table.name: _digest(_read(file, table)) for table in tables})
            file.execute("COMMIT")
        except BaseException:
            file.execute("ROLLBACK")
            raise
    return Moved({name: rows.number for name, rows in received.items()}, {}, left_out)


def opened(url: str) -> Server:
    """Open a connection to a server that can be used. Raises ServerUnfit."""
    server = schema.opened(url)
    try:
        schema.check(server, url)
    except BaseException:
        server.close()
        raise
    return server


@contextmanager
def alone(url: str) -> Iterator[Server]:
    """Open a connection to a database that no other process of ours uses. Raises Conflict, and ServerUnfit."""
    with opened(url) as server:
        used = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = %s AND database = (SELECT oid FROM"
        used += " pg_database WHERE datname = current_database()) LIMIT 1"
        if server.execute(used, (LOCKS,)).fetchone() is not None:
            raise Conflict(
                f"Signet processes use {shown(url)}. Stop the daemon of each host first: signet daemon stop",
                "workspace_in_use",
            )
        yield server


def write_file(
    server: Server, path: Path, *, now: datetime, tell: Tell = lambda rows: None
) -> Moved:
    """Write the rows of a server's database to a new file, private and with this program's schema.

    Raises StorageFull.
    """
    remove(path)
    try:
        return _written(server, path, now, tell)
    except (sqlite.Error, migrate.MigrationFailed) as error:
        cause: BaseException | None = error
        while cause is not None and primary_code(cause) not in FULL:
            cause = cause.__cause__
        if cause is None:
            raise
        raise StorageFull(f"{path.parent} is full or cannot be written") from error


def _written(server: Server, path: Path, now: datetime, tell: Tell) -> Moved:
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    mark = damage.mark_path(path)
    mark.touch(mode=0o600)  # the file is new, not emptied
    migrate.upgrade(path, now=now)
    mark.unlink()
    with suppress(psycopg.errors.UndefinedFunction):  # an earlier build made the database
        server.execute(
            "SELECT mentions_counted(true)"
        )  # those of a process that ended before it could
    with closing(connect(path)) as file:
        return to_file(server, file, tell=tell)


def load_file(path: Path, server: Server, *, tell: Tell = lambda rows: None) -> Moved:
    """Replace all rows of a server's database by those of a file with this program's schema."""
    with closing(connect(path, read_only=True)) as file:
        file.execute("BEGIN")
        return to_server(file, server, tell=tell)


def look_over(server: Server) -> None:
    """Let the server learn which rows it has: it does so itself, but minutes later, and plans as for empty tables."""
    server.execute("VACUUM (ANALYZE)")


def rewrite_tables(url: str) -> None:
    """Rewrite each table, so that none keeps the bytes of deleted rows. Others wait for the table meanwhile."""
    with raw(url) as server:
        server.execute("SET lock_timeout = 0")
        for (name,) in server.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
        ).fetchall():
            server.execute(sql.SQL("VACUUM (FULL) {}").format(sql.Identifier(name)))


def counts(server: Server) -> dict[str, int]:
    """Count the rows of each table, by name."""
    names = dict.fromkeys(name for name, *_ in server.execute(_TABLES).fetchall())
    count = sql.SQL("SELECT count(*) FROM {}")
    return {
        name: (server.execute(count.format(sql.Identifier(name))).fetchone() or (0,))[0]
        for name in names
    }


def state_of(server: Server) -> str:
    """Return the highest number in each numbered column, as text; a new numbered row changes it.

    Sequences would not do: a killed copy leaves them advanced.
    """
    highest = sql.SQL("SELECT coalesce(max({}), 0) FROM {}")
    numbers = [
        server.execute(highest.format(sql.Identifier(column), sql.Identifier(table))).fetchone()
        for table, column in server.execute(_NUMBERED).fetchall()
    ]
    return " ".join(str(number[0]) for number in numbers if number)


def set_aside(path: Path) -> Path | None:
    """Rename a file that is no longer in use, with the rows of its log; return its new path, None without a file.

    A damaged file keeps its log next to it.
    """
    if not path.exists():
        return None
    with suppress(sqlite.DatabaseError), closing(connect(path)) as file:
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    older = path.with_name(f"{path.name}.bak-{time.time_ns()}")
    # The file last: without its mark it is readable, but a mark without its file means a loss.
    for end in (*_NOTES, "-wal", "-shm", ""):
        with suppress(FileNotFoundError):
            path.with_name(path.name + end).rename(older.with_name(older.name + end))
    return older


def remove(path: Path) -> None:
    """Remove a file, its log and its notes."""
    for end in (*_NOTES, "", "-wal", "-shm", ".gate", ".gate.next", ".migrate.lock"):
        path.with_name(path.name + end).unlink(missing_ok=True)


def _adding(tell: Tell, done: int) -> Tell:
    return lambda rows: tell(done + rows)


def _common(file: Connection, server: Server) -> tuple[list[CommonTable], tuple[str, ...]]:
    """Return the tables that both have, and the tables and columns that only the file has."""
    types: dict[str, dict[str, str]] = {}
    for name, column, kind in server.execute(_TABLES):
        types.setdefault(name, {})[column] = kind
    found, left_out = [], []
    for name, is_without_rowid in file.execute(_ORDINARY).fetchall():
        if name.startswith(_OF_SQLITE) or name in _OF_FILES:
            continue
        if name not in types:
            left_out.append(name)
            continue
        own = [row[1] for row in file.execute(f'PRAGMA table_info("{name}")')]
        left_out += [f"{name}.{column}" for column in own if column not in types[name]]
        columns = [column for column in own if column in types[name]]
        if "rowid" in types[name] and not is_without_rowid:
            columns.append("rowid")
        found.append(CommonTable(name, tuple(columns), tuple(types[name][one] for one in columns)))
    return sorted(found), tuple(sorted(left_out))


def _send(
    file: Connection, server: Server, table: CommonTable, adapted: dict[str, int], tell: Tell
) -> Rows:
    rows = Rows()
    names = sql.SQL(", ").join(map(sql.Identifier, table.columns))
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table.name), names)
    with server.cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types(table.types)
        for row in _read(file, table):
            fitted = tuple(_fit(value, table, place, adapted) for place, value in enumerate(row))
            copy.write_row(fitted)
            rows = rows.plus(fitted)
            if rows.number % BATCH == 0:
                tell(rows.number)
    return rows


def _receive(server: Server, file: Connection, table: CommonTable, tell: Tell) -> Rows:
    rows = Rows()
    names, marks = (
        ", ".join(f'"{one}"' for one in table.columns),
        ", ".join("?" * len(table.columns)),
    )
    statement = f'INSERT INTO "{table.name}" ({names}) VALUES ({marks})'
    file.execute(f'DELETE FROM "{table.name}"')
    batch: list[tuple[Value, ...]] = []
    for row in _stored(server, table):
        rows = rows.plus(row)
        batch.append(row)
        if len(batch) == BATCH:
            file.executemany(statement, batch)
            batch.clear()
            tell(rows.number)
    file.executemany(statement, batch)
    return rows


def _fit(value: Value, table: CommonTable, place: int, adapted: dict[str, int]) -> Value:
    """Return a value as the server's column stores it. Raises Conflict."""
    if value is None:
        return None
    kind = table.types[place]
    column = f"{table.name}.{table.columns[place]}"
    try:
        fitted = _as(value, kind)
    except ValueError:
        raise Conflict(
            f"{column} contains {value!r}, which PostgreSQL cannot store as {kind}. Nothing was moved"
        ) from None
    if fitted != value or type(fitted) is not type(value):
        adapted[column] = adapted.get(column, 0) + 1
    return fitted


def _as(value: str | int | float | bytes, kind: str) -> Value:
    if kind == "text":
        text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
        return text.replace("\0", "\ufffd")
    if kind == "bytea":
        return value if isinstance(value, bytes) else str(value).encode()
    number = float(value) if not isinstance(value, bytes) else float(value.decode())
    if kind == "double precision":
        return number
    whole = int(value) if isinstance(value, int) else int(number)
    if whole != number and not isinstance(value, int):
        raise ValueError("not a whole number")
    return whole


def _read(file: Connection, table: CommonTable) -> Iterator[tuple[Value, ...]]:
    """Yield the rows of a file's table, in the order of their numbers if they have one."""
    cursor = file.cursor()
    cursor.row_factory = None
    order = "" if "rowid" not in table.columns else " ORDER BY rowid"
    names = ", ".join(f'"{one}"' for one in table.columns)
    yield from cursor.execute(f'SELECT {names} FROM "{table.name}"{order}')


def _stored(server: Server, table: CommonTable) -> Iterator[tuple[Value, ...]]:
    """Yield the rows of a server's table."""
    names = sql.SQL(", ").join(map(sql.Identifier, table.columns))
    with server.cursor(name="moving") as cursor:
        cursor.itersize = BATCH
        cursor.execute(sql.SQL("SELECT {} FROM {}").format(names, sql.Identifier(table.name)))
        yield from cursor


def _digest(rows: Iterable[Sequence[Value]]) -> Rows:
    found = Rows()
    for row in rows:
        found = found.plus(row)
    return found


def _check(source: dict[str, Rows], target: dict[str, Rows]) -> None:
    if differing := [name for name in source if source[name] != target[name]]:
        raise StorageDamaged(
            f"After the copy these tables differ: {', '.join(differing)}. Nothing was moved",
            path=differing[0],
        )


def _switch_triggers(server: Server, tables: Iterable[CommonTable], how: str) -> None:
    for table in tables:
        name = sql.Identifier(table.name)
        server.execute(sql.SQL("ALTER TABLE {} {} TRIGGER USER").format(name, sql.SQL(how)))


def _switch_barrier(server: Server, how: str) -> None:
    """Let COPY write to the tables with a barrier, or not."""
    for (name,) in server.execute("SELECT polrelid::regclass::text FROM pg_policy").fetchall():
        statement = sql.SQL("ALTER TABLE {} {} ROW LEVEL SECURITY")
        server.execute(statement.format(sql.Identifier(name), sql.SQL(how)))


def _continue_numbers(file: Connection, server: Server) -> None:
    """Let each numbered column continue after the highest number that the file has given."""
    given = dict(file.execute("SELECT name, seq FROM sqlite_sequence").fetchall())
    for table, column in server.execute(_NUMBERED).fetchall():
        server.execute(
            sql.SQL(
                "SELECT setval(pg_get_serial_sequence(%s, %s),"
                " greatest(%s, (SELECT coalesce(max({}), 0) + 1 FROM {})), false)"
            ).format(sql.Identifier(column), sql.Identifier(table)),
            (table, column, given.get(table, 0) + 1),
        )


def _continue_file_numbers(server: Server, file: Connection) -> None:
    """Let AUTOINCREMENT continue after the highest number that the server has given."""
    numbered: dict[str, str] = dict(server.execute(_NUMBERED).fetchall())
    counting = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'"
    for (table,) in file.execute(counting).fetchall():
        if table not in numbered:
            continue
        found = server.execute("SELECT pg_get_serial_sequence(%s, %s)", (table, numbered[table]))
        (name,) = found.fetchone() or ("",)
        given = f"SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM {name}"
        (last,) = server.execute(given.encode()).fetchone() or (0,)
        file.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
        file.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, last))
