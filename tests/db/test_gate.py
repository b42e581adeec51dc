"""The write lock of a database: whoever waits comes before whoever has just left."""

import fcntl
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from signet.db.gate import WriteGate
from support.processes import eventually


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


class Waiter:
    """Somebody who waits for the gate, and keeps it until told."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._enough = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        eventually(self._waits)

    def _run(self) -> None:
        with closing(WriteGate(self._path)) as gate, gate:
            self._enough.wait(60)

    def _waits(self) -> bool:
        with self._path.with_name("m.db.gate.next").open("rb") as place:
            try:
                fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
            return False

    def stop(self) -> None:
        self._enough.set()
        self._thread.join()


@pytest.fixture
def gate(path: Path) -> Iterator[WriteGate]:
    with closing(WriteGate(path)) as gate:
        yield gate


def test_who_leaves_does_not_come_back_before_who_waits(gate: WriteGate, path: Path) -> None:
    assert gate.try_enter()
    waiter = Waiter(path)
    gate.leave()
    assert not gate.try_enter()
    waiter.stop()
    assert gate.try_enter()


def test_who_is_in_enters_once_more_while_somebody_waits(gate: WriteGate, path: Path) -> None:
    assert gate.try_enter()
    waiter = Waiter(path)
    with gate:
        pass
    assert not gate.try_enter()
    waiter.stop()
