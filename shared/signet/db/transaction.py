"""What code that reads and writes rows holds in its hand.

A `ReadTx` is one snapshot of the database. A `WriteTx` also writes; only the writer thread makes one, so
there is exactly one place that commits (see writer.py). SQL is text with `?` or `:name` parameters; rows are
read by name or position.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from signet.db.driver import Connection, Row

Params = Sequence[Any] | Mapping[str, Any]


class ReadTx:
    """One snapshot of the database."""

    __slots__ = ("connection",)

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def all(self, sql: str, params: Params = ()) -> list[Row]:
        """Return every row."""
        return self.connection.execute(sql, params).fetchall()

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

    __slots__ = ("signals",)

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self.signals: set[str] = set()

    def run(self, sql: str, params: Params = ()) -> int:
        """Run one statement and return how many rows it changed."""
        return self.connection.execute(sql, params).rowcount

    def many(self, sql: str, rows: Iterable[Params]) -> None:
        """Run one statement for each parameter row."""
        self.connection.executemany(sql, rows)

    def signal(self, name: str) -> None:
        """Tell the listener of this process about a change, once it is committed (see `Writer.listen`)."""
        self.signals.add(name)
