"""A connection to PostgreSQL with the interface of `sqlite3`, below `ReadTx` and `WriteTx`.

Statements are SQLite's; each text is translated once per process. Errors are those of `db.driver.sqlite`, so that one
`except` serves both engines: a conflict with another transaction has SQLite's code for a busy file.
"""

import contextlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import psycopg
from psycopg import RawCursor, sql
from psycopg.adapt import Loader
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import Int8Dumper
from psycopg.types.string import StrDumper

from signet.db import barrier, dialect
from signet.db.driver import sqlite
from signet.db.postgres import fate, words
from signet.db.postgres.nodes import glob_regex
from signet.db.postgres.translate import Translated, translate

#: How long a statement waits for the rows of another transaction.
LOCK_MS = 4_000
CONNECT_SECONDS = 10
#: The server ends what a process holds (a write transaction, proof of life) after this long without a word of it: the
#: host sleeps or hangs. The parameter `options` of the address can set another time.
SILENT_MS = 30_000
WRITES, LIVES = "idle_in_transaction_session_timeout", "idle_session_timeout"
#: Statements that a connection keeps prepared.
PREPARED = 400

_SETTINGS = f"-c jit=off -c synchronous_commit=on -c lock_timeout={LOCK_MS}"
_SETTINGS += " -c timezone=UTC -c extra_float_digits=1 -c bytea_output=hex"
#: How soon each side finds out that the network, or the other's machine, is gone.
_ALIVE = {
    "keepalives_idle": "20",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "35000",
}
_ALIVE_THERE = "-c tcp_keepalives_idle=20 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
_ALIVE_THERE += " -c tcp_user_timeout=35000"
_BUSY, _FULL, _SQL = 5, 13, 1
_SILENT = "25P03"
#: It is not known whether the transaction was committed.
_UNKNOWN = psycopg.errors.TransactionResolutionUnknown
#: Conditions after which a transaction may succeed when it runs again.
_AGAIN = frozenset({"40001", "40P01", "55P03", _SILENT})
_LOST = ("08", "57P", _SILENT)
#: Transactions in a row that run again after they met a unique index: a row that another process has just inserted is
#: not in their snapshot. Then the row is no accident.
_COLLISIONS = 8

#: NUL in a list of JSON, but no backslash before these letters.
_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")
_BEGIN = {
    "BEGIN": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    "BEGIN IMMEDIATE": "BEGIN ISOLATION LEVEL REPEATABLE READ",
    "BEGIN CLAIM": "BEGIN ISOLATION LEVEL READ COMMITTED",
}
#: With the BEGIN of a transaction that writes: its number, by which the server knows later what became of it.
_NUMBER = b"; SELECT pg_current_xact_id()::text"
#: SQLite's settings that have a counterpart; all others do nothing here.
_PRAGMAS = {
    "PRAGMA synchronous = FULL": "SET synchronous_commit = on",
    "PRAGMA synchronous = NORMAL": "SET synchronous_commit = off",
    "PRAGMA busy_timeout = 500": "SET LOCAL lock_timeout = 500",
    "PRAGMA page_count": "SELECT pg_database_size(current_database()) / 8192",
    "PRAGMA page_size": "SELECT 8192",
    "PRAGMA freelist_count": "SELECT 0",  # the server reuses the space
    "PRAGMA quick_check(50)": "SELECT 'ok'",  # the server checks what it reads
    "PRAGMA integrity_check": "SELECT 'ok'",
    "PRAGMA data_version": "SELECT hashtextextended(pg_current_snapshot()::text, 0)",
}
#: Statements that make SQLite notice new tables.
_NOTHING = ("SELECT 1 FROM sqlite_master LIMIT 0",)

Params = Sequence[Any] | Mapping[str, Any]


class ServerRow(tuple[Any, ...]):
    """A row whose columns are read by place or name, as `sqlite3.Row`."""

    __slots__ = ()
    _places: Mapping[str, int] = {}

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            try:
                return tuple.__getitem__(self, self._places[key])
            except KeyError:
                raise IndexError("No item with that key") from None
        return tuple.__getitem__(self, key)

    def keys(self) -> list[str]:
        return list(self._places)


@lru_cache(4096)
def _shape(names: tuple[str, ...]) -> type[ServerRow]:
    return type(
        "ServerRow",
        (ServerRow,),
        {"__slots__": (), "_places": {name: at for at, name in enumerate(names)}},
    )


