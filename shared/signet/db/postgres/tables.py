"""What the translation of statements needs to know of the tables, read from tables.sql."""

import re
from collections.abc import Iterator
from importlib.resources import files

_TABLE = re.compile(r"^CREATE TABLE (\w+) \((.*?)^\);", re.MULTILINE | re.DOTALL)
_COLUMN = re.compile(r"^  (\w+) (BIGINT|DOUBLE PRECISION|TEXT|BYTEA)(.*?),?$", re.MULTILINE)
_MADE = re.compile(
    r"^CREATE (?:UNIQUE |CONSTRAINT )?(?:TABLE|VIEW|INDEX|FUNCTION|TRIGGER) (\w+)", re.MULTILINE
)
_KEY = re.compile(r"PRIMARY KEY \(([^)]*)\)")
_ANY_COLUMN = re.compile(r'^  "?([a-z_]\w*)"? ', re.MULTILINE)
_KINDS = {"BIGINT": "int", "DOUBLE PRECISION": "real", "TEXT": "text", "BYTEA": "bytes"}


def _read(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


#: The statements that create the schema, in order.
PARTS = ("tables.sql", "functions.sql", "words.sql", "triggers.sql")
#: The rows of a new memory, with the parameter `at`.
FIRST_ROWS = _read("first_rows.sql").encode()
#: The barrier of reads, after the tables.
BARRIER = _read("readers.sql").encode()
_BODIES = dict(_TABLE.findall(_read("tables.sql")))


def _columns() -> Iterator[tuple[str, str, str, str]]:
    for table, body in _BODIES.items():
        for name, kind, rest in _COLUMN.findall(body):
            yield table, name, kind, rest


def _types() -> dict[str, str]:
    """Return the type of each column by its name, without names that have two."""
    found: dict[str, set[str]] = {}
    for _, name, kind, _rest in _columns():
        found.setdefault(name, set()).add(_KINDS[kind])
    return {name: kinds.pop() for name, kinds in found.items() if len(kinds) == 1}


#: The columns of the primary key of each table.
KEYS = {
    table: tuple(key[1].split(", "))
    for table, body in _BODIES.items()
    if (key := _KEY.search(body))
}
#: The column that SQLite calls `rowid`, of tables that have one.
NUMBERS = {
    table: name for table, name, _, rest in _columns() if "IDENTITY" in rest and name != "rowid"
}
TYPES = _types()
TYPES_OF = {(table, name): _KINDS[kind] for table, name, kind, _ in _columns()}
_NULL = {
    name for _, name, _, rest in _columns() if "NOT NULL" not in rest and "IDENTITY" not in rest
}
#: Columns that are NULL in no table.
NEVER_NULL = frozenset({name for _, name, _, _ in _columns()} - _NULL)


def schema() -> str:
    """Return the statements that create the schema in an empty database."""
    return "\n".join(_read(part) for part in PARTS)


def made() -> list[str]:
    """Return the names of the tables, views, indexes, functions and triggers of the schema, and each `table.column`."""
    columns = (
        f"{table}.{name}"
        for table, body in _TABLE.findall(schema())
        for name in _ANY_COLUMN.findall(body)
    )
    return [*_MADE.findall(schema()), *columns]
