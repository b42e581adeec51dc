"""SQLite's dialect, by name, for the `sql.py` of each noun.

A list is one parameter, so that a statement has one text for lists of any length: `f"WHERE id IN {LIST}"` with
`as_list(ids)`. Another database engine would need other texts here, in `fts.py` and in `vectors.py`.
"""

import json
from collections.abc import Iterable

#: Statements for PostgreSQL by their text for SQLite, where the translation would not do.
POSTGRES: dict[str, str] = {}


def sql(sqlite: str, *, postgres: str) -> str:
    """Return the statement for SQLite, and keep the other for PostgreSQL (in SQLite's syntax, too)."""
    POSTGRES[sqlite] = postgres
    return sqlite


#: The names of all tables.
TABLES = "SELECT name FROM sqlite_master WHERE type = 'table'"

#: Whether the schema has a table, view, index or trigger of a name.
HAS = "SELECT 1 FROM sqlite_master WHERE name = ?"

#: The pages of the file, its unused pages, and the bytes of a page.
PAGES = "PRAGMA page_count"
FREE_PAGES = "PRAGMA freelist_count"
PAGE_BYTES = "PRAGMA page_size"

#: The first 50 faults of the file, or the row `ok`.
QUICK_CHECK = "PRAGMA quick_check(50)"

#: The values of a list that is bound as one parameter, for `IN`.
LIST = "(SELECT value FROM json_each(?))"

#: A join that reads the tables in the written order, instead of `JOIN`: the planner does not choose.
THEN_JOIN = "CROSS JOIN"

#: After a table: use no index.
NO_INDEX = "NOT INDEXED"


def newest_number(table: str, column: str) -> str:
    """Return the statement for the highest number that a row ever had; on PostgreSQL, that a row has."""
    return sql(
        f"SELECT seq FROM sqlite_sequence WHERE name = '{table}'",
        postgres=f"SELECT max({column}) FROM {table}",
    )


def cut_off(pages: int) -> str:
    """Return the statement that returns up to `pages` free pages to the file system."""
    return f"PRAGMA incremental_vacuum({pages})"


def by_index(name: str) -> str:
    """Return the clause after a table that makes SQLite use the index `name`."""
    return f"INDEXED BY {name}"


def at_most(parameter: str = "?") -> str:
    """Return the `LIMIT` of a statement that is planned once.

    SQLite plans a statement with a bare parameter again for each value (a twelfth of the work of a recall).
    """
    return f"LIMIT {parameter} + 0"


def list_of(parameter: str) -> str:
    """Return `LIST` for a named or numbered parameter, such as `:ids` or `?2`."""
    return f"(SELECT value FROM json_each({parameter}))"


def list_rows(parameter: str = "?") -> str:
    """Return a bound list as a table, for `FROM`: `value`, and `key`, its place from 0."""
    return f"json_each({parameter})"


def as_list(values: Iterable[str | int | float]) -> str:
    """Return the parameter for `LIST`, `list_of` or `list_rows`."""
    return json.dumps(list(values))
