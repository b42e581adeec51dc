"""Transactions: the interface of code that reads and writes rows.

A `ReadTx` is one snapshot of the database. A `WriteTx` also writes; only the writer creates one, so there is exactly
one place that commits (see writer.py). SQL is text with `?` or `:name` parameters; rows are read by name or position,
or come as named tuples with `rows` and `row`, whose fields the compiler knows.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cache
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar, cast

from signet.db import columns as stored
from signet.db.caches import ProcessCaches
from signet.db.driver import Connection, Row, sqlite

T = TypeVar("T")
N = TypeVar("N", bound=NamedTuple)
D = TypeVar("D", bound=Mapping[str, object])

Params = Sequence[Any] | Mapping[str, Any]

_CAMEL = re.compile(r"_([a-z])")
#: The name of a column in a cursor's description, and the first value of a row.
_NAME = _FIRST = itemgetter(0)
#: Converters for columns whose field type SQLite lacks.
_READS: Mapping[object, Callable[[Any], Any]] = {
    bool: bool,
    bool | None: lambda flag: None if flag is None else bool(flag),
    tuple[str, ...]: stored.json_strings,
    list[str]: lambda text: list(stored.json_strings(text)),
    dict[str, Any]: stored.json_object,
    dict[str, float]: stored.json_object,
    dict[str, str]: stored.json_object,
    Mapping[str, Any] | str | None: stored.object_or_text,
}


class PartFailed(Exception):
    """An optional part of a write failed; the write runs again without it."""

    def __init__(self, part: str) -> None:
        super().__init__(part)
        self.part = part


def _read(kind: object) -> Callable[[Any], Any] | None:
    return kind if isinstance(kind, type) and issubclass(kind, StrEnum) else _READS.get(kind)


@cache
def _make(shape: type[N], names: tuple[str, ...]) -> Callable[[Sequence[Any]], N]:
    """Return the constructor of a named tuple for rows with these columns; raise TypeError if they differ."""
    if names != shape._fields:
        raise TypeError(f"{shape.__name__} has {shape._fields}, the statement gives {names}")
    reads = list(map(_read, shape.__annotations__.values()))
    if not any(reads):
        return shape._make
    return lambda row: shape._make(
        [value if read is None else read(value) for read, value in zip(reads, row, strict=True)]
    )


@cache
def _keys(shape: type[Mapping[str, object]], columns: tuple[str, ...]) -> tuple[str, ...]:
    """Return the keys of a typed dictionary that columns fill; raise TypeError if a required one is missing."""
    known = shape.__annotations__
    keys = tuple(
        name if name in known else _CAMEL.sub(lambda found: found[1].upper(), name)
        for name in columns
    )
    optional: frozenset[str] = getattr(shape, "__optional_keys__", frozenset())
    if {*keys, *optional} != set(known):
        raise TypeError(f"{shape.__name__} has {(*known,)}, the statement gives {columns}")
    return keys


class ReadTx:
    __slots__ = ("_known", "caches", "connection")

    def __init__(self, connection: Connection, caches: ProcessCaches | None = None) -> None:
        """Store the connection and, if available, the process's caches of the file."""
        self.connection = connection
        self.caches = caches
        self._known: dict[Hashable, Any] = {}

    def once(self, key: Hashable, read: Callable[[], T]) -> T:
        """Return the first result of `read` for `key` in this snapshot."""
        if key not in self._known:
            self._known[key] = read()
        found: T = self._known[key]
        return found

    def all(self, sql: str, params: Params = ()) -> list[Row]:
        return self.connection.execute(sql, params).fetchall()

    def tuples(self, sql: str, params: Params = ()) -> list[tuple[Any, ...]]:
        """Return every row without column names, which saves a quarter of a µs per row."""
        cursor = self.connection.cursor()
        cursor.row_factory = None
        return cursor.execute(sql, params).fetchall()

    def column(self, sql: str, params: Params = ()) -> list[Any]:
        """Return the first column of every row."""
        return list(map(_FIRST, self.tuples(sql, params)))

    def rows(self, shape: type[N], sql: str, params: Params = ()) -> list[N]:
        """Return every row as a named tuple with a field for each column, in order; TypeError where they differ.

        A field that is a bool, an enumeration, a list of texts or an object is read as such from number and JSON.
        """
        cursor = self.connection.cursor()
        cursor.row_factory = None
        found = cursor.execute(sql, params).fetchall()
        return list(map(_make(shape, tuple(map(_NAME, cursor.description))), found))

    def row(self, shape: type[N], sql: str, params: Params = ()) -> N | None:
        """Return the first row as a named tuple (see `rows`), or None."""
        cursor = self.connection.cursor()
        cursor.row_factory = None
        found = cursor.execute(sql, params).fetchone()
        make = _make(shape, tuple(map(_NAME, cursor.description)))
        return None if found is None else make(found)

    def records(self, shape: type[D], sql: str, params: Params = ()) -> list[D]:
        """Return every row as a typed dictionary with a key for each column; TypeError where they differ.

        The key of a column `pinned_at` may be spelled `pinnedAt`; values are converted as in `rows`.
        """
        cursor = self.connection.cursor()
        cursor.row_factory = None
        found = cursor.execute(sql, params).fetchall()
        keys = _keys(shape, tuple(map(_NAME, cursor.description)))
        reads = {key: read for key in keys if (read := _read(shape.__annotations__[key]))}
        made: list[dict[str, Any]] = [dict(zip(keys, row, strict=True)) for row in found]
        for one in made if reads else ():
            one.update({key: read(one[key]) for key, read in reads.items()})
        return cast("list[D]", made)

    def record(self, shape: type[D], sql: str, params: Params = ()) -> D | None:
        """Return the first row as a typed dictionary (see `records`), or None."""
        return next(iter(self.records(shape, sql, params)), None)

    def one(self, sql: str, params: Params = ()) -> Row | None:
        """Return the first row, or None."""
        row: Row | None = self.connection.execute(sql, params).fetchone()
        return row

    def value(self, sql: str, params: Params = ()) -> Any:
        """Return the first column of the first row, or None."""
        row = self.connection.execute(sql, params).fetchone()
        return None if row is None else row[0]


class WriteTx(ReadTx):
    """One write transaction; it commits when the function that received it returns."""

    __slots__ = ("signals", "skipped")

    def __init__(self, connection: Connection, skipped: frozenset[str] = frozenset()) -> None:
        super().__init__(connection)
        self.signals: set[str] = set()
        self.skipped = skipped

    def once(self, key: Hashable, read: Callable[[], T]) -> T:
        """Call `read` without caching: the transaction's own writes change its result."""
        return read()

    def run(self, sql: str, params: Params = ()) -> int:
        """Run one statement and return the number of changed rows."""
        return self.connection.execute(sql, params).rowcount

    def many(self, sql: str, rows: Iterable[Params]) -> None:
        """Run one statement for each parameter row."""
        self.connection.executemany(sql, rows)

    def optional(self, part: str, work: Callable[[], T], otherwise: T) -> T:
        """Run a part that may fail without failing the rest, and return its result.

        If it fails on its data, the whole function is undone and run again without this part, which then returns
        `otherwise`. (A savepoint would do, but it makes FTS5 write its index each time.)
        """
        if part in self.skipped:
            return otherwise
        try:
            return work()
        except (sqlite.DatabaseError, ValueError, LookupError) as error:
            if not self.connection.in_transaction:
                raise  # SQLite undid the whole transaction
            raise PartFailed(part) from error

    def signal(self, name: str) -> None:
        """Signal a change to this process's listener after the commit (see `Writer.listen`)."""
        self.signals.add(name)
