"""This process's own session on a PostgreSQL server: proof of life, leadership, calls, and the server's clock.

The session holds an advisory lock for the process, which the server releases when the process dies, or is silent
for half a minute because its host sleeps or is cut off. So a process whose lock is free has ended, wherever it ran.
Only one session can hold the lock of the leader.

A lost session is opened again. Until then this process leads nothing, and believes of no other that it has ended.
"""

import hashlib
import os
import select
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import psycopg

from signet.clock import Clock
from signet.db.postgres.connection import LIVES, raw
from signet.observe import logs

log = logs.get("system")

#: The first key of all our advisory locks of sessions: "Sig" in ASCII.
LOCKS = 0x536967
LEADER = 0
#: The channel that says that a job may be due.
CHANNEL = "signet_due"
#: Seconds between looks at the server, which also find a dead connection.
LOOK_SECONDS = 1.0
#: Seconds that others get to open their sessions again, after the server was away or this process started.
SETTLED_SECONDS = 15.0

_LOOK = f"""
SELECT extract(epoch FROM clock_timestamp())::float8,
       array(SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND classid = {LOCKS} AND granted
               AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))"""
_HOLD = f"SELECT pg_try_advisory_lock({LOCKS}, %s::integer)"


class ServerSession:
    """One thread with one connection, from `__init__` until `close` or death."""

    def __init__(self, url: str, owner: str, *, wake: Callable[[], None] | None = None) -> None:
        """Open the session; `wake` is called when another process says that a job may be due, or may have.

        Raises psycopg's OperationalError if the server does not answer.
        """
        self._url = url
        self._key = key_of(owner)
        self._wake = wake
        self._wants_lead = self._must_notify = self._is_closed = False
        #: Whether this process holds the lock of the leader.
        self.leads = False
        self._living: frozenset[int] = frozenset()
        #: The number of looks; by owner, that number when its lock was missing for the first time.
        self._looks, self._looked_at = 0, 0.0
        self._missing: dict[str, int] = {}
        self._offset = 0.0
        self._since: float | None = None
        self._nudge_read, self._nudge_write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._connection = self._open()
        self.clock = Clock(monotonic_ms=self._server_ms)
        self._thread = threading.Thread(target=self._run, name="server-session", daemon=True)
        self._thread.start()

    def has_ended(self, owner: str) -> bool:
        """Return whether a process has ended; False while this is unknown."""
        since, looks = self._since, self._looks
        if since is None or time.monotonic() - since < SETTLED_SECONDS:
            return False
        if key_of(owner) in self._living:
            self._missing.pop(owner, None)
            return False
        # The last look may be older than the process: only one that began after this question counts.
        return looks > self._missing.setdefault(owner, looks) + 1

    def try_to_lead(self) -> bool:
        """Return whether this process leads; if not, it tries at each look from now on."""
        if not self._wants_lead:
            self._wants_lead = True
            self._nudge()
        return self.leads

    def notify(self) -> None:
        """Wake the listening processes of all hosts; from any thread, and without waiting for the server."""
        self._must_notify = True
        self._nudge()

    def close(self) -> None:
        """Give up the proof of life and the lead; safe to call twice."""
        if self._is_closed:
            return
        self._is_closed = True
        self._nudge()
        self._thread.join()
        os.close(self._nudge_read)
        os.close(self._nudge_write)

    def _server_ms(self) -> int:
        return int((time.monotonic() + self._offset) * 1000)

    def _nudge(self) -> None:
        with suppress(BlockingIOError):  # the pipe is full of nudges already
            os.write(self._nudge_write, b"1")

    # -- the thread -----------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._is_closed:
            try:
                with self._connection as connection:
                    while not self._is_closed:
                        self._turn(connection)
            except psycopg.Error as error:
                self.leads, self._since = False, None
                log.warning("server.session_lost", error=type(error).__name__)
                self._reopen()

    def _reopen(self) -> None:
        while not self._is_closed:
            try:
                self._connection = self._open()
            except psycopg.Error:
                self._wait(-1, LOOK_SECONDS)
            else:
                log.info("server.session_opened")
                if self._wake is not None:  # a call may have been lost
                    self._wake()
                return

    def _open(self) -> "psycopg.Connection[tuple[Any, ...]]":
        connection = raw(self._url, ends=LIVES)
        try:
            # The server may not know yet that an earlier connection of this process is gone.
            while not _value(connection, _HOLD, (self._key,)):
                self._wait(-1, LOOK_SECONDS)
            if self._wake is not None:
                connection.execute(f"LISTEN {CHANNEL}")
            self._look(connection)
        except BaseException:
            connection.close()
            raise
        self._since = time.monotonic()
        return connection

    def _turn(self, connection: "psycopg.Connection[tuple[Any, ...]]") -> None:
        """Do what other threads want, read calls, then wait for the next ones."""
        if self._must_notify:
            self._must_notify = False
            connection.execute(f"NOTIFY {CHANNEL}")
        if time.monotonic() - self._looked_at >= LOOK_SECONDS or self._wants_lead > self.leads:
            self._look(connection)
        own = connection.info.backend_pid
        calls = [call for call in connection.notifies(timeout=0) if call.pid != own]
        if calls and self._wake is not None:
            self._wake()
        if not self._must_notify:
            self._wait(connection.fileno(), self._looked_at + LOOK_SECONDS - time.monotonic())

    def _look(self, connection: "psycopg.Connection[tuple[Any, ...]]") -> None:
        before = time.monotonic()
        found = connection.execute(_LOOK).fetchone()
        assert found is not None
        now, living = found
        self._offset = now - (before + time.monotonic()) / 2
        self._living = frozenset(living)
        self._looks, self._looked_at = self._looks + 1, before
        if self._wants_lead and not self.leads:
            self.leads = bool(_value(connection, _HOLD, (LEADER,)))

    def _wait(self, connection: int, seconds: float) -> None:
        sources = [self._nudge_read] if connection < 0 else [connection, self._nudge_read]
        poll = select.poll()  # select(2) takes no descriptor above 1023
        for source in sources:
            poll.register(source, select.POLLIN)
        poll.poll(max(seconds, 0.0) * 1000)
        with suppress(BlockingIOError):
            os.read(self._nudge_read, 4096)


def key_of(owner: str) -> int:
    """Return the second key of a process's lock; 0 is the leader's."""
    return int.from_bytes(hashlib.sha256(owner.encode()).digest()[:4], "big") % 0x7FFF_FFFF + 1


def _value(
    connection: "psycopg.Connection[tuple[Any, ...]]", sql: str, params: tuple[object, ...]
) -> object:
    found = connection.execute(sql, params).fetchone()
    return found and found[0]
