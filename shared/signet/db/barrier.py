"""A second barrier behind the conditions of statements: what a read for a caller with limits can see at all.

On a PostgreSQL server, policies of the tables with texts (`postgres/readers.sql`) enforce it for each read transaction
that begins while a barrier is set, so that a forgotten condition shows nothing of another person. Writes and work that
no caller requested have none, nor has SQLite.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from signet.db.driver import Connection

#: The reader who sees every owner's rows but those of people.
NO_PERSON = "*"


class Barrier(NamedTuple):
    """The owner whose private rows are visible (or `NO_PERSON`), and the visibilities of readable spaces."""

    reader: str
    spaces: tuple[str, ...] = ()


CURRENT: ContextVar[Barrier | None] = ContextVar("signet_barrier", default=None)


@contextmanager
def lifted(connection: "Connection") -> Iterator[None]:
    """See the rows of every owner in the block, to fill what the process keeps for all callers."""
    put = getattr(connection, "put_barrier", None)
    if put is None or CURRENT.get() is None:
        yield
        return
    put(None)
    try:
        yield
    finally:
        put(CURRENT.get())
