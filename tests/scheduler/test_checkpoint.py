"""When the write-ahead log is moved, and what is left of it."""

import os
from pathlib import Path

import pytest

from signet.db import checkpoint
from signet.db.checkpoint import Checkpointer
from signet.db.driver import connect
from worker.home import Home


def log_of(home: Home) -> Path:
    return home.db.path.with_name(home.db.path.name + "-wal")


def write(home: Home, size: int = 1) -> None:
    home.run("INSERT INTO runtime_settings (key, value) VALUES (randomblob(8), zeroblob(?))", size)


@pytest.mark.sqlite_file
def test_a_log_that_has_changed_is_moved_once_and_keeps_its_size(home: Home) -> None:
    checkpointer = Checkpointer(home.db.path)
    write(home, 3_000_000)
    size = log_of(home).stat().st_size
    assert size > 3_000_000
    before = home.db.path.stat().st_size
    os.utime(log_of(home), (1, 1))  # the second write may come in the same tick of the clock
    assert checkpointer.poll()
    assert (
        home.db.path.stat().st_size - before > 2_900_000
    )  # the rest went into pages that were free
    assert not checkpointer.poll(), "nothing was written since"
    write(home)
    assert checkpointer.poll()
    assert log_of(home).stat().st_size == size
    checkpointer.close()


@pytest.mark.sqlite_file
def test_a_log_that_a_large_transaction_has_left_is_cut(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoint, "LOG_BYTES", 2_000_000)
    checkpointer = Checkpointer(home.db.path)
    write(home, 3_000_000)
    assert checkpointer.poll()
    assert log_of(home).stat().st_size == 0
    assert not checkpointer.poll()
    checkpointer.close()


@pytest.mark.sqlite_file
def test_what_a_reader_still_needs_is_moved_when_it_has_ended(home: Home) -> None:
    checkpointer = Checkpointer(home.db.path)
    write(home)
    reader = connect(home.db.path, read_only=True)
    reader.execute("BEGIN")
    reader.execute("SELECT COUNT(*) FROM runtime_settings").fetchone()
    write(home)
    assert not checkpointer.poll()
    reader.execute("ROLLBACK")
    assert checkpointer.poll()
    reader.close()
    checkpointer.close()
