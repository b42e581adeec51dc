"""A process's connections to a PostgreSQL server: one that writes groups of functions, and a pool that reads.

A group is a REPEATABLE READ transaction. If it meets rows that another process changed meanwhile, it runs again.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from signet import engine
from signet.db import Database, ReadTx
from signet.db.driver import connect, sqlite
from signet.db.postgres.address import password_fault, shown
from signet.db.postgres.schema import ServerUnfit
from signet.db.writer import translate

T = TypeVar("T")
P = ParamSpec("P")


class ReadLost(ServerUnfit):
    """The server ended the connection in the middle of a read."""


class CommitUnknown(ServerUnfit, code="commit_unknown"):
    """The server was lost while it committed, so the change may have been written."""


class NoGate:
    """Replaces the lock of SQLite's file: on a server, transactions of processes run at the same time."""

    def __init__(self) -> None:
        self._entered = self._thread = 0

    @property
    def holding(self) -> tuple[int, int]:
        """Return how often a transaction has begun, and the thread (native ID) of an open one; else zeros."""
        thread = self._thread
        return (self._entered, thread) if thread else (0, 0)

    def __enter__(self) -> None:
        if not self._thread:
            self.try_enter()

    def __exit__(self, *_: object) -> None:
        self.leave()

    def try_enter(self) -> bool:
        """Begin; always possible."""
        self._entered += 1
        self._thread = threading.get_native_id()
        return True

    def leave(self) -> None:
        """End."""
        self._thread = 0

    def close(self) -> None:
        """Release nothing."""


class PostgresDatabase(Database):
    """A database on a server, with the interface of one in a file."""

    def _open(self, path: Path) -> None:
        self.url = engine.url_of(path)
        try:
            self._write_connection = connect(path)
        except sqlite.Error as error:
            raise self._translate(error) from error
        self.has_vec = False
        self._gate = NoGate()

    def read(
        self, function: Callable[Concatenate[ReadTx, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Read as in a file; what the server cut short runs again, once."""
        try:
            return super().read(function, *args, **kwargs)
        except ReadLost:
            return super().read(function, *args, **kwargs)

    @contextmanager
    def _snapshot(self) -> Iterator[ReadTx]:
        """Lend a snapshot; raise ReadLost if its connection is lost at the end."""
        with super()._snapshot() as tx:
            try:
                yield tx
            finally:
                if getattr(tx.connection, "is_lost", False):
                    raise ReadLost(f"{shown(str(self.url))} does not answer")

    def _begin_apart(self) -> None:
        """Begin the transaction in which the queue claims jobs: one process after the other, each seeing the last.

        It does not wait long, because writes wait meanwhile: a process that hangs may hold the lock.
        """
        self._write_connection.execute("BEGIN CLAIM")
        self._write_connection.execute("PRAGMA busy_timeout = 500")
        self._write_connection.execute("SELECT pg_advisory_xact_lock(7391, 3)")

    def _check(self) -> None:
        """Find nothing: no one can move a server's files under this process."""

    def _translate(self, error: BaseException) -> BaseException:
        if not getattr(error, "is_lost", False):
            return translate(error)
        url = str(self.url)
        told = password_fault(url, str(error)) or f"{shown(url)} does not answer"
        away = ServerUnfit(f"{told}; nothing was written")
        if getattr(error, "is_unknown", False):
            away = CommitUnknown(
                f"{told}; it is not known whether the change was written. Check that before you repeat it"
            )
        away.__cause__ = error
        return away

    def needs_restart(self) -> bool:
        """Return False: a lost connection is opened again."""
        return False

    def _close_files(self) -> None:
        """Close nothing."""
