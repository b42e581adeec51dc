"""Copy unchanged rows of any table, for exports and restores.

Each table is written by one noun (tests/architecture). A restore is the one exception: it is no new event for a noun,
so it writes rows directly, through this module. Tables and conditions come from `domain/transfer/kinds.py`, never from
a request.
"""

import ast
import re
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from signet.db.dialect import TABLES, sql
from signet.db.driver import Connection
from signet.db.transaction import ReadTx, WriteTx
from signet.db.visibility import Where

MAIN = "main"
#: The name of the real database, attached during a preview.
STORE = "store"

_OVERLAID = """
SELECT sql FROM store.sqlite_master WHERE sql IS NOT NULL AND tbl_name IN ({})
   AND (type = 'table' OR (type = 'index' AND (sql LIKE '%UNIQUE%' OR name LIKE '%superseded%')))
 ORDER BY type = 'index'"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column: its name, declared type, whether it is required, and its default."""

    name: str
    type: str
    needed: bool
    default: str | int | float | None


_COLUMNS = sql(
    'SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?)',
    postgres='SELECT name, type, "notnull", dflt_value, pk FROM sq_columns(?)',
)


def columns_of(tx: ReadTx, table: str) -> list[Column]:
    """Return the columns of a table in their order."""
    return [
        Column(
            name=row["name"],
            type=row["type"].upper(),
            needed=bool(row["notnull"] or row["pk"]),
            default=_literal(row["dflt_value"]),
        )
        for row in tx.all(_COLUMNS, (table,))
    ]


def tables(connection: Connection) -> set[str]:
    return {row[0] for row in connection.execute(TABLES)}


def count(tx: ReadTx, table: str, where: Where) -> int:
    """Count the rows `t` of a table that meet a condition."""
    return int(tx.value(f"SELECT count(*) FROM {table} t WHERE {where.sql}", where.params))


def last_row(tx: ReadTx, table: str) -> int:
    """Return the largest row number of a table, 0 when it is empty."""
    return int(tx.value(f"SELECT COALESCE(max(rowid), 0) FROM {table}"))


def rows(tx: ReadTx, table: str, where: Where) -> Generator[dict[str, Any]]:
    """Yield the rows `t` of a table that meet a condition, in order, each with its `row_number`."""
    sql = f"SELECT t.rowid AS row_number, t.* FROM {table} t WHERE {where.sql} ORDER BY t.rowid"
    with closing(tx.connection.execute(sql, where.params)) as found:
        for row in found:
            values = dict(row)
            values.pop("rowid", None)  # on a server this is a real column
            yield values


def find(
    tx: ReadTx, table: str, condition: str, values: Mapping[str, Any], *, schema: str = MAIN
) -> dict[str, Any] | None:
    """Return the first row of a table under a condition with `:name` parameters."""
    row = tx.one(f"SELECT * FROM {schema}.{table} WHERE {condition} LIMIT 1", values)
    return None if row is None else dict(row)


def insert(tx: WriteTx, table: str, values: Mapping[str, Any], *, replaces: bool = False) -> bool:
    """Insert a row, in place of one with the same key with `replaces`; return whether it was inserted."""
    names, marks = ", ".join(values), ", ".join(f":{name}" for name in values)
    way = "REPLACE" if replaces else "IGNORE"
    return tx.run(f"INSERT OR {way} INTO {table} ({names}) VALUES ({marks})", values) == 1


def redirect(tx: WriteTx, table: str, column: str, *, old: object, new: object) -> None:
    """Replace a reference to one row by a reference to another, in a column."""
    tx.run(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", (new, old))


def overlay(connection: Connection, database: Path, names: Sequence[str]) -> None:
    """Attach a database read-only to an empty one, and create its tables there with their unique keys."""
    connection.execute("PRAGMA synchronous = OFF")
    quoted = str(database.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    connection.execute(f"ATTACH ? AS {STORE}", (f"file:{quoted}?mode=ro",))
    if not tables(connection):
        marks = ", ".join("?" * len(names))
        for (sql,) in connection.execute(_OVERLAID.format(marks), names).fetchall():
            connection.execute(sql)


def _literal(sql: str | None) -> str | int | float | None:
    """Return the value of a default, None for a computed one."""
    if sql is None or not re.fullmatch(r"'[^']*'|-?[0-9.]+", sql):
        return None
    value = ast.literal_eval(sql)
    return value if isinstance(value, str | int | float) else None