class _Number(Loader):
    """A sum of whole numbers is a whole number."""

    def load(self, data: Any) -> int | float:
        text = bytes(data)
        return float(text) if b"." in text or b"N" in text or b"I" in text else int(text)


class _Part(Loader):
    """A part of JSON is a text or number, a truth a number, and a list or object its text."""

    def load(self, data: Any) -> str | int | float | None:
        text = bytes(data).decode()
        part: str | int | float | None = json.loads(text)
        if text.startswith(("{", "[")):
            return text
        return int(part) if isinstance(part, bool) else part


class _Truth(Loader):
    def load(self, data: Any) -> int:
        return int(bytes(data) == b"t")


@lru_cache(8192)
def translated(statement: str) -> Translated:
    return translate(dialect.POSTGRES.get(statement, statement))


@lru_cache(8192)
def _variant(
    statement: str, nulls: frozenset[int]
) -> tuple[bytes, tuple[tuple[str | int, str], ...]]:
    text, given = translated(statement).with_nulls(nulls)
    return text.encode(), given


def raw(url: str, *, ends: str = "") -> "psycopg.Connection[tuple[Any, ...]]":
    """Open a connection; the server ends it as `WRITES` or `LIVES` says. Raises psycopg.OperationalError."""
    parts = urlsplit(url)
    asked = _ALIVE | dict(parse_qsl(parts.query))
    ours = f"{_ALIVE_THERE} -c {ends}={SILENT_MS}" if ends else _ALIVE_THERE
    asked["options"] = f"{ours} {asked.get('options', '')} {_SETTINGS}"
    asked.setdefault("connect_timeout", str(CONNECT_SECONDS))
    asked.setdefault("application_name", "signet")
    full = urlunsplit(parts._replace(query=urlencode(asked).replace("+", "%20")))
    found = psycopg.connect(full, autocommit=True, prepare_threshold=2)
    found.prepared_max = PREPARED
    adapters = found.adapters
    adapters.register_loader("numeric", _Number)
    adapters.register_loader("bool", _Truth)
    adapters.register_loader("jsonb", _Part)
    adapters.register_dumper(int, Int8Dumper)
    adapters.register_dumper(str, StrDumper)
    return found


