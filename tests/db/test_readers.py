"""The connections for reading of a process: lent to one at a time, and never lost."""

import contextlib
import os
import resource
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from signet.db.readers import Readers
from signet.errors import StorageBusy, StorageFull, TooManyFiles
from support.database import fresh_database
from support.processes import PATIENCE_SECONDS, eventually


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


def is_long(pool: Readers, count: int) -> bool:
    """Return whether so many read or wait to."""
    return pool._in_use + len(pool._line) == count


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


def test_a_reader_that_fails_gives_its_connection_back(only: Readers) -> None:
    with pytest.raises(ValueError, match="no"), only.connection():
        raise ValueError("no")
    assert answer(only) == 42
    assert len(only._free) == 1


def test_who_gives_up_waiting_lets_those_behind_him_in(path: Path) -> None:
    pool = Readers(path, most=1, wait_seconds=0.2)
    found: list[int] = []
    with pool.connection():
        beside(lambda: answer_or_none(pool))
        eventually(lambda: is_long(pool, 2))
        eventually(lambda: is_long(pool, 1))
        beside(lambda: found.append(answer(pool)))
        eventually(lambda: is_long(pool, 2))
    eventually(lambda: found == [42])
    pool.close()


def answer_or_none(pool: Readers) -> int | None:
    with contextlib.suppress(StorageBusy):
        return answer(pool)
    return None


def test_what_cannot_be_opened_takes_no_place(tmp_path: Path) -> None:
    pool = Readers(tmp_path / "missing.db", most=1, wait_seconds=0.1)
    for _ in range(3):
        with pytest.raises(StorageFull), pool.connection():
            pass


def test_who_can_open_no_file_is_told_so_and_reads_again_later(only: Readers) -> None:
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = os.dup(0)
    os.close(free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, limits[1]))
    try:
        with pytest.raises(TooManyFiles, match="Too many files and connections are open"):
            answer(only)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert answer(only) == 42
