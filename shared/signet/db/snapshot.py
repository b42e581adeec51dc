"""Copy the whole database at one instant, while others write; and inspect such a copy.

`VACUUM INTO` reads one snapshot, including the write-ahead log, and writes a compact file with the same rows, row
numbers and indexes (full text and vectors too). It holds no lock that a writer waits for.

A copy of a database on a PostgreSQL server is such a file too, so that it can be restored to either engine.
"""

import contextlib
import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from signet import engine
from signet.db.driver import FULL, Connection, connect, primary_code, sqlite
from signet.errors import StorageDamaged, StorageFull

#: Interval of progress reports, in steps of SQLite's virtual machine: some thousandths of a second.
_STEPS = 200_000

#: Ordinary tables: neither virtual ones nor their shadow tables.
_TABLES = """
SELECT name FROM pragma_table_list
 WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"""


def damaged(database: Path, error: Exception) -> StorageDamaged:
    """Return the error about an unreadable file, with instructions."""
    return StorageDamaged(
        f"{database} cannot be read: {error}. Restore a backup: signet backup list, then "
        "signet restore FILE",
        path=str(database),
    )


def snapshot(database: Path, into: Path, *, tell: Callable[[int], None] | None = None) -> None:
    """Write the current database to a new private file, synced to disk.

    `tell` is called with the bytes written, and stops the copy by raising. Raises StorageFull and StorageDamaged; the
    caller then removes the new file.
    """
    if (url := engine.url_of(database)) is not None:
        _copy_server(url, into, tell)
        return
    os.close(os.open(into, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    stopped: list[BaseException] = []

    def step() -> int:
        try:
            if tell is not None:
                tell(into.stat().st_size)
        except BaseException as error:  # carried past SQLite, which only learns that it must stop
            stopped.append(error)
        return len(stopped)

    try:
        with contextlib.closing(connect(database, read_only=True)) as connection:
            connection.set_progress_handler(step, _STEPS)
            connection.execute("VACUUM INTO ?", (str(into),))
    except sqlite.DatabaseError as error:
        if stopped:
            raise stopped[0] from None
        if primary_code(error) in FULL:
            raise StorageFull(f"{into.parent} is full or cannot be written") from error
        raise damaged(database, error) from error
    with into.open("rb") as file:
        os.fsync(file.fileno())


def _copy_server(url: str, into: Path, tell: Callable[[int], None] | None) -> None:
    from signet.db.postgres import moving
    from signet.db.postgres.connection import raw

    with raw(url) as server:
        moving.write_file(
            server, into, now=datetime.now(UTC), tell=lambda _: tell and tell(into.stat().st_size)
        )
    with into.open("rb") as file:
        os.fsync(file.fileno())


def rescue(database: Path, have_left_log: Callable[[], bool], connection: Connection) -> None:
    """Save a database that was deleted or replaced while this connection has it open: to its path, or next to it.

    A replaced one becomes `.bak-…` and the new file stays. The log at that path belongs to the old file: a new one must
    not find it. Does nothing if another process has done so. Raises sqlite.Error and OSError.
    """
    is_replaced = database.exists()
    if not (have_left_log() if is_replaced else database.parent.is_dir()):
        return
    part = database.with_name(f"{database.name}.rescued")
    part.unlink(missing_ok=True)
    connection.execute("VACUUM INTO ?", (str(part),))
    with part.open("rb+") as file:
        os.fchmod(file.fileno(), 0o600)
        os.fsync(file.fileno())
    for end in ("wal", "shm"):
        database.with_name(f"{database.name}-{end}").unlink(missing_ok=True)
    part.rename(
        database.with_name(f"{database.name}.bak-{time.time_ns()}") if is_replaced else database
    )


def size(database: Path) -> int:
    """Return the maximum size of a copy in bytes. Raises StorageDamaged."""
    if (url := engine.url_of(database)) is not None:
        from signet.db.postgres.connection import raw

        with raw(url) as server:
            found = server.execute("SELECT pg_database_size(current_database())").fetchone()
            return int(found[0]) if found else 0
    try:
        with contextlib.closing(connect(database, read_only=True)) as connection:
            (pages,) = connection.execute("PRAGMA page_count").fetchone()
            (free,) = connection.execute("PRAGMA freelist_count").fetchone()
            (each,) = connection.execute("PRAGMA page_size").fetchone()
    except sqlite.DatabaseError as error:
        raise damaged(database, error) from error
    return int((pages - free) * each)


def counts(database: Path) -> dict[str, int]:
    """Count the rows of each table, by name. Raises StorageDamaged."""
    if (url := engine.url_of(database)) is not None:
        from signet.db.postgres import moving
        from signet.db.postgres.connection import raw

        with raw(url) as server:
            return moving.counts(server)
    try:
        with contextlib.closing(connect(database, read_only=True)) as connection:
            names = [str(row[0]) for row in connection.execute(_TABLES)]
            return {
                name: int(connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0])
                for name in names
            }
    except sqlite.DatabaseError as error:
        raise damaged(database, error) from error


def problems(database: Path) -> list[str]:
    """Return the faults that SQLite finds, empty for a healthy file; reads all of it."""
    return _pragma(database, "integrity_check(10)", lambda: False) or []


def quick_problems(database: Path, *, most: int, stop: Callable[[], bool]) -> list[str] | None:
    """Return the faults that SQLite finds without reading indexes; None if `stop` ended the check."""
    return _pragma(database, f"quick_check({int(most)})", stop)


def _pragma(database: Path, check: str, stop: Callable[[], bool]) -> list[str] | None:
    try:
        with contextlib.closing(connect(database, read_only=True)) as connection:
            connection.set_progress_handler(stop, _STEPS)
            rows = connection.execute(f"PRAGMA {check}").fetchall()
    except sqlite.DatabaseError as error:
        return None if stop() else [str(error)]
    return [str(row[0]) for row in rows if row[0] != "ok"]
