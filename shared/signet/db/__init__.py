"""The database of one process: readers with snapshots, and one writer that commits in groups.

`write` and `read` run a function with an open transaction: `db.write(memory.remember, new, now=now)` calls
`memory.remember(tx, new, now=now)`. `awrite` and `aread` do the same for asyncio callers. There is no other
way to reach a row.
"""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar, cast

from signet import engine
from signet.db import damage
from signet.db.caches import ProcessCaches
from signet.db.commits import Commits, News
from signet.db.driver import (
    CANNOT_OPEN,
    SQL,
    Row,
    connect,
    primary_code,
    says_damage,
    sqlite,
    vec_loaded,
)
from signet.db.gate import WriteGate
from signet.db.opened import OpenedFiles
from signet.db.readers import Readers
from signet.db.snapshot import rescue
from signet.db.transaction import Params, ReadTx, WriteTx
from signet.db.writer import GROUP_SECONDS, WAIT_SECONDS, CommitHook, Writer, translate
from signet.errors import StorageDamaged, StorageFull, StorageMoved
from signet.observe import logs

if TYPE_CHECKING:
    from signet.db.postgres.database import NoGate

log = logs.get("system")

__all__ = ["CommitHook", "Database", "Params", "ReadTx", "Row", "WriteTx"]

P = ParamSpec("P")
T = TypeVar("T")

#: Connections for reading, each with its thread; a request holds one only while it reads.
READERS = 4
#: Reads from other threads (actors, background work), on top of those of the reader threads.
EXTRA_READERS = 8


