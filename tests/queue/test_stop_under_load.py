"""A worker that is told to stop while a thousand jobs wait (design F-18)."""

import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from signet import clock
from signet.db import Database, ReadTx, WriteTx
from signet.queue import Job, enqueue
from support.processes import ROOT, eventually, program, said
from support.queue import statuses

ACTOR = str(ROOT / "tests" / "queue" / "actor_program.py")
JOBS = 1_000

#: The drain of `actor_program` is two seconds; the rest is the end of a process on a busy machine.
STOPS_WITHIN_SECONDS = 4.0

_WRONG = """
SELECT id FROM memory_jobs
 WHERE NOT (status = 'completed' AND attempts = 1)
   AND NOT (status = 'pending' AND attempts = 0 AND errors IS NULL)"""
_EFFECTS = """
SELECT COUNT(*) FROM memory_jobs LEFT JOIN runtime_settings ON key = memory_jobs.id
 WHERE COALESCE(value, '0') <> CASE status WHEN 'completed' THEN '1' ELSE '0' END"""


@pytest.fixture
def runtime() -> Iterator[Path]:
    """A folder whose path is short enough for unix sockets, whatever pytest calls its own."""
    with tempfile.TemporaryDirectory(prefix="signet-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def fill(tx: WriteTx) -> None:
    for number in range(JOBS):
        enqueue(tx, Job(kind="work", queue="light", slot=str(number)), now=clock.now())


def test_a_stop_in_the_middle_of_a_drain_charges_nobody_and_loses_nothing(
    db: Database, runtime: Path
) -> None:
    db.write(fill)
    with program(ACTOR, str(db.path), str(runtime), "effect") as worker:
        said(worker, "ready")
        eventually(lambda: statuses(db).get("completed", 0) > 0)
        asked = time.monotonic()
        worker.send_signal(signal.SIGTERM)
        said(worker, "stopped")
        assert worker.wait() == 0
        assert time.monotonic() - asked < STOPS_WITHIN_SECONDS
    found = statuses(db)
    assert set(found) == {"completed", "pending"}, "it stopped in the middle, and holds nothing"
    assert sum(found.values()) == JOBS
    assert db.read(ReadTx.all, _WRONG) == []
    assert db.read(ReadTx.value, _EFFECTS) == 0
