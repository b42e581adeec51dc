"""When the write-ahead log is moved; its age is set by hand."""

import os
import time
from pathlib import Path

from signet.db.checkpoint import BUSY_BYTES, IDLE_SECONDS, QUIET_SECONDS, Checkpointer
from worker.home import Home


def log_of(home: Home) -> Path:
    return home.db.path.with_name(home.db.path.name + "-wal")


def aged(home: Home, seconds: float) -> None:
    """Make the log as old as if nothing had been written for so long."""
    then = time.time() - seconds
    os.utime(log_of(home), (then, then))


def write(home: Home, size: int = 1) -> None:
    home.run("INSERT INTO runtime_settings (key, value) VALUES (randomblob(8), zeroblob(?))", size)


def test_a_small_log_is_moved_when_it_is_quiet_and_cut_when_it_stays_so(home: Home) -> None:
    checkpointer = Checkpointer(home.db.path)
    write(home)
    aged(home, 0.0)  # the disk may have taken its time
    assert checkpointer.look() is None, "somebody may be writing"
    aged(home, QUIET_SECONDS)
    assert checkpointer.look() == "PASSIVE"
    assert log_of(home).stat().st_size > 0
    aged(home, QUIET_SECONDS)
    assert checkpointer.look() in ("PASSIVE", None)
    aged(home, IDLE_SECONDS)
    assert checkpointer.look() == "TRUNCATE"
    assert log_of(home).stat().st_size == 0
    assert checkpointer.look() is None
    checkpointer.close()


def test_a_large_log_is_moved_though_it_is_busy(home: Home) -> None:
    checkpointer = Checkpointer(home.db.path)
    write(home, BUSY_BYTES)
    assert log_of(home).stat().st_size >= BUSY_BYTES
    assert checkpointer.look() == "PASSIVE"
    assert checkpointer.look() is None, "nothing was written since"
    checkpointer.close()
