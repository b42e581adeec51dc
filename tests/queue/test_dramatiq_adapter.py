"""What the dramatiq project promises of a broker, asked of ours."""

import gc
from collections.abc import Callable, Iterator

import dramatiq
import pytest
from dramatiq.errors import QueueNotFound, Retry

from signet import clock
from signet.db import Database, ReadTx
from signet.errors import PermanentJobError, ProviderDown
from signet.queue import NewJob, circuit_breaker, enqueue
from signet.queue.job_context import JobContext
from signet.queue.kinds import DEFAULT_QUEUE, UNKNOWN_KIND
from signet.queue.retry import RunOutcome
from signet.queue.transitions import Lease
from signet_worker.dramatiq_adapter import JobMessage, JobsBroker
from support.executor import a_dispatcher, a_worker
from support.processes import PATIENCE_SECONDS, eventually
from support.queue import row, statuses

PATIENCE_MS = int(PATIENCE_SECONDS * 1000)


@pytest.fixture
def broker(db: Database) -> Iterator[JobsBroker]:
    with a_worker(db) as (found, _):
        yield found


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
    monkeypatch.setattr("signet_worker.dispatcher.LOOK_SECONDS", 600.0)
    ran_at: list[int] = []
    with a_worker(db) as (broker, _):

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


def test_a_message_without_an_actor_waits_for_a_version_that_has_one(
    broker: JobsBroker, db: Database
) -> None:
    message: dramatiq.Message[None] = dramatiq.Message(
        queue_name="q", actor_name="gone", args=(), kwargs={}, options={}
    )
    broker.enqueue(message)
    eventually(lambda: row(db, message.message_id)["queue"] == DEFAULT_QUEUE)
    found = row(db, message.message_id)
    assert (found["status"], found["attempts"]) == ("pending", 0)
    assert found["last_error_code"] == UNKNOWN_KIND


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
            db.write_quick(enqueue, NewJob(kind="counted", queue="q"), now=clock.now())
        eventually(lambda: len(began) >= jobs and objects_of_runs() - before < jobs)
    finally:
        gc.enable()


def objects_of_runs() -> int:
    mine = (JobContext, Lease, JobMessage, RunOutcome, BaseException)
    return sum(isinstance(found, mine) for found in gc.get_objects())


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


def test_a_worker_of_dramatiq_runs_the_jobs_as_well(db: Database) -> None:
    with a_dispatcher(db, 60_000, concurrency=4) as broker:

        @dramatiq.actor(broker=broker, queue_name="q", max_retries=0, throws=ValueError)
        def work(number: int) -> None:
            if number == 0:
                raise ValueError("never")

        worker = dramatiq.Worker(broker, worker_threads=2, worker_timeout=50)
        worker.start()
        for number in range(20):
            work.send(number)
        broker.enqueue(
            dramatiq.Message(queue_name="q", actor_name="gone", args=(), kwargs={}, options={})
        )
        broker.join("q", timeout=PATIENCE_MS)
        worker.stop(timeout=2_000)
    assert statuses(db) == {"completed": 19, "dead": 1, "pending": 1}, "the pending one is unknown"


@pytest.mark.parametrize(("asked", "stored"), [(-5, 0), (0, 1), (100, 2)])
def test_the_priority_of_an_actor_decides_its_place(
    broker: JobsBroker, db: Database, asked: int, stored: int
) -> None:
    @dramatiq.actor(broker=broker, queue_name="q", priority=asked)
    def nothing() -> None:
        return

    assert row(db, nothing.send().message_id)["priority"] == stored


def test_the_counts_of_a_queue_come_from_rows(broker: JobsBroker, db: Database) -> None:
    @dramatiq.actor(broker=broker, queue_name="q")
    def nothing() -> None:
        return

    for _ in range(3):
        nothing.send()
    broker.join("q", timeout=PATIENCE_MS)
    assert db.read(ReadTx.value, "SELECT COUNT(*) FROM memory_jobs WHERE status = 'completed'") == 3


def test_a_message_nobody_can_be_called_with_is_buried(broker: JobsBroker, db: Database) -> None:
    job = NewJob(kind="act", queue="q", dedupe_key="odd", payload={"args": 5})
    job_id = db.write(enqueue, job, now=clock.now())
    eventually(lambda: row(db, str(job_id))["status"] == "dead")
    assert row(db, str(job_id))["last_error_code"] == "undecodable"
