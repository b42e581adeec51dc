"""What the dramatiq project promises of a broker, asked of ours, and the time limit of a run."""

import gc
import itertools
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import dramatiq
import pytest
from dramatiq import Worker
from dramatiq.errors import QueueNotFound, Retry

from signet import clock
from signet.db import Database, ReadTx
from signet.db.driver import connect
from signet.errors import PermanentJobError, ProviderDown
from signet.queue import Job, circuit_breaker, deadline, enqueue, finish, job_context
from signet.queue import dispatcher as pumping
from signet.queue.broker import JobsBroker, RunMessage
from signet.queue.deadline import DeadlineExceeded, Deadlines
from signet.queue.dispatcher import Dispatcher
from signet.queue.job_context import JobContext
from signet.queue.lease import Lease
from signet.queue.wakeup import Listener, Notifier
from support.interrupts import interrupted
from support.processes import PATIENCE_SECONDS, eventually
from support.queue import row, statuses

PATIENCE_MS = int(PATIENCE_SECONDS * 1000)


@pytest.fixture
def broker(db: Database) -> Iterator[JobsBroker]:
    with a_worker(db) as found:
        yield found


@contextmanager
def a_worker(db: Database, lease_ms: int = 60_000, slots: int = 4) -> Iterator[JobsBroker]:
    """Run a worker of four threads in this process; its leases beat three times in `lease_ms`."""
    folder = tempfile.TemporaryDirectory(prefix="signet-")
    notifier = Notifier(Path(folder.name))
    db.writer.listen(lambda signals: notifier.notify())
    listener = Listener(Path(folder.name), "me")
    dispatcher = Dispatcher(db, listener, owner="me", slots={"q": slots}, lease_ms=lease_ms)
    found = JobsBroker(db, dispatcher)
    found.declare_queue("q")
    worker = Worker(found, worker_threads=4, worker_timeout=50)
    found.deadlines.start()
    worker.start()
    dispatcher.start()
    yield found
    worker.stop(timeout=2_000)
    dispatcher.stop()
    found.deadlines.stop()
    listener.close()
    notifier.close()
    folder.cleanup()


def test_a_sent_message_arrives_with_its_arguments(broker: JobsBroker) -> None:
    seen: list[object] = []

    @dramatiq.actor(broker=broker, queue_name="q")
    def greet(name: str, *, loud: bool) -> None:
        seen.append((name, loud))

    greet.send("Ada", loud=True)
    broker.join("q", timeout=PATIENCE_MS)
    assert seen == [("Ada", True)]


def test_a_delayed_message_waits_in_the_table(broker: JobsBroker, db: Database) -> None:
    @dramatiq.actor(broker=broker, queue_name="q")
    def later() -> None:
        return

    message = later.send_with_options(delay=60_000)
    assert row(db, message.message_id)["status"] == "pending"
    assert row(db, message.message_id)["due_ms"] >= clock.wall_ms() + 50_000


