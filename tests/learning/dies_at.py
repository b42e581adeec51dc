"""A label job that is killed (SIGKILL) at one place more in each process, before and after each of its writes.

    python -m learning.dies_at DATABASE LEASE

LEASE is a file with the pickled lease. A line for each process says what its death has left: `same`, `whole` or what
else; the last one comes to its end and says nothing. This process opens the database only while no other has it.
"""

import itertools
import os
import pickle
import signal
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

from signet import engine
from signet.config.pipeline import Predictor
from signet.db import Database, WriteTx
from signet.db.driver import connect
from signet.domain.learning import worth
from signet.queue.job_context import JobContext

P = ParamSpec("P")
T = TypeVar("T")

TABLES = (
    "memory_labels",
    "memory_worth",
    "session_outcomes",
    "predictor_session_comparisons",
    "predictor_state",
    "predictor_training_log",
    "memory_jobs",
)


def main(path: Path, lease: Path) -> None:
    """Kill process after process, until one survives."""
    engine.use(path, os.environ.get("SIGNET_STORAGE_URL"))
    before = left(path)
    for place in itertools.count():
        child = os.fork()
        if not child:
            run(path, lease, place)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            return
        after = left(path)
        state = "same" if after == before else "whole" if is_whole(after, lease) else "broken"
        sys.stdout.write(f"{state}\n")
        sys.stdout.flush()  # a child would write its copy of the buffer again


def run(path: Path, lease: Path, place: int) -> None:
    """Run the job, and die at a place of it."""
    left_to_live = itertools.count(place, -1)

    def may_die() -> None:
        if not next(left_to_live):
            os.kill(os.getpid(), signal.SIGKILL)

    def killing(write: Callable[P, T]) -> Callable[P, T]:
        @wraps(write)
        def writes(*args: P.args, **kwargs: P.kwargs) -> T:
            may_die()
            found = write(*args, **kwargs)
            may_die()
            return found

        return writes

    for name in ("run", "many"):
        setattr(WriteTx, name, killing(getattr(WriteTx, name)))
    job = JobContext(lease=pickle.loads(lease.read_bytes()), db=Database(path))
    worth.run_label(job, settings=Predictor())
    may_die()


def left(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return what is stored; raises AssertionError for a damaged file."""
    connection = connect(path, read_only=True)
    try:
        if engine.url_of(path) is None:
            assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        return {
            name: sorted(map(tuple, connection.execute(f"SELECT * FROM {name}")), key=repr)
            for name in TABLES
        }
    finally:
        connection.close()


def is_whole(after: dict[str, list[tuple[object, ...]]], lease: Path) -> bool:
    """Return whether everything is there that the job writes, and that the job is done."""
    job_id = pickle.loads(lease.read_bytes()).job_id
    [job] = [row for row in after["memory_jobs"] if job_id in row]
    return "completed" in job and all(after[name] for name in TABLES[:3])


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
