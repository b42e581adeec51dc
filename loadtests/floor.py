"""The floor of a scenario: SQLite alone writing the same rows, with one thread and connection, without HTTP."""

import time
from collections.abc import Sequence
from pathlib import Path

from signet import clock
from signet.db import migrate
from signet.db.driver import Connection, connect

#: A table and the values of its rows.
Rows = list[tuple[str, Sequence[object]]]

#: Without `memory_sources`, which a trigger fills.
_TABLES = """
SELECT m.name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
 WHERE m.type = 'table' AND c.name = 'memory_id' AND m.name NOT LIKE 'vec%'
   AND m.name <> 'memory_sources'"""


def rows_of_memories(database: Path, count: int) -> list[Rows]:
    """Return every row that belongs to the first memories of a database, per memory."""
    connection = connect(database, read_only=True)
    tables = [name for (name,) in connection.execute(_TABLES)]
    ids = [
        row[0]
        for row in connection.execute("SELECT id FROM memories ORDER BY id LIMIT ?", (count,))
    ]
    found: dict[str, Rows] = {memory_id: [] for memory_id in ids}
    for table, column in [("memories", "id"), *((table, "memory_id") for table in tables)]:
        reading = connection.execute(f"SELECT * FROM {table}")
        place = [part[0] for part in reading.description].index(column)
        for row in reading:
            if row[place] in found:
                found[row[place]].append((table, tuple(row)))
    connection.close()
    return list(found.values())


def replay(memories: Sequence[Rows], database: Path, *, group: int) -> float:
    """Write the rows into a new database, `group` memories per synced transaction; return memories per second."""
    migrate.upgrade(database, now=clock.now())
    connection = connect(database)
    for pragma in ("synchronous = FULL", "foreign_keys = OFF", "wal_autocheckpoint = 0"):
        connection.execute(f"PRAGMA {pragma}")
    began = time.perf_counter()
    for first in range(0, len(memories), group):
        connection.execute("BEGIN IMMEDIATE")
        for rows in memories[first : first + group]:
            for table, values in rows:
                _insert(connection, table, values)
        connection.execute("COMMIT")
    seconds = time.perf_counter() - began
    connection.close()
    return len(memories) / seconds


def _insert(connection: Connection, table: str, values: Sequence[object]) -> None:
    marks = ", ".join("?" * len(values))
    connection.execute(f"INSERT INTO {table} VALUES ({marks})", values)
