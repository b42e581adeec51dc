"""Find out what became of a transaction whose COMMIT got no answer: the server remembers that by its number."""

import time
from collections.abc import Callable
from typing import Any

import psycopg

#: How long to ask a server that does not answer; the caller of the write waits meanwhile.
SECONDS = 5.0
PAUSE_SECONDS = 0.1
_STATUS = "SELECT pg_xact_status(%s::text::xid8)"
#: Ends the lost session if it still has the transaction: it never received the COMMIT, or completes it.
_END = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_xid = %s::text::xid8::xid"
)

Raw = psycopg.Connection[tuple[Any, ...]]


def learn(open_again: Callable[[], Raw], number: str) -> tuple[Raw, bool] | None:
    """Return a new connection and whether the transaction was committed; None if the server does not say."""
    until = time.monotonic() + SECONDS
    while True:
        try:
            connection = open_again()
        except psycopg.OperationalError:
            pass
        else:
            if (is_committed := _status(connection, number, until)) is not None:
                return connection, is_committed
            connection.close()
        if time.monotonic() > until:
            return None
        time.sleep(PAUSE_SECONDS)


def _status(connection: Raw, number: str, until: float) -> bool | None:
    try:
        while True:
            row = connection.execute(_STATUS, (number,)).fetchone()
            if row != ("in progress",):
                return {("committed",): True, ("aborted",): False}.get(row or ())
            if time.monotonic() > until:
                return None
            connection.execute(_END, (number,))
            time.sleep(PAUSE_SECONDS)
    except psycopg.Error:
        return None
