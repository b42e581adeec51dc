"""The pipeline with a slow model: whether the model bounds the work, and which jobs wait for which.

Our test server takes 300 ms per call. First memories are read alone, then each is followed by hints and structure;
the bound is `concurrency / (calls of a job * 0.3 s)`. Then a job of each kind is queued behind 4,000 of another.
"""

import json
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from loadtests import fill
from loadtests.corpus import Corpus
from loadtests.report import Options, Report
from loadtests.stack import WORKER, Stack, serving

from signet import clock
from signet.config.pipeline import Threads
from signet.db import Database, ReadTx, WriteTx
from signet.queue import NewJob, enqueue
from signet.queue.wakeup import Notifier

MODEL = Path(__file__).parent.parent / "model_server.py"
CALL_MS = 300.0
JOBS = 200
BACKLOG = 4_000
PATIENCE_SECONDS = 120.0

_LEFT = "SELECT count(*) FROM memory_jobs WHERE job_type = 'extract' AND status <> 'completed'"


def run(options: Options) -> Report:
    """Measure and report."""
    report = Report(
        ("what", "jobs", "jobs/s", "calls a job", "bound", "of the bound", "most at once")
    )
    jobs = options.count or JOBS
    with serving(sys.executable, str(MODEL), str(CALL_MS)) as url:
        for name, following in (("reading alone", False), ("with what follows", True)):
            folder = options.folder / name.replace(" ", "-")
            row, share = _reading(folder, url, options.seed, jobs, following=following)
            report.rows.append([name, jobs, *row])
            report.figures[f"{name.replace(' ', '_')}_of_bound"] = share
        for kind, behind in (
            ("extract", "prospective_index"),
            ("prospective_index", "extract"),
            ("structural_classify", "prospective_index"),
        ):
            folder = options.folder / f"{kind}-{behind}"
            waited = _behind(folder, url, options.seed, kind, behind)
            report.rows.append(
                [f"{kind} behind {BACKLOG} {behind}: starts after s", 1, waited, *"----"]
            )
            report.figures[f"{kind}_behind_{behind}_seconds"] = waited
    return report


def _reading(
    folder: Path, url: str, seed: int, jobs: int, *, following: bool
) -> tuple[list[float], float]:
    with _workspace(folder, url, following=following) as (stack, db):
        fill.memories(stack.workspace, Corpus(seed), jobs, jobs=True)
        _stats(url)
        stack.start(WORKER)
        warm = Threads().llm
        _until(lambda: _left(db) <= jobs - warm)
        started, before = time.monotonic(), _left(db)
        _until(lambda: _left(db) <= warm)
        took, done = time.monotonic() - started, before - _left(db)
        _until(lambda: _left(db) == 0)
        told = _stats(url)
    calls = (told.get("read", 0) + told.get("decide", 0)) / jobs
    bound = warm / (calls * CALL_MS / 1000)
    rate = done / took
    return [rate, calls, bound, rate / bound, float(told["most_at_once"])], rate / bound


def _behind(folder: Path, url: str, seed: int, kind: str, backlog: str) -> float:
    """Return how long a job waits behind a backlog of another kind."""
    # A reading is followed by hints, which would be a backlog of the same kind.
    following = kind != "prospective_index"
    with _workspace(folder, url, following=following) as (stack, db):
        fill.memories(stack.workspace, Corpus(seed), BACKLOG, jobs=False)
        db.write(_queue, backlog)
        stack.start(WORKER)
        running = "SELECT count(*) FROM memory_jobs WHERE job_type = ? AND status = 'completed'"
        _until(lambda: int(db.read(ReadTx.value, running, (backlog,))) > 4)
        job = NewJob(kind=kind, dedupe_key="late", agent_id="default")
        started = time.monotonic()
        db.write(enqueue, job, now=clock.now())
        began = "SELECT runs_total FROM memory_jobs WHERE dedupe_key = ?"
        _until(lambda: int(db.read(ReadTx.value, began, (f"{kind}:late",))) > 0)
        return time.monotonic() - started


def _queue(tx: WriteTx, kind: str) -> None:
    for (memory_id,) in tx.all("SELECT id FROM memories"):
        enqueue(tx, NewJob(kind=kind, memory_id=memory_id, agent_id="default"), now=clock.now())


def _left(db: Database) -> int:
    return int(db.read(ReadTx.value, _LEFT))


@contextmanager
def _workspace(folder: Path, url: str, *, following: bool) -> Iterator[tuple[Stack, Database]]:
    pipeline = {
        "extraction": {"provider": "ollama", "endpoint": url},
        "hints": {"enabled": following},
        "structural": {"enabled": following, "pollIntervalMs": 2_000},
    }
    settings = {"memory": {"pipelineV2": pipeline}, "embedding": {"provider": "none"}}
    with Stack(folder, settings=json.dumps(settings)) as stack:
        db, notifier = Database(stack.workspace.database), Notifier(stack.workspace.runtime_dir)
        db.writer.listen(lambda signals: notifier.notify())
        try:
            yield stack, db
        finally:
            db.close()
            notifier.close()


def _stats(url: str) -> dict[str, int]:
    with urllib.request.urlopen(f"{url}/stats", timeout=10) as answer:
        found: dict[str, int] = json.load(answer)
    return found


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("the jobs did not finish in time")
        time.sleep(0.01)
