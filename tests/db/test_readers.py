"""The connections for reading of a process: lent to one at a time, and never lost."""

import contextlib
import itertools
import queue
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from signet import db as database
from signet.db import Database, ReadTx, readers
from signet.db.readers import Readers
from signet.errors import StorageBusy
from support.database import fresh_database
from support.interrupts import interrupted
from support.processes import PATIENCE_SECONDS, eventually

STEPS_IN = (database, readers, contextlib, queue, threading)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return fresh_database(tmp_path / "m.db")


@pytest.fixture
def only(path: Path) -> Iterator[Readers]:
    """Give readers of which one at a time gets a connection."""
    pool = Readers(path, most=1, wait_seconds=PATIENCE_SECONDS)
    yield pool
    pool.close()


def answer(pool: Readers) -> int:
    with pool.connection() as connection:
        return int(connection.execute("SELECT 42").fetchone()[0])


def beside(work: Callable[[], object]) -> threading.Thread:
    """Do something in another thread, which does not keep the tests when it never ends."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def is_answered(pool: Readers) -> None:
    """Read in another thread, and fail when nothing comes of it."""
    found: list[int] = []
    beside(lambda: found.append(answer(pool)))
    eventually(lambda: found == [42])


def is_long(pool: Readers, count: int) -> bool:
    """Return whether so many read or wait to."""
    return len(pool._line) == count


def test_who_gets_no_connection_in_time_is_told_to_try_again(path: Path) -> None:
    pool = Readers(path, most=1, wait_seconds=0.01)
    with pool.connection(), pytest.raises(StorageBusy), pool.connection():
        pass
    assert answer(pool) == 42
    pool.close()


def test_who_waits_gets_the_connection_of_who_leaves_in_the_order_of_coming(only: Readers) -> None:
    served: list[int] = []

    def read(number: int) -> None:
        with only.connection():
            served.append(number)

    with only.connection():
        for number in range(3):
            beside(partial(read, number))
            eventually(partial(is_long, only, number + 2))
        assert served == []
    eventually(lambda: served == [0, 1, 2])


def test_many_threads_share_few_connections(path: Path) -> None:
    pool = Readers(path, most=3, wait_seconds=PATIENCE_SECONDS)
    found: list[int] = []

    def read() -> None:
        for _ in range(50):
            found.append(answer(pool))

    for thread in [beside(read) for _ in range(8)]:
        thread.join(PATIENCE_SECONDS)
    assert found == [42] * 400
    assert len(pool._free) <= 3
    pool.close()


def test_a_reader_that_is_interrupted_anywhere_keeps_no_connection(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker's actors are (queue/deadline.py); what they kept would be missing until its process ends."""
    monkeypatch.setattr("signet.db.EXTRA_READERS", 0)
    db = Database(path, readers=1, wait_seconds=PATIENCE_SECONDS)

    def read() -> None:
        db.read(ReadTx.value, "SELECT 42")

    for point in itertools.count(1):
        was_interrupted = interrupted(read, point, within=STEPS_IN)
        is_answered(db._readers)
        if not was_interrupted:
            break
    db.close()


def test_a_reader_that_is_interrupted_while_it_waits_leaves_the_line(only: Readers) -> None:
    for point in itertools.count(1):
        holds, is_over = threading.Event(), threading.Event()

        def hold(holds: threading.Event = holds, is_over: threading.Event = is_over) -> None:
            with only.connection():
                holds.set()
                eventually(lambda: is_over.is_set() or is_long(only, 2))

        holder = beside(hold)
        assert holds.wait(PATIENCE_SECONDS)
        was_interrupted = interrupted(lambda: answer(only), point, within=STEPS_IN)
        is_over.set()
        holder.join(PATIENCE_SECONDS)
        is_answered(only)
        if not was_interrupted:
            break


def test_a_reader_that_is_interrupted_while_it_leaves_lets_the_next_one_in(only: Readers) -> None:
    for point in itertools.count(1):
        waiting: list[threading.Thread] = []

        def read(waiting: list[threading.Thread] = waiting) -> None:
            with only.connection():
                waiting.append(beside(lambda: answer(only)))
                eventually(partial(is_long, only, 2))

        was_interrupted = interrupted(read, point, within=(readers, contextlib))
        for thread in waiting:
            thread.join(PATIENCE_SECONDS)
            assert not thread.is_alive()
        if not was_interrupted:
            break
