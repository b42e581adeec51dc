"""What code that reads and writes rows holds in its hand.

A `ReadTx` is one snapshot of the database. A `WriteTx` also writes; only the writer makes one, so
there is exactly one place that commits (see writer.py). SQL is text with `?` or `:name` parameters; rows are
read by name or position, or come as named tuples with `rows` and `row`, whose fields the compiler knows.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from signet.db.caches import ProcessCaches
from signet.db.driver import Connection, Row, sqlite

T = TypeVar("T")
N = TypeVar("N", bound=NamedTuple)

Params = Sequence[Any] | Mapping[str, Any]


class PartFailed(Exception):
    """An optional part of a write failed; the write is run again without it."""

    def __init__(self, part: str) -> None:
        super().__init__(part)
        self.part = part


def _compare(shape: type[NamedTuple], columns: Sequence[tuple[Any, ...]]) -> None:
    """Raise TypeError unless a named tuple has the columns of a statement, so that a renamed one is seen."""
    if (names := tuple(column[0] for column in columns)) != shape._fields:
        raise TypeError(f"{shape.__name__} has {shape._fields}, the statement gives {names}")


class ReadTx:
    """One snapshot of the database."""

    __slots__ = ("caches", "connection")

    def __init__(self, connection: Connection, caches: ProcessCaches | None = None) -> None:
        """Keep the connection, and what the process derives from the file where it may be asked for."""
        self.connection = connection
        self.caches = caches

    def all(self, sql: str, params: Params = ()) -> list[Row]:
        """Return every row."""
        return self.connection.execute(sql, params).fetchall()

    def tuples(self, sql: str, params: Params = ()) -> list[tuple[Any, ...]]:
        """Return every row without the names of its columns: of hundreds each costs a quarter of a µs less."""
        cursor = self.connection.cursor()
        cursor.row_factory = None
        return cursor.execute(sql, params).fetchall()

    def column(self, sql: str, params: Params = ()) -> list[Any]:
        """Return the first column of every row."""
        return [row[0] for row in self.tuples(sql, params)]

    def rows(self, shape: type[N], sql: str, params: Params = ()) -> list[N]:
        """Return every row as a named tuple with a field for each column, in order; TypeError where they differ."""
        cursor = self.connection.cursor()
        cursor.row_factory = None
        found = cursor.execute(sql, params).fetchall()
        _compare(shape, cursor.description)
        return list(map(shape._make, found))

    def row(self, shape: type[N], sql: str, params: Params = ()) -> N | None:
        """Return the first row as a named tuple (see `rows`), None when there is none."""
        cursor = self.connection.cursor()
        cursor.row_factory = None
        found = cursor.execute(sql, params).fetchone()
        _compare(shape, cursor.description)
        return None if found is None else shape._make(found)

    def one(self, sql: str, params: Params = ()) -> Row | None:
        """Return the first row, None when there is none."""
        row: Row | None = self.connection.execute(sql, params).fetchone()
        return row

    def value(self, sql: str, params: Params = ()) -> Any:
        """Return the first column of the first row, None when there is none."""
        row = self.connection.execute(sql, params).fetchone()
        return None if row is None else row[0]


class WriteTx(ReadTx):
    """One write transaction; it commits when the function that received it returns."""

    __slots__ = ("signals", "skipped")

    def __init__(self, connection: Connection, skipped: frozenset[str] = frozenset()) -> None:
        super().__init__(connection)
        self.signals: set[str] = set()
        self.skipped = skipped

    def run(self, sql: str, params: Params = ()) -> int:
        """Run one statement and return how many rows it changed."""
        return self.connection.execute(sql, params).rowcount

    def many(self, sql: str, rows: Iterable[Params]) -> None:
        """Run one statement for each parameter row."""
        self.connection.executemany(sql, rows)

    def optional(self, part: str, work: Callable[[], T], otherwise: T) -> T:
        """Do a part whose failure must not cost the rest, and return what it returns.

        When it fails on its data, the whole function is undone and run again with this part left out, which
        then gives `otherwise`. (A savepoint would do, but it makes FTS5 write out its index each time.)
        """
        if part in self.skipped:
            return otherwise
        try:
            return work()
        except (sqlite.DatabaseError, ValueError, LookupError) as error:
            if not self.connection.in_transaction:
                raise  # SQLite gave everything up: there is no rest
            raise PartFailed(part) from error

    def signal(self, name: str) -> None:
        """Tell the listener of this process about a change, once it is committed (see `Writer.listen`)."""
        self.signals.add(name)
