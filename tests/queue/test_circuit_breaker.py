"""Failures of a provider: when they are its own, when they are the job's, and what comes back after them."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from signet import clock
from signet.db import Database, Row
from signet.errors import ProviderDown, ProviderFailed, ProviderTimeout, SignetError
from signet.queue import circuit_breaker, retry
from signet.queue.job_context import JobContext
from support.queue import Hands, add, plain, row, statuses, take

#: What the provider says to a job, by the target of the job; None is an answer.
Provider = Callable[[str], SignetError | None]


def ill(key: str) -> SignetError:
    return ProviderFailed("HTTP 500: out of memory")


def well(key: str) -> None:
    return None


def refusing(*poison: str) -> Provider:
    return lambda key: ill(key) if key in poison else None


@dataclass
class Worker:
    """One slot of a queue and the provider that its jobs ask, by the clocks of the test."""

    db: Database
    hands: Hands
    provider: Provider = ill
    asked: list[str] = field(default_factory=list)

    def run_one(self) -> bool:
        """Run the job that may run now; False when none may."""
        found = self.db.read(circuit_breaker.allowance, "light", 1, now_ms=self.hands.wall)
        held = take(self.db, self.hands, is_probe=found.is_probe) if found.jobs else []
        for lease in held:
            if found.is_probe:
                self.db.write(
                    circuit_breaker.note_probe, "light", lease.job_id, now_ms=self.hands.wall
                )
            run = JobContext(
                lease=lease, db=self.db, clock=self.hands.clock, is_probe=found.is_probe
            )
            self.end(run)
        return bool(held)

    def end(self, run: JobContext) -> None:
        """Ask for a run, and write down what came of it."""
        self.asked.append(str(row(self.db, run.lease.job_id)["dedupe_key"])[5:])
        error = self.provider(self.asked[-1])
        if error is None:
            run.commit(lambda tx: None)
        else:
            self.db.write(run.finish, retry.outcome_of(error))

    def work(self, seconds: float) -> None:
        """Run what may run, until so much time has gone by, in steps of 250 ms or a thousandth of it."""
        until = self.hands.wall + seconds * 1000
        while self.hands.wall < until:
            if not self.run_one():
                self.hands.move(max(250, int(seconds)))


@pytest.fixture
def worker(db: Database, hands: Hands) -> Worker:
    return Worker(db, hands)


def put(worker: Worker, *keys: str) -> list[str]:
    return [str(add(worker.db, worker.hands, key)) for key in keys]


def thirty(worker: Worker) -> list[str]:
    return put(worker, *(f"job {number}" for number in range(30)))


def counts(db: Database) -> list[tuple[object, ...]]:
    rows = db.read(lambda tx: tx.all("SELECT DISTINCT status, attempts FROM memory_jobs"))
    return sorted(tuple(one) for one in rows)


def trouble(db: Database) -> Row | None:
    return db.read(lambda tx: tx.one("SELECT * FROM provider_breakers"))


def test_a_provider_that_fails_everybody_costs_no_attempts(db: Database, worker: Worker) -> None:
    thirty(worker)
    worker.work(3_600)
    assert counts(db) == [("pending", 0)]
    assert (
        len(worker.asked)
        < circuit_breaker.ILL_AFTER + 3_600_000 / circuit_breaker.LAST_PROBE_MS + 3
    )
    worker.provider = well
    worker.work(10)
    assert counts(db) == [("completed", 1)]
    assert trouble(db) is None


def test_two_jobs_are_different_jobs(db: Database, worker: Worker) -> None:
    put(worker, "a", "b")
    worker.work(60)
    assert counts(db) == [("pending", 0)]


def test_failures_of_several_kinds_are_charged(db: Database, worker: Worker) -> None:
    errors = [ProviderFailed("500"), ProviderTimeout("late"), SignetError("boom")]
    worker.provider = lambda key: errors[int(key)]
    put(worker, "0", "1", "2")
    for _ in errors:
        worker.run_one()
    assert counts(db) == [("pending", 1)]


def test_a_job_that_dies_in_the_outage_before_it_is_seen_comes_back(
    db: Database, hands: Hands, worker: Worker
) -> None:
    put(worker, "a", "b", "c")
    db.write(lambda tx: tx.run("UPDATE memory_jobs SET max_attempts = 1"))
    worker.run_one()
    worker.run_one()
    assert statuses(db) == {"dead": 2, "pending": 1}
    worker.run_one()
    assert counts(db) == [("pending", 0)]


def test_a_run_that_ends_after_its_attempts_were_given_back_is_not_charged(
    db: Database, hands: Hands, worker: Worker
) -> None:
    put(worker, "a", "b", "c", "d")
    worker.run_one()
    hands.move(16_000)
    held = {lease.job_id: lease for lease in take(db, hands, 4)}
    assert sorted(lease.attempts for lease in held.values()) == [1, 1, 1, 2]
    for lease in held.values():
        worker.end(JobContext(lease=lease, db=db, clock=hands.clock))
    assert counts(db) == [("pending", 0)]


def test_a_poisoned_job_dies_while_others_succeed_and_stays_dead(
    db: Database, hands: Hands, worker: Worker
) -> None:
    (poisoned,) = put(worker, "poison")
    worker.provider = refusing("poison")
    for number in range(40):
        put(worker, f"good {number}")
        worker.work(2)
    assert statuses(db) == {"dead": 1, "completed": 40}
    assert row(db, poisoned)["runs_total"] == 3


def test_poisoned_jobs_are_excused_for_a_few_outages_only(
    db: Database, hands: Hands, worker: Worker
) -> None:
    put(worker, "bad 1", "bad 2", "bad 3")
    worker.provider = refusing("bad 1", "bad 2", "bad 3")
    for number in range(60):
        put(worker, f"good {number}")
        worker.work(10)
    assert statuses(db) == {"dead": 3, "completed": 60}


def test_good_jobs_do_not_wait_for_poisoned_ones(db: Database, worker: Worker) -> None:
    put(worker, "bad 1", "bad 2", "bad 3")
    worker.provider = refusing("bad 1", "bad 2", "bad 3")
    worker.work(60)
    asked = len(worker.asked)
    put(worker, "good")
    worker.work(10)
    assert worker.asked[asked] == "good"


def test_what_died_alone_is_tried_again_once_when_somebody_got_an_answer(
    db: Database, hands: Hands, worker: Worker
) -> None:
    (alone,) = put(worker, "alone")
    worker.work(60)
    assert statuses(db) == {"dead": 1}
    put(worker, "next")
    worker.provider = well
    worker.work(5)
    assert statuses(db) == {"completed": 2}
    assert row(db, alone)["revived_at"]


def test_a_poisoned_job_does_not_come_back_twice(
    db: Database, hands: Hands, worker: Worker
) -> None:
    (poisoned,) = put(worker, "poison")
    worker.provider = refusing("poison")
    for number in range(5):
        worker.work(60)
        assert statuses(db)["dead"] == 1
        put(worker, f"good {number}")
        worker.work(1)
    worker.work(60)
    assert statuses(db) == {"dead": 1, "completed": 5}
    assert row(db, poisoned)["runs_total"] == 6


def test_a_job_whose_target_has_an_open_one_stays_dead(
    db: Database, hands: Hands, worker: Worker
) -> None:
    (first,) = put(worker, "same")
    worker.work(60)
    put(worker, "other", "same")
    worker.provider = well
    worker.work(5)
    assert row(db, first)["status"] == "dead"
    assert statuses(db) == {"dead": 1, "completed": 2}


def test_a_server_that_errs_and_then_is_gone_costs_nothing(db: Database, worker: Worker) -> None:
    put(worker, "a")
    worker.run_one()
    assert counts(db) == [("pending", 1)]
    worker.provider = lambda key: ProviderDown("cannot connect")
    worker.work(60)
    assert counts(db) == [("pending", 0)]


def test_what_a_restarting_server_says_is_not_charged(db: Database, worker: Worker) -> None:
    thirty(worker)
    worker.provider = lambda key: ProviderDown("cannot connect")
    worker.work(20)
    worker.provider = ill
    worker.work(20)
    worker.provider = lambda key: ProviderTimeout("loading the model")
    worker.work(20)
    assert counts(db) == [("pending", 0)]


def test_the_time_that_is_told_is_when_the_trouble_began(
    db: Database, hands: Hands, worker: Worker
) -> None:
    began = clock.to_text(hands.now)
    thirty(worker)
    worker.work(120)
    found = trouble(db)
    assert found is not None and (found["state"], found["updated_at"]) == ("open", began)


def test_payloads_that_others_wrote_do_not_matter(
    db: Database, hands: Hands, worker: Worker
) -> None:
    first, second, _ = put(worker, "a", "b", "c")
    broken = "UPDATE memory_jobs SET payload = '[', errors = '{' WHERE id = ?"
    db.write(lambda tx: tx.run(broken, (first,)))
    db.write(lambda tx: tx.run("UPDATE memory_jobs SET payload = '[1]' WHERE id = ?", (second,)))
    worker.work(60)
    assert counts(db) == [("pending", 0)]


def test_a_fenced_run_gives_nothing_back(db: Database, hands: Hands, worker: Worker) -> None:
    put(worker, "a", "b")
    [lease, _] = take(db, hands, 2)
    run = JobContext(lease=lease, db=db, clock=hands.clock)
    run.commit(plain)
    assert not db.write(run.finish, retry.outcome_of(ill("a")))
    assert row(db, lease.job_id)["status"] == "completed"