class ServerConnection:
    """One connection; for one thread at a time. After a restart of the server it opens again."""

    def __init__(self, url: str, *, read_only: bool = False) -> None:
        """Open it. With `read_only` a transaction may last as long as it likes: no other waits for it."""
        self._url = url
        self._ends = "" if read_only else WRITES
        self._raw = _opened(url, self._ends)
        self.total_changes = 0
        self.row_factory: object = ServerRow
        self.words_due = False
        #: Whether this transaction has added mentions, and whether those of all committed ones are in its entities.
        self.mentions_due = self.mentions_known = False
        #: Whether a transaction has begun and not ended, also if the server has closed the connection meanwhile.
        self._has_begun = False
        #: What has begun the present transaction that only reads.
        self._begun_by: bytes | None = None
        #: The number of the newest transaction that writes.
        self._number = b""
        #: Whether a statement of the transaction met a conflict with another transaction.
        self.has_conflict = False
        self._collisions = 0

    @property
    def raw(self) -> "psycopg.Connection[tuple[Any, ...]]":
        return self._raw

    @property
    def in_transaction(self) -> bool:
        return self._has_begun

    @property
    def is_lost(self) -> bool:
        return self._raw.closed

    def cursor(self) -> "ServerCursor":
        return ServerCursor(self)

    def execute(self, statement: str, params: Params = ()) -> "ServerCursor":
        return ServerCursor(self).execute(statement, params)

    def executemany(self, statement: str, rows: Iterable[Params]) -> "ServerCursor":
        return ServerCursor(self).executemany(statement, rows)

    def set_progress_handler(self, handler: Callable[[], object] | None, steps: int) -> None:
        """Do nothing: the server stops what takes too long."""

    def close(self) -> None:
        self._raw.close()

    def __del__(self) -> None:
        """Close it, as SQLite does with a connection without references."""
        if hasattr(self, "_raw"):
            self._raw.close()

    def opens_again(self) -> bool:
        """Open the connection again if the server has closed it outside of a transaction; return whether it did."""
        if self._has_begun or not self._raw.closed:
            return False
        self._raw = _opened(self._url, self._ends)
        return True

    def begin(self, statement: str) -> None:
        """Begin a transaction, and put the barrier of the present caller before its reads."""
        text, reads = statement.encode(), statement == _BEGIN["BEGIN"]
        if reads and (limit := barrier.CURRENT.get()) is not None:
            text += b"; " + self._barrier(limit)  # in the same message
        begun = self._raw.execute(text if reads else text + _NUMBER, prepare=False)
        if not reads:
            begun.nextset()
            assert begun.pgresult is not None
            self._number = begun.pgresult.get_value(0, 0) or b""
        self._has_begun = True
        self._begun_by = text if reads else None
        self.words_due = self.has_conflict = self.mentions_due = False
        self.mentions_known = reads

    def put_barrier(self, limit: barrier.Barrier | None) -> None:
        """Exchange the barrier of the present transaction."""
        self._raw.execute(self._barrier(limit or barrier.Barrier("")), prepare=False)

    def _barrier(self, limit: barrier.Barrier) -> bytes:
        put = "SET LOCAL signet.reader = {}; SET LOCAL signet.spaces = {}"
        values = (limit.reader.replace("\0", "\ufffd"), ",".join(limit.spaces))
        return sql.SQL(put).format(*map(sql.Literal, values)).as_bytes(self._raw)

    def roll_back(self) -> None:
        """Undo the transaction, which the server has done if it has closed the connection."""
        self._has_begun = self.has_conflict = False
        if not self._raw.closed:
            self._raw.execute("ROLLBACK")

    def commit(self) -> None:
        if self._raw.info.transaction_status == TransactionStatus.INERROR:
            raise sqlite.OperationalError("a statement of the transaction failed")
        if self.words_due:
            self.index_words()
        try:
            self._raw.execute("COMMIT")
        except psycopg.OperationalError as error:
            # Silence ends a session before its COMMIT.
            if not self._raw.closed or error.sqlstate == _SILENT or not self._is_committed(error):
                raise
        # After a failure the writer rolls back, and nothing may repeat the statement.
        self._has_begun = False
        self._collisions = 0
        if self.mentions_due:
            self.mentions_due = False
            with contextlib.suppress(psycopg.Error):  # the next save counts them
                self._raw.execute("SELECT mentions_counted(true)")

    def count_mentions(self) -> None:
        """Count the mentions of committed saves and of this transaction before it reads how many there are."""
        self.mentions_known = True
        self._raw.execute("SELECT mentions_counted(false)")

    def _is_committed(self, error: psycopg.Error) -> bool:
        """Return whether the COMMIT of a lost connection took effect, and open it again; raises _UNKNOWN."""
        if self._begun_by is not None:
            return False
        found = fate.learn(lambda: raw(self._url, ends=self._ends), self._number.decode())
        if found is None:
            raise _UNKNOWN(str(error)) from error
        self._raw, is_committed = found
        return is_committed

    def note_failure(self, error: psycopg.Error, *, may_run_again: bool) -> None:
        """Note that the transaction must be rolled back, and whether it may succeed when it runs again.

        One that only reads goes on, as in SQLite, but with a new snapshot: the server has ended the old one.
        """
        is_failed = self._raw.info.transaction_status == TransactionStatus.INERROR
        if self._begun_by is not None and is_failed:
            self._raw.execute(b"ROLLBACK; " + self._begun_by, prepare=False)
        self.total_changes += 1
        if isinstance(error, psycopg.errors.UniqueViolation):
            self._collisions += 1
            may_run_again = self._collisions <= _COLLISIONS
        self.has_conflict |= may_run_again

    def index_words(self) -> None:
        """Index the words of the rows that this transaction has changed."""
        self.words_due = False
        words.index(self._raw)


def _opened(url: str, ends: str) -> "psycopg.Connection[tuple[Any, ...]]":
    try:
        return raw(url, ends=ends)
    except psycopg.Error as error:
        raise _as_sqlite(error) from error


