"""A worker that is told to stop while a thousand jobs wait."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from signet import clock
from signet.db import Database, ReadTx, WriteTx
from signet.queue import NewJob, enqueue
from support.processes import ROOT, program, said
from support.queue import statuses

ACTOR = str(ROOT / "tests" / "queue" / "actor_program.py")
JOBS = 1_000

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
        enqueue(tx, NewJob(kind="work", queue="light", dedupe_key=str(number)), now=clock.now())


def test_a_stop_in_the_middle_of_a_drain_charges_nobody_and_loses_nothing(
    db: Database, runtime: Path
) -> None:
    db.write(fill)
    with program(ACTOR, str(db.path), str(runtime), "effect", "stop") as worker:
        said(worker, "stopped")
        assert worker.wait() == 0
    found = statuses(db)
    assert set(found) == {"completed", "pending"}, "it stopped in the middle, and holds nothing"
    assert sum(found.values()) == JOBS
    assert db.read(ReadTx.all, _WRONG) == []
    assert db.read(ReadTx.value, _EFFECTS) == 0