def test_a_short_delay_ends_by_a_timer_and_does_not_wait_for_the_next_look(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("signet.queue.dispatcher.LOOK_SECONDS", 600.0)
    ran_at: list[int] = []
    with a_worker(db) as broker:

        @dramatiq.actor(broker=broker, queue_name="q")
        def soon() -> None:
            ran_at.append(clock.wall_ms())

        started = clock.wall_ms()
        soon.send_with_options(delay=200)
        eventually(lambda: bool(ran_at))
    assert ran_at[0] - started >= 190


def test_an_error_is_retried_as_often_as_the_actor_says(broker: JobsBroker, db: Database) -> None:
    tries: list[int] = []

    @dramatiq.actor(broker=broker, queue_name="q", max_retries=1)
    def flaky() -> None:
        tries.append(1)
        raise Retry(delay=1)

    message = flaky.send()
    eventually(lambda: row(db, message.message_id)["status"] == "dead")
    assert len(tries) == 2


def test_an_expected_error_buries_at_once(broker: JobsBroker, db: Database) -> None:
    @dramatiq.actor(broker=broker, queue_name="q", throws=(ValueError,))
    def refuse() -> None:
        raise ValueError("never")

    message = refuse.send()
    eventually(lambda: row(db, message.message_id)["status"] == "dead")
    assert row(db, message.message_id)["attempts"] == 1


def test_a_message_for_no_actor_is_buried(broker: JobsBroker, db: Database) -> None:
    message: dramatiq.Message[None] = dramatiq.Message(
        queue_name="q", actor_name="gone", args=(), kwargs={}, options={}
    )
    broker.enqueue(message)
    eventually(lambda: statuses(db) == {"dead": 1})
    assert row(db, message.message_id)["last_error_code"] == "unknown_kind"


def test_a_queue_that_was_never_declared_cannot_be_consumed(broker: JobsBroker) -> None:
    with pytest.raises(QueueNotFound):
        broker.consume("nowhere")


def test_flush_buries_what_waits(broker: JobsBroker, db: Database) -> None:
    @dramatiq.actor(broker=broker, queue_name="q")
    def later() -> None:
        return

    message = later.send_with_options(delay=60_000)
    broker.flush_all()
    assert row(db, message.message_id)["last_error_code"] == "flushed"


def test_an_unknown_error_keeps_its_name_as_code(broker: JobsBroker, db: Database) -> None:
    @dramatiq.actor(broker=broker, queue_name="q", max_retries=0)
    def broken() -> None:
        raise ZeroDivisionError("oops")

    message = broken.send()
    eventually(lambda: row(db, message.message_id)["status"] == "dead")
    found = row(db, message.message_id)
    assert (found["last_error_code"], found["error"]) == (
        "ZeroDivisionError",
        "ZeroDivisionError: oops",
    )


def test_one_poisoned_job_in_twenty_costs_the_healthy_ones_nothing(
    broker: JobsBroker, db: Database
) -> None:
    @dramatiq.actor(broker=broker, queue_name="q")
    def work(number: int) -> None:
        if number % 20 == 0:
            raise PermanentJobError("poisoned")

    for number in range(100):
        work.send(number)
    broker.join("q", timeout=PATIENCE_MS)
    assert statuses(db) == {"completed": 95, "dead": 5}


def returns(run: JobContext) -> None:
    return


def commits(run: JobContext) -> None:
    run.commit(lambda tx: None)


def fails(run: JobContext) -> None:
    raise Retry(delay=60_000)


def writes_in_vain(run: JobContext) -> None:
    run.progress(lambda tx: fails(run))


def is_buried(run: JobContext) -> None:
    raise PermanentJobError("never")


@pytest.mark.parametrize("work", [returns, commits, fails, writes_in_vain, is_buried])
def test_an_ended_job_leaves_nothing_for_the_garbage_collector(
    broker: JobsBroker, db: Database, work: Callable[[JobContext], None]
) -> None:
    """Threads that wait for the next job still hold some objects of their last: fewer than there were jobs."""
    jobs = 60
    began: list[str] = []

    @dramatiq.actor(broker=broker, queue_name="q")
    def counted(run: JobContext) -> None:
        began.append(run.lease.job_id)
        work(run)

    gc.collect()
    gc.disable()
    try:
        before = objects_of_runs()
        for _ in range(jobs):
            db.write_quick(enqueue, Job(kind="counted", queue="q"), now=clock.now())
        eventually(lambda: len(began) >= jobs and objects_of_runs() - before < jobs)
    finally:
        gc.enable()


def objects_of_runs() -> int:
    kinds = (JobContext, Lease, RunMessage, finish.Outcome, BaseException)
    return sum(isinstance(found, kinds) for found in gc.get_objects())


def test_a_provider_that_is_down_is_asked_once_a_probe_interval(
    broker: JobsBroker, db: Database
) -> None:
    calls: list[int] = []

    @dramatiq.actor(broker=broker, queue_name="q")
    def ask() -> None:
        calls.append(clock.wall_ms())
        if len(calls) == 1:
            raise ProviderDown("away")

    first = ask.send()
    eventually(lambda: row(db, first.message_id)["last_error_code"] == "provider_down")
    others = [ask.send() for _ in range(30)]
    eventually(lambda: statuses(db) == {"completed": 31})
    waited = min(calls[1:]) - calls[0]
    assert waited >= circuit_breaker.FIRST_PROBE_MS - 1, "nobody asks while the breaker is open"
    assert {row(db, one.message_id)["attempts"] for one in others} == {1}
    assert len(calls) == 32


def test_a_run_over_its_limit_is_interrupted_and_tried_again(
    broker: JobsBroker, db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deadline, "DEFAULT_LIMIT_SECONDS", 0)
    monkeypatch.setattr(deadline, "GRACE_SECONDS", 0.0)
    done = threading.Event()

    @dramatiq.actor(broker=broker, queue_name="q", max_retries=0)
    def endless() -> None:
        while not done.is_set():
            pass

    message = endless.send()
    eventually(lambda: row(db, message.message_id)["status"] == "dead")
    assert row(db, message.message_id)["last_error_code"] == "timeout"
    done.set()


def a_lease() -> Lease:
    return Lease(
        job_id="j",
        kind="work",
        queue="q",
        priority=1,
        due_ms=0,
        token=1,
        attempts=1,
        max_attempts=3,
        crashes=0,
        memory_id=None,
        document_id=None,
        agent_id=None,
        payload={},
        created_at="",
    )


def test_a_run_that_is_interrupted_while_it_frees_its_slot_loses_none_that_waits_for_it(
    db: Database, tmp_path: Path
) -> None:
    with closing(Listener(tmp_path, "me")) as listener:
        for point in itertools.count(1):
            dispatcher = Dispatcher(db, listener, owner="me", slots={"q": 1}, lease_ms=60_000)
            runs, waits = (
                JobContext(lease=a_lease(), db=db, take_back=dispatcher._take_back) for _ in "12"
            )
            assert (dispatcher.take_slot(runs), dispatcher.take_slot(waits)) == (True, False)
            was_interrupted = interrupted(runs.free, point, within=(job_context, pumping))
            runs.free()  # as at the end of each
            assert (dispatcher.fetch("q", 0), dispatcher.fetch("q", 0)) == (waits, None)
            assert dispatcher.take_slot(waits)
            if not was_interrupted:
                break


def test_an_interrupt_around_the_end_of_a_run_never_escapes(db: Database) -> None:
    """The race at the end of a run: interrupts at random moments around the end, thousands of times."""
    deadlines = Deadlines()
    run = JobContext(lease=a_lease(), db=db)
    stop = threading.Event()
    rounds = {"done": 0, "interrupted": 0, "escaped": 0}

    def work() -> None:
        while rounds["interrupted"] < 200 and rounds["done"] < 100_000:
            try:
                watch = deadlines.enter(run)
                try:
                    for _ in range(rounds["done"] * 97 % 20_000):
                        pass
                except DeadlineExceeded:
                    rounds["interrupted"] += 1
                finally:
                    deadlines.leave(watch)
            except DeadlineExceeded:
                rounds["interrupted"] += 1
            rounds["done"] += 1
        stop.set()

    def shoot() -> None:
        while not stop.is_set():
            deadlines.tick(time.monotonic() + 1e9)

    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    worker, shooter = threading.Thread(target=work), threading.Thread(target=shoot)
    worker.start()
    shooter.start()
    worker.join(30)
    stop.set()
    shooter.join(PATIENCE_SECONDS)
    sys.setswitchinterval(usual)
    assert not worker.is_alive()
    assert rounds["interrupted"] == 200
    assert deadlines.stuck() == []


def test_the_counts_of_a_queue_come_from_rows(broker: JobsBroker, db: Database) -> None:
    @dramatiq.actor(broker=broker, queue_name="q")
    def nothing() -> None:
        return

    for _ in range(3):
        nothing.send()
    broker.join("q", timeout=PATIENCE_MS)
    assert db.read(ReadTx.value, "SELECT COUNT(*) FROM memory_jobs WHERE status = 'completed'") == 3


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

    with a_worker(hasty, lease_ms=900) as broker:
        dispatcher = broker.dispatcher
        assert dispatcher is not None
        dramatiq.actor(broker=broker, queue_name="q", actor_name="act")(act)
        job_id = db.write(
            enqueue, Job(kind="act", queue="q", dedupe_key="a"), now=clock.now(), max_attempts=1
        )
        dispatcher.poke()
        assert held.wait(PATIENCE_SECONDS)
        eventually(lambda: any(run.again for run in dispatcher.held.runs()))
        foreign.execute("ROLLBACK")
        eventually(lambda: row(db, str(job_id))["status"] == "completed")
    foreign.close()
    hasty.close()


@pytest.mark.parametrize("slots", [1, 2, 4])
def test_a_slow_queue_never_runs_more_than_its_slots(db: Database, slots: int) -> None:
    """While jobs are quick more are claimed than run; when they turn slow, the slots still hold."""
    with a_worker(db, slots=slots) as broker:
        assert most_at_once(broker, slots) == slots


def most_at_once(broker: JobsBroker, slots: int) -> int:
    """Run quick jobs, then slow ones until all slots are taken; return how many ran at once."""
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
    eventually(lambda: running[0] == slots)
    gate.set()
    broker.join("q", timeout=PATIENCE_MS)
    return most[0]


def test_a_message_nobody_can_be_called_with_is_buried(broker: JobsBroker, db: Database) -> None:
    job = Job(kind="act", queue="q", dedupe_key="odd", payload={"args": 5})
    job_id = db.write(enqueue, job, now=clock.now())
    eventually(lambda: row(db, str(job_id))["status"] == "dead")
    assert row(db, str(job_id))["last_error_code"] == "undecodable"
