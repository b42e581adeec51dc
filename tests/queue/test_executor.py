"""How jobs are run: so many at once, within their time, and given back at a stop."""

import threading

import dramatiq
import pytest

from signet import clock
from signet.db import Database, WriteTx
from signet.db.driver import connect
from signet.errors import ProviderDown
from signet.queue import NewJob, enqueue, kinds
from signet.queue.job_context import JobContext
from signet.queue.retry import LeaseLost
from signet.queue.wakeup import Listener
from signet_worker import executor as executing
from signet_worker.dramatiq_adapter import JobsBroker
from support.executor import a_worker
from support.processes import PATIENCE_SECONDS, eventually
from support.queue import row, statuses

PATIENCE_MS = int(PATIENCE_SECONDS * 1000)


def test_a_run_over_its_limit_stops_when_it_checks(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kinds, "DEFAULT_LIMIT_SECONDS", 0)

    def endless(job: JobContext) -> None:
        job.check()

    with a_worker(db) as (broker, _):
        dramatiq.actor(broker=broker, queue_name="q", actor_name="endless")(endless)
        job_id = db.write(
            enqueue, NewJob(kind="endless", queue="q"), now=clock.now(), max_attempts=1
        )
        eventually(lambda: row(db, str(job_id))["status"] == "dead")
    assert row(db, str(job_id))["last_error_code"] == "timeout"


def test_a_run_that_goes_on_over_its_limit_is_tried_again_and_writes_nothing_more(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kinds, "DEFAULT_LIMIT_SECONDS", 0)
    monkeypatch.setattr(executing, "GRACE_SECONDS", 0.0)
    runs, refused, goes_on = [], [], threading.Event()

    def endless(job: JobContext) -> None:
        runs.append(job.lease.token)
        if len(runs) == 1:
            goes_on.wait(PATIENCE_SECONDS)
        try:
            job.commit(lambda tx: None)
        except LeaseLost:
            refused.append(job.lease.token)
            raise

    with a_worker(db) as (broker, executor):
        dramatiq.actor(broker=broker, queue_name="q", actor_name="endless")(endless)
        job_id = str(db.write(enqueue, NewJob(kind="endless", queue="q"), now=clock.now()))
        eventually(lambda: runs == [1])
        executor.enforce_limits()
        eventually(lambda: row(db, job_id)["status"] == "pending")
        assert row(db, job_id)["last_error_code"] == "timeout"
        assert not executor.is_lost()
        eventually(lambda: row(db, job_id)["status"] == "completed")
        monkeypatch.setattr(executing, "STUCK_SECONDS", 0.0)
        assert executor.is_lost(), "its process must start again"
        goes_on.set()
        eventually(lambda: refused == [1])
        eventually(lambda: not executor.is_lost())
    assert (runs, row(db, job_id)["status"], row(db, job_id)["attempts"]) == (
        [1, 2],
        "completed",
        2,
    )


def test_what_was_claimed_and_not_begun_is_given_back_at_a_stop(db: Database) -> None:
    began, gate = threading.Event(), threading.Event()
    with a_worker(db, concurrency=1) as (broker, executor):

        @dramatiq.actor(broker=broker, queue_name="q")
        def work() -> None:
            began.set()
            gate.wait(PATIENCE_SECONDS)

        sent = [work.send() for _ in range(5)]  # in one millisecond, none of them is the first
        assert began.wait(PATIENCE_SECONDS)
        broker.dispatcher.stop_claiming()
        executor.stop(0.0)
        eventually(lambda: statuses(db) == {"leased": 1, "pending": 4})
        gate.set()
        eventually(lambda: statuses(db) == {"completed": 1, "pending": 4})
    rows = [row(db, one.message_id) for one in sent]
    assert {one["attempts"] for one in rows if one["status"] == "pending"} == {0}


@pytest.mark.sqlite_file
@pytest.mark.parametrize("when", ["commit", "return"])
def test_a_database_that_is_busy_for_long_fails_no_job_and_loses_no_lease(
    db: Database, when: str
) -> None:
    """A foreign program holds the write lock, without the gate, longer than the worker waits."""
    hasty = Database(db.path, wait_seconds=0.2, inline=False)
    foreign = connect(db.path)
    held = threading.Event()

    def act(run: JobContext) -> None:
        if run.lease.token == 1:
            foreign.execute("BEGIN IMMEDIATE")
            held.set()
        if when == "commit":
            run.commit(lambda tx: None)

    with a_worker(hasty, lease_ms=900) as (broker, _):
        dramatiq.actor(broker=broker, queue_name="q", actor_name="act")(act)
        job_id = db.write(
            enqueue, NewJob(kind="act", queue="q", dedupe_key="a"), now=clock.now(), max_attempts=1
        )
        broker.dispatcher.poke()
        assert held.wait(PATIENCE_SECONDS)
        eventually(lambda: any(job.write_again for job in broker.dispatcher.heartbeat.jobs()))
        foreign.execute("ROLLBACK")
        eventually(lambda: row(db, str(job_id))["status"] == "completed")
    foreign.close()
    hasty.close()


@pytest.mark.parametrize("concurrency", [1, 2, 4])
def test_a_slow_queue_never_runs_more_than_its_concurrency(db: Database, concurrency: int) -> None:
    """While jobs are quick more are claimed than run; when they turn slow, the bound still holds."""
    with a_worker(db, concurrency=concurrency) as (broker, _):
        assert most_at_once(broker, concurrency) == concurrency


def most_at_once(broker: JobsBroker, concurrency: int) -> int:
    """Run quick jobs, then slow ones until all threads are busy; return how many ran at once."""
    running, most, lock = [0], [0], threading.Lock()
    slow, gate = threading.Event(), threading.Event()

    @dramatiq.actor(broker=broker, queue_name="q")
    def work() -> None:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        if slow.is_set():
            gate.wait(PATIENCE_SECONDS)
        with lock:
            running[0] -= 1

    for _ in range(200):
        work.send()
    broker.join("q", timeout=PATIENCE_MS)
    slow.set()
    for _ in range(20):
        work.send()
    eventually(lambda: running[0] == concurrency)
    gate.set()
    broker.join("q", timeout=PATIENCE_MS)
    return most[0]


def test_a_provider_that_is_down_keeps_no_place_for_a_job_whose_row_is_gone(db: Database) -> None:
    """Its lease ran out, and then its memory was forgotten with its jobs."""

    def act(run: JobContext) -> None:
        if run.lease.payload:
            run.db.write(WriteTx.run, "DELETE FROM memory_jobs WHERE id = ?", (run.lease.job_id,))
            raise ProviderDown("no answer")

    with a_worker(db, concurrency=1) as (broker, _):
        dramatiq.actor(broker=broker, queue_name="q", actor_name="act")(act)
        job = NewJob(kind="act", queue="q", payload={"gone": True})
        db.write(enqueue, job, now=clock.now())
        lane = broker.dispatcher._lanes["q"]
        eventually(lambda: statuses(db) == {} and not lane.in_flight)


def test_a_dispatcher_whose_thread_has_ended_is_seen(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(listener: Listener, seconds: float) -> bool:
        raise OSError("no such descriptor")

    monkeypatch.setattr(threading, "excepthook", lambda failure: None)
    with a_worker(db) as (broker, _):
        assert broker.dispatcher.is_alive()
        monkeypatch.setattr(Listener, "wait", broken)
        eventually(lambda: not broker.dispatcher.is_alive())