class Database:
    """One process's connections to the database file; open it once, close it at the end."""

    #: The address of the server, None for a file.
    url: str | None = None
    _begin_apart: Callable[[], None] | None = None
    _gate: "WriteGate | NoGate"

    def __new__(cls, path: Path, **_: object) -> Self:
        """Return a `PostgresDatabase` for a database on a server."""
        if cls is Database and engine.url_of(path) is not None:
            from signet.db.postgres.database import PostgresDatabase

            return cast(Self, object.__new__(PostgresDatabase))
        return object.__new__(cls)

    def __init__(
        self,
        path: Path,
        *,
        readers: int = READERS,
        wait_seconds: float = WAIT_SECONDS,
        group_seconds: float = GROUP_SECONDS,
        inline: bool = True,
    ) -> None:
        """Open the file; the writer uses `group_seconds` and `inline` (see writer.py).

        The schema must exist (see migrate.py). Raises StorageBusy or StorageFull.
        """
        self.path = path
        self._is_closed = False
        try:
            self._open(path)
        except sqlite.Error as error:
            raise translate(error) from error
        self.writer = Writer(
            self._write_connection,
            self._gate,
            wait_seconds=wait_seconds,
            group_seconds=group_seconds,
            inline=inline,
            check=self._check,
            translate=self._translate,
            begin_apart=self._begin_apart,
        )
        self._readers = Readers(
            path, most=readers + EXTRA_READERS, wait_seconds=wait_seconds, translate=self._translate
        )
        self.caches = ProcessCaches(self._snapshot)
        self._threads = ThreadPoolExecutor(readers, thread_name_prefix="db-reader")
        engine.keep(path, is_open=True)

    def write(
        self,
        function: Callable[Concatenate[WriteTx, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run `function(tx, ...)` in a synced transaction; return its result after the commit.

        Raises the function's errors (its writes are rolled back), StorageBusy, StorageFull.
        """
        return cast(T, self.writer.call(partial(_flip, function, args, kwargs), durable=True))

    def write_quick(
        self,
        function: Callable[Concatenate[WriteTx, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Write without waiting for the disk, for bookkeeping that a power cut may undo."""
        return cast(T, self.writer.call(partial(_flip, function, args, kwargs), durable=False))

    async def awrite(
        self,
        function: Callable[Concatenate[WriteTx, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Write as `write` does, for asyncio callers."""
        return cast(
            T, await self.writer.acall(partial(_flip, function, args, kwargs), durable=True)
        )

    async def awrite_quick(
        self,
        function: Callable[Concatenate[WriteTx, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Write as `write_quick` does, for asyncio callers."""
        work = partial(_flip, function, args, kwargs)
        return cast(T, await self.writer.acall(work, durable=False))

    def read(
        self,
        function: Callable[Concatenate[ReadTx, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Run `function(tx, ...)` on one snapshot and return its result."""
        with self._snapshot() as tx:
            return cast(T, _flip(function, args, kwargs, tx))

    async def aread(
        self,
        function: Callable[Concatenate[ReadTx, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Read as `read` does, on a reader thread, for asyncio callers."""
        loop = asyncio.get_running_loop()
        # The context contains the request's caller (domain/auth/caller.py).
        read = partial(self.read, function, *args, **kwargs)
        return await loop.run_in_executor(self._threads, copy_context().run, read)

    @property
    def holding(self) -> tuple[int, int]:
        """Return the number of this process's open write transaction, and its thread; zeros without one."""
        return self._gate.holding

    def rest(self) -> None:
        """Drop the connections' cached pages; the next reads and writes load them again."""
        self._readers.close()
        self.write_quick(lambda tx: tx.run("PRAGMA shrink_memory"))

    def close(self) -> None:
        """Finish the waiting writes and close every connection; safe to call twice."""
        if self._is_closed:
            return
        self._is_closed = True
        self.writer.stop()
        self.needs_restart()
        self._threads.shutdown(wait=True)
        self.caches.close()
        self._readers.close()
        self._write_connection.close()
        self._gate.close()
        self._close_files()
        engine.keep(self.path, is_open=False)

    def _open(self, path: Path) -> None:
        self._write_connection = connect(path)
        self._write_connection.execute(
            "SELECT 1 FROM sqlite_master LIMIT 1"
        ).fetchone()  # opens the log
        self.files = OpenedFiles(path)
        self._check = self.files.check
        self.has_vec = vec_loaded(self._write_connection)
        try:
            self._gate = WriteGate(path)
        except OSError as error:
            self._write_connection.close()
            self.files.close()
            raise StorageFull() from error

    def _close_files(self) -> None:
        self.files.close()

    def commits(self) -> Commits:
        """Return a new watcher of the commits of all processes."""
        return Commits(self.path)

    def news(self) -> News:
        """Return a new observer of changes, for one thread."""
        return News(self.commits() if self.url is None else None)

    def needs_restart(self) -> bool:
        """Return whether files of the database were moved, replaced or deleted while this process had them open.

        If the database was deleted or replaced, this process first writes all stored data: to its path, or next to the
        new file. Then all processes must close their connections and open the present files. Returns False if that
        write fails: ask again.
        """
        if not self.files.are_displaced():
            return False
        try:
            self.writer.alone(partial(rescue, self.path, self.files.have_left_log))
        except (sqlite.Error, OSError):
            log.exception("database.not_rescued", path=str(self.path))
            return False
        return True

    async def aprobe(self) -> None:
        """Commit an unchanged page to check whether writing works; raises the errors of a write."""
        await self.awrite_quick(lambda tx: tx.run("PRAGMA user_version = 0"))

    def _translate(self, error: BaseException) -> BaseException:
        """Return the SignetError for an error, given the state of the file; record one that reports damage."""
        found = translate(error)
        if primary_code(error) in (SQL, CANNOT_OPEN):
            try:
                self.files.check()
            except (StorageMoved, StorageDamaged) as why:
                why.__cause__ = error
                found = why
        if isinstance(found, StorageDamaged):
            what = str(error) if says_damage(error) else "the file was emptied"
            damage.note(self.path, damage.DamageKind.DAMAGED, what)
        return found

    @contextmanager
    def _snapshot(self) -> Iterator[ReadTx]:
        with self._readers.connection() as connection:
            try:
                connection.execute("BEGIN")
                yield ReadTx(connection, self.caches)
            except sqlite.Error as error:
                raise self._translate(error) from error
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")


def _flip(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], tx: ReadTx
) -> Any:
    try:
        return function(tx, *args, **kwargs)
    except (
        StopIteration
    ) as error:  # a future does not accept it, and its caller would wait for ever
        raise RuntimeError("a transaction's function raised StopIteration") from error