class ServerCursor:
    """The statements of a connection, one at a time."""

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection
        self._cursor: RawCursor[tuple[Any, ...]] | None = None
        self.row_factory: object = connection.row_factory
        self.rowcount = -1

    @property
    def description(self) -> list[tuple[str, ...]] | None:
        found = self._cursor.description if self._cursor else None
        return None if found is None else [(one.name,) for one in found]

    def execute(self, statement: str, params: Params = ()) -> "ServerCursor":
        try:
            try:
                self._do(statement, params)
            except psycopg.OperationalError:
                if not self._connection.opens_again():
                    raise
                self._do(statement, params)
        except psycopg.Error as error:
            raise self._failed(error) from error
        return self

    def _do(self, statement: str, params: Params) -> None:
        if not self._command(statement):
            self._run(statement, params)

    def executemany(self, statement: str, rows: Iterable[Params]) -> "ServerCursor":
        found = translated(statement)
        many: dict[frozenset[int], list[Params]] = {}
        for row in rows:
            nulls = _nulls(found, row)
            if nulls not in many and many:
                self._run_many(statement, many)  # in order
                many = {}
            many.setdefault(nulls, []).append(row)
        self._run_many(statement, many)
        return self

    def _run_many(self, statement: str, many: Mapping[frozenset[int], list[Params]]) -> None:
        for nulls, rows in many.items():
            if len(rows) == 1 or translated(statement).each is not None:
                for row in rows:
                    self.execute(statement, row)
                continue
            self._prepare(translated(statement))
            text, given = _variant(statement, nulls)
            cursor = RawCursor(self._connection.raw)
            try:
                cursor.executemany(text, [_bound(given, row) for row in rows])
            except psycopg.Error as error:
                raise self._failed(error) from error
            self.rowcount = cursor.rowcount
            self._count(translated(statement))

    def _failed(self, error: psycopg.Error) -> Exception:
        """Return the error of `sqlite3`, and note that the transaction must be rolled back."""
        found = _as_sqlite(error)
        again = getattr(found, "can_run_again", False)
        self._connection.note_failure(error, may_run_again=again)
        return found

    def _command(self, statement: str) -> bool:
        """Run a statement about transactions or settings, and return whether it was one."""
        word = statement[:9].upper()
        if word.startswith("BEGIN"):
            self._connection.begin(_BEGIN[statement])
        elif statement == "COMMIT":
            self._connection.commit()
        elif statement == "ROLLBACK":
            self._connection.roll_back()
        elif word.startswith(("ROLLBACK", "SAVEPOINT", "RELEASE")):
            self._connection.raw.execute(statement)
            if word.startswith("ROLLBACK"):
                self._connection.has_conflict = False
        elif word.startswith("PRAGMA") or statement in _NOTHING:
            if (ours := _PRAGMAS.get(statement)) is not None:
                self._cursor = RawCursor(self._connection.raw)
                self._cursor.execute(ours)
        else:
            return False
        return True

    def _run(self, statement: str, params: Params) -> None:
        connection = self._connection
        found = translated(statement)
        self._prepare(found)
        text, given = _variant(statement, _nulls(found, params))
        cursor = RawCursor(connection.raw)
        if found.skips:
            self.rowcount = _insert_or_ignore(cursor, text, _bound(given, params))
        elif found.each is None:
            cursor.execute(text, _bound(given, params))
            self.rowcount = cursor.rowcount
        else:
            self.rowcount = _update_or_ignore(cursor, found, text, _bound(given, params), params)
        self._cursor = cursor
        self._count(found)

    def _prepare(self, found: Translated) -> None:
        """Bring up to date what a statement reads and this transaction has put off."""
        if found.reads_words and self._connection.words_due:
            self._connection.index_words()
        if found.reads_mentions and not self._connection.mentions_known:
            self._connection.count_mentions()

    def _count(self, found: Translated) -> None:
        if found.touches is not None:
            self._connection.total_changes += max(self.rowcount, 0)
            if found.touches in words.TABLES:
                self._connection.words_due = True
            if found.touches == "mentions_due":
                self._connection.mentions_due, self._connection.mentions_known = True, False

    def _made(self, rows: list[tuple[Any, ...]]) -> list[Any]:
        if self.row_factory is None or not rows:
            return rows
        assert self._cursor is not None
        shape = _shape(tuple(one.name for one in self._cursor.description or ()))
        return list(map(shape, rows))

    def fetchall(self) -> list[Any]:
        if self._cursor is None or self._cursor.description is None:
            return []
        return self._made(self._cursor.fetchall())

    def fetchmany(self, size: int = 1) -> list[Any]:
        if self._cursor is None or self._cursor.description is None:
            return []
        return self._made(self._cursor.fetchmany(size))

    def fetchone(self) -> Any:
        if self._cursor is None or self._cursor.description is None:
            return None
        row = self._cursor.fetchone()
        return None if row is None else self._made([row])[0]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.fetchall())

    def close(self) -> None:
        """Drop the rows."""
        self._cursor = None


