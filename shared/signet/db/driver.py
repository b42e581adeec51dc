"""The only module that imports a SQLite driver and opens the database file.

The driver is chosen once per process. Two SQLite libraries in one process must never open the same file, because each
would believe it holds the write lock:

1. the interpreter's `sqlite3`, if it can load extensions and is new enough; 2. `pysqlite3`; 3. the interpreter's plain
`sqlite3`: vectors are then compared in NumPy.

SQLite before 3.51.3 has a rare race between checkpoints and commits of different connections that can damage a WAL file
(https://sqlite.org/wal.html#walresetbug); `version_is_safe` tests whether this library has the fix.
"""

import importlib
import importlib.util
import sqlite3 as _builtin
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from signet import engine

if TYPE_CHECKING:
    import sqlite3 as sqlite
    from sqlite3 import Connection, Row
else:

    def _choose() -> ModuleType:
        loads = hasattr(_builtin.Connection, "enable_load_extension")
        if loads and _builtin.sqlite_version_info >= (3, 51, 3):
            return _builtin
        try:
            return importlib.import_module("pysqlite3.dbapi2")
        except ImportError:
            return _builtin

    sqlite = _choose()
    Connection = sqlite.Connection
    Row = sqlite.Row

__all__ = [
    "BUSY",
    "CANNOT_OPEN",
    "DAMAGED",
    "FULL",
    "SQL",
    "Connection",
    "Row",
    "connect",
    "sqlite",
    "vec_loaded",
    "version_is_safe",
]

#: Result codes (https://sqlite.org/rescode.html) of a lock held by another connection.
BUSY = frozenset({5, 6})
FULL = frozenset({8, 10, 13, 14})
SQL, CANNOT_OPEN = 1, 14
#: Result codes of a damaged file: malformed, not a database, and (an extended code) too short.
DAMAGED = frozenset({11, 26, 522})

#: A commit that finds the log longer than this moves it into the database file and the next one restarts it.
#: A commit that lengthens the file costs the file system a journal entry: with a log that is overwritten a synced
#: commit of one row takes 0.2 ms instead of 0.35 (measured on ext4), and no pause is longer than moving 32 MB.
#: Moving it each 8 MB costs a tenth of the saves a second (`loadtests/run.py remember`: 1,461 against 1,545).
LOG_PAGES = 8_000
#: A large transaction extends the log file; the part above this is returned to the disk.
LOG_BYTES = 64 * 1024 * 1024

#: How long a reader waits for a lock, which it meets only during recovery or a checkpoint reset.
READ_WAIT_MS = 5_000

#: Cached pages of a connection: a process has one that writes and up to twelve that read, and these lose all with each
#: commit of another.
WRITE_CACHE_KB = 8_000
READ_CACHE_KB = 2_000
#: Cached prepared statements of a connection, of about 10 KB each; a recall has fewer than thirty.
WRITE_STATEMENTS = 256
READ_STATEMENTS = 64

_PRAGMAS = (
    "PRAGMA synchronous = NORMAL",
    "PRAGMA foreign_keys = OFF",  # history and jobs outlive the rows they name
    "PRAGMA temp_store = MEMORY",
    "PRAGMA mmap_size = 0",
    f"PRAGMA journal_size_limit = {LOG_BYTES}",
)


def version_is_safe() -> bool:
    """Return whether this SQLite has the fix of the WAL-reset bug (3.51.3, 3.50.7, 3.44.6 and later)."""
    found = sqlite.sqlite_version_info
    mended = {(3, 50): 7, (3, 44): 6}
    return found >= (3, 51, 3) or found[2] >= mended.get((found[0], found[1]), 1 << 30)


def connect(path: Path, *, read_only: bool = False) -> Connection:
    """Open the database with our pragmas, in autocommit mode, with sqlite-vec if it can be loaded.

    A writable connection creates a missing file and switches it to WAL. Raises the driver's OperationalError. A
    database on a server gets a connection with the same interface.
    """
    if (url := engine.url_of(path)) is not None:
        from signet.db.postgres.connection import ServerConnection

        return cast(Connection, ServerConnection(url, read_only=read_only))
    mode = "ro" if read_only else "rwc"
    quoted = str(path.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    connection: Connection = sqlite.connect(
        f"file:{quoted}?mode={mode}",
        uri=True,
        timeout=READ_WAIT_MS / 1000,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=READ_STATEMENTS if read_only else WRITE_STATEMENTS,
    )
    try:
        if not read_only:
            # Only has an effect before the first table of a new file.
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
        for pragma in _PRAGMAS:
            connection.execute(pragma)
        connection.execute(f"PRAGMA cache_size = -{READ_CACHE_KB if read_only else WRITE_CACHE_KB}")
        connection.create_function("lower_unicode", 1, _lower, deterministic=True)
        connection.row_factory = sqlite.Row
        _load_vec(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _lower(value: str | bytes | float | None) -> str | bytes | float | None:
    return value.lower() if isinstance(value, str) else value


def _load_vec(connection: Connection) -> None:
    # Found without being imported: the package would load numpy, 12 MB in each process.
    package = importlib.util.find_spec("sqlite_vec")
    if package is None or package.origin is None or not hasattr(connection, "load_extension"):
        return
    connection.enable_load_extension(True)
    try:
        connection.load_extension(str(Path(package.origin).with_name("vec0")))
    except sqlite.OperationalError:
        return  # a library for another system: NumPy compares the vectors, and `vec_loaded` is False
    finally:
        connection.enable_load_extension(False)


def vec_loaded(connection: Connection) -> bool:
    if not isinstance(connection, Connection):
        return False  # on a server, which compares no vectors
    try:
        connection.execute("SELECT vec_version()").fetchone()
    except sqlite.OperationalError:
        return False
    return True


def says_damage(error: BaseException) -> bool:
    return not DAMAGED.isdisjoint((primary_code(error), getattr(error, "sqlite_errorcode", 0)))


def primary_code(error: BaseException) -> int:
    """Return the primary SQLite result code of a driver error, 0 without one."""
    code: Any = getattr(error, "sqlite_errorcode", 0)
    return int(code or 0) & 0xFF
