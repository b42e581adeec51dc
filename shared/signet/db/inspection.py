"""Queries of `signet doctor` and `signet report` on a database file of any version, possibly locked or damaged."""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from signet import engine
from signet.db.dialect import HAS
from signet.db.driver import connect, sqlite
from signet.db.transaction import ReadTx

#: How long a query waits for a lock of recovery.
WAIT_MS = 1_000
#: How often the time is checked, in steps of SQLite's virtual machine.
_STEPS = 20_000

_CAN_READ = "SELECT count(*) FROM sqlite_master"
#: sqlite-vec's own table with the rows of the index; it does not exist before the first vector.
_INDEX = "vec_embeddings_rowids"
_DRIFT = """
SELECT (SELECT count(*) FROM embeddings e
         WHERE NOT EXISTS (SELECT 1 FROM vec_embeddings_rowids v WHERE v.id = e.id)) AS missing,
       (SELECT count(*) FROM vec_embeddings_rowids v
         WHERE NOT EXISTS (SELECT 1 FROM embeddings e WHERE e.id = v.id)) AS orphaned"""
_SERVER = """
SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
       pg_database_size(current_database()) AS size"""
_NEWEST_TEXTS = """
SELECT substr(content, 1, ?) FROM memories
 WHERE is_deleted = 0 AND type <> 'document_chunk' ORDER BY seq DESC LIMIT ?"""
_NEWEST_INSTANT = """
SELECT max(at) FROM (
    SELECT max(created_at) AS at FROM memories UNION ALL SELECT max(started_at) FROM processes)"""
_IS_REMEMBERED = """
SELECT 1 FROM memories
 WHERE (length(content) >= :least AND instr(:text, content)) OR instr(content, :text) LIMIT 1"""


class IndexDrift(NamedTuple):
    """Vectors missing in the index, and index rows without a vector."""

    missing: int
    orphaned: int


class Server(NamedTuple):
    """A PostgreSQL server: its version, and the size of the database in bytes."""

    version: str
    size: int


@contextlib.contextmanager
def reading(path: Path, *, seconds: float) -> Iterator[ReadTx | None]:
    """Yield a snapshot of a database file, or None if it cannot be read.

    Reads are interrupted after `seconds`.
    """
    if not path.exists() and engine.url_of(path) is None:
        yield None
        return
    try:
        connection = connect(path, read_only=True)
        connection.execute(f"PRAGMA busy_timeout = {WAIT_MS}")
        connection.execute("BEGIN")
        connection.execute(_CAN_READ).fetchone()
    except sqlite.Error:
        yield None
        return
    ends = time.monotonic() + seconds
    connection.set_progress_handler(lambda: time.monotonic() > ends, _STEPS)
    with contextlib.closing(connection):
        yield ReadTx(connection)


def memory_count(path: Path) -> int | None:
    """Count the memories of a database of any version; None if it cannot be read."""
    if not engine.exists(path):
        return None
    try:
        with contextlib.closing(connect(path, read_only=True)) as connection:
            columns = {row[1] for row in connection.execute("PRAGMA table_info(memories)")}
            kept = " WHERE is_deleted = 0" if "is_deleted" in columns else ""
            row = connection.execute(f"SELECT count(*) FROM memories{kept}").fetchone()
            return int(row[0])
    except sqlite.DatabaseError:
        return None


def index_drift(tx: ReadTx) -> IndexDrift | None:
    """Return the differences between vectors and their index; None without an index."""
    return None if tx.value(HAS, (_INDEX,)) is None else tx.row(IndexDrift, _DRIFT)


def server(tx: ReadTx) -> Server:
    """Return the server of a database that is not in a file."""
    found = tx.row(Server, _SERVER)
    assert found is not None
    return found


def newest_texts(tx: ReadTx, *, chars: int, limit: int) -> list[str]:
    """Return the beginnings of the newest memories."""
    return [text for (text,) in tx.tuples(_NEWEST_TEXTS, (chars, limit))]


def newest_instant(tx: ReadTx) -> str | None:
    """Return the latest time at which a memory was made or a process started."""
    found: str | None = tx.value(_NEWEST_INSTANT)
    return found


def is_remembered(tx: ReadTx, text: str, *, least_chars: int) -> bool:
    """Return whether a text is part of a memory, or contains a memory of at least `characters`."""
    return tx.value(_IS_REMEMBERED, {"text": text, "least": least_chars}) is not None