def _insert_or_ignore(cursor: "RawCursor[tuple[Any, ...]]", text: bytes, values: list[Any]) -> int:
    """Insert rows, or none if one breaks a rule of the table, and return how many."""
    cursor.connection.execute("SAVEPOINT one")
    try:
        cursor.execute(text, values)
    except (psycopg.errors.CheckViolation, psycopg.errors.NotNullViolation):
        cursor.connection.execute("ROLLBACK TO one")
        return 0
    cursor.connection.execute("RELEASE one")
    return cursor.rowcount


def _update_or_ignore(
    cursor: "RawCursor[tuple[Any, ...]]",
    found: Translated,
    text: bytes,
    values: list[Any],
    params: Params,
) -> int:
    """Update the rows that break no unique index, and return how many."""
    assert found.each is not None
    cursor.execute("SAVEPOINT every")
    try:
        cursor.execute(text, values)
    except psycopg.errors.UniqueViolation:
        cursor.execute("ROLLBACK TO every")
    else:
        changed = cursor.rowcount
        cursor.execute("RELEASE every")
        return changed
    listed, each = (
        part._replace(each=None).with_nulls(_nulls(found, params)) for part in found.each
    )
    changed = 0
    cursor.execute(listed[0].encode(), _bound(listed[1], params))
    for (place,) in cursor.fetchall():
        cursor.execute("SAVEPOINT one")
        try:
            cursor.execute(each[0].encode(), [place, *_bound(each[1], params)])
            changed += cursor.rowcount
            cursor.execute("RELEASE one")
        except psycopg.errors.UniqueViolation:
            cursor.execute("ROLLBACK TO one")
    cursor.execute("RELEASE every")
    return changed


def _nulls(found: Translated, params: Params) -> frozenset[int]:
    try:
        return frozenset([at for at, key in enumerate(found.keys) if params[key] is None])  # type: ignore[index]
    except (KeyError, IndexError, TypeError) as error:
        raise sqlite.ProgrammingError("You did not supply a value for each binding") from error


def _bound(given: Sequence[tuple[str | int, str]], params: Params) -> list[Any]:
    return [_value(params[key], how) for key, how in given]  # type: ignore[index]


def _value(value: Any, how: str) -> Any:
    """Return a parameter as PostgreSQL takes it: no NUL in texts, a number for a truth."""
    if how in "wn" and how:
        return words.query(value, names=how == "n")
    if how == "g":
        value = glob_regex(value)
    elif how == "j" and "\\u0000" in value:
        value = _NUL.sub(r"\1\\ufffd", value)
    elif how == "b" and isinstance(value, str):
        return value.encode()
    if isinstance(value, str):
        value = str.__str__(value) if type(value) is str else str(value)
        return value.replace("\0", "\ufffd") if "\0" in value else value
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise OverflowError("Python int too large to convert to SQLite INTEGER")
        return int(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value)
    if isinstance(value, float):
        return float(value)
    raise sqlite.ProgrammingError(f"type {type(value).__name__!r} is not supported")


def _as_sqlite(error: psycopg.Error) -> Exception:
    """Return the error of `sqlite3` for one of PostgreSQL.

    `can_run_again` says that the transaction has certainly changed nothing, and may succeed when it runs again;
    `is_lost`, that the server has ended the connection or does not answer; `is_unknown`, that the transaction may have
    been committed.
    """
    state = error.sqlstate or ""
    text = str(error).strip() or type(error).__name__
    made: Exception
    if state.startswith("23"):
        made = sqlite.IntegrityError(text)
        code = 19
    else:
        is_lost = state.startswith(_LOST) or (
            not state and isinstance(error, psycopg.OperationalError)
        )
        code = _BUSY if state in _AGAIN or is_lost else _FULL if state.startswith("53") else _SQL
        made = sqlite.OperationalError(text)
        with contextlib.suppress(AttributeError):
            is_unknown = isinstance(error, _UNKNOWN)
            made.can_run_again = state in _AGAIN or (is_lost and not is_unknown)  # type: ignore[attr-defined]
            made.is_lost, made.is_unknown = is_lost, is_unknown  # type: ignore[attr-defined]
    made.sqlite_errorcode = code
    return made
