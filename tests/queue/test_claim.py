"""Claim, extend, release: who gets which job, and for how long."""

import pytest

from signet import clock
from signet.db import Database
from signet.queue import transitions
from signet.queue.job_context import JobContext
from signet.queue.retry import End
from support.queue import LEASE_MS, Hands, add, end, row, statuses, take


def test_the_oldest_due_job_comes_first(db: Database, hands: Hands) -> None:
    first = add(db, hands, "a")
    hands.move(1)
    second = add(db, hands, "b")
    assert [held.job_id for held in take(db, hands, 5)] == [first, second]


def test_a_higher_priority_passes_older_jobs(db: Database, hands: Hands) -> None:
    bulk = add(db, hands, "bulk", priority=2)
    normal = add(db, hands, "normal")
    hands.move(1_000)
    urgent = add(db, hands, "urgent", priority=0)
    assert [held.job_id for held in take(db, hands, 3)] == [urgent, normal, bulk]


def test_a_claim_counts_the_attempt_and_raises_the_token(db: Database, hands: Hands) -> None:
    job_id = add(db, hands, "a")
    (held,) = take(db, hands)
    assert (held.attempts, held.token) == (1, 1)
    found = row(db, str(job_id))
    assert found["status"] == "leased"
    assert found["lease_owner"] == "me"
    assert found["lease_until_ms"] == hands.monotonic + LEASE_MS


def test_two_claimers_never_get_the_same_job(db: Database, hands: Hands) -> None:
    for number in range(10):
        add(db, hands, str(number))
    mine = {held.job_id for held in take(db, hands, 6, owner="me")}
    yours = {held.job_id for held in take(db, hands, 6, owner="you")}
    assert len(mine) == 6
    assert len(yours) == 4
    assert not mine & yours


def test_a_delayed_job_is_taken_only_when_it_is_due(db: Database, hands: Hands) -> None:
    add(db, hands, "later", delay_ms=5_000)
    assert take(db, hands) == []
    assert db.read(transitions.next_due_ms, "light") == hands.wall + 5_000
    hands.move(4_999)
    assert take(db, hands) == []
    hands.move(1)
    assert len(take(db, hands)) == 1


def test_jobs_of_another_queue_are_left_alone(db: Database, hands: Hands) -> None:
    add(db, hands, "a")
    taken = db.write(
        transitions.claim,
        "llm",
        5,
        owner="me",
        now=hands.now,
        monotonic_ms=hands.monotonic,
        lease_ms=LEASE_MS,
    )
    assert taken == []


def test_one_target_has_one_open_job(db: Database, hands: Hands) -> None:
    first = add(db, hands, "same")
    assert first is not None
    assert add(db, hands, "same") is None
    (held,) = take(db, hands)
    assert add(db, hands, "same") is None
    end(db, hands, held, End.COMPLETED)
    assert add(db, hands, "same") is not None


def test_an_enqueue_is_undone_with_its_transaction(db: Database, hands: Hands) -> None:
    def failing(tx: object) -> None:
        from signet.queue import NewJob, enqueue

        enqueue(tx, NewJob(kind="work", dedupe_key="x"), now=hands.now)  # type: ignore[arg-type]  # a WriteTx
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        db.write(failing)
    assert statuses(db) == {}


def test_a_released_job_is_due_now_and_keeps_its_attempt(db: Database, hands: Hands) -> None:
    job_id = add(db, hands, "a")
    (held,) = take(db, hands)
    assert end(db, hands, held, End.RELEASED)
    found = row(db, str(job_id))
    assert (found["status"], found["attempts"], found["lease_token"]) == ("pending", 0, 1)
    (again,) = take(db, hands)
    assert (again.attempts, again.token) == (1, 2)


def test_extending_moves_the_end_and_tells_what_is_not_ours(db: Database, hands: Hands) -> None:
    add(db, hands, "a")
    add(db, hands, "b")
    mine, lost = take(db, hands, 2)
    end(db, hands, lost, End.RELEASED)
    hands.move(30_000)
    kept = db.write(
        transitions.extend,
        [mine.job_id, lost.job_id],
        owner="me",
        monotonic_ms=hands.monotonic,
        lease_ms=LEASE_MS,
    )
    assert kept == {mine.job_id: (mine.token, False)}
    assert row(db, mine.job_id)["lease_until_ms"] == hands.monotonic + LEASE_MS


def test_a_cancelled_running_job_hears_of_it_with_the_next_beat(db: Database, hands: Hands) -> None:
    add(db, hands, "a")
    (held,) = take(db, hands)
    assert db.write(transitions.cancel, held.job_id, now=hands.now)
    kept = db.write(
        transitions.extend,
        [held.job_id],
        owner="me",
        monotonic_ms=hands.monotonic,
        lease_ms=LEASE_MS,
    )
    assert kept == {held.job_id: (held.token, True)}


def test_a_row_without_attempts_left_is_buried_and_not_run(db: Database, hands: Hands) -> None:
    job_id = str(add(db, hands, "a"))
    db.write(lambda tx: tx.run("UPDATE memory_jobs SET attempts = 3"))
    assert take(db, hands) == []
    found = row(db, job_id)
    assert (found["status"], found["last_error_code"]) == ("dead", "exhausted")
    assert found["attempts"] == 3


def test_a_payload_that_is_no_json_object_does_not_stop_the_claim(
    db: Database, hands: Hands
) -> None:
    add(db, hands, "a")
    db.write(lambda tx: tx.run("UPDATE memory_jobs SET payload = '{\"half'"))
    (held,) = take(db, hands)
    assert held.payload == {"undecodable": '{"half'}


def test_a_wall_clock_that_jumps_ends_no_lease(db: Database, hands: Hands) -> None:
    add(db, hands, "a")
    (held,) = take(db, hands)
    for jump in (3_600_000, -7_200_000):
        hands.wall += jump
        expired = db.write(
            transitions.reap_expired, monotonic_ms=hands.monotonic + LEASE_MS - 1, now=hands.now
        )
        assert expired == 0
    assert end(db, hands, held, End.COMPLETED)


def test_a_machine_that_slept_starts_due_jobs_once_and_loses_no_lease(
    db: Database, hands: Hands
) -> None:
    add(db, hands, "running")
    take(db, hands)
    add(db, hands, "scheduled", delay_ms=3_600_000)
    hands.wall += 8 * 3_600_000  # asleep: the monotonic clock stood still
    assert db.write(transitions.reap_expired, monotonic_ms=hands.monotonic, now=hands.now) == 0
    assert len(take(db, hands, 5)) == 1
    assert take(db, hands, 5) == []


def test_a_suspect_runs_only_when_no_other_suspect_does(db: Database, hands: Hands) -> None:
    for key in ("a", "b"):
        add(db, hands, key, delay_ms=0)
    db.write(lambda tx: tx.run("UPDATE memory_jobs SET crashes = 2, max_attempts = 9"))
    (first,) = take(db, hands, 1)
    assert take(db, hands, 1) == []
    end(db, hands, first, End.COMPLETED)
    assert len(take(db, hands, 1)) == 1


@pytest.mark.sqlite_file
def test_a_full_history_costs_a_claim_nothing_it_could_notice(db: Database, hands: Hands) -> None:
    plan = db.read(
        lambda tx: tx.all(
            "EXPLAIN QUERY PLAN " + transitions.CLAIM,
            {
                "queue": "light",
                "count": 1,
                "owner": "me",
                "now": clock.to_text(hands.now),
                "wall": hands.wall,
                "until": 1,
            },
        )
    )
    details = [found["detail"] for found in plan]
    # What is leased is few, and has indexes of its own.
    scans = [
        text
        for text in details
        if text.startswith("SCAN memory_jobs") and "idx_memory_jobs_lease" not in text
    ]
    assert scans == []
    assert sum("idx_memory_jobs_due" in text for text in details) == 3


def test_a_reaper_that_waited_for_its_turn_ends_no_longest_lease(
    db: Database, hands: Hands
) -> None:
    """It reads the clock before it waits; a lease that was taken meanwhile ends later than that."""
    job_id = str(add(db, hands, "a"))
    read_at = hands.monotonic
    hands.move(5_000)
    db.write(
        transitions.claim,
        "light",
        1,
        owner="me",
        now=hands.now,
        monotonic_ms=hands.monotonic,
        lease_ms=600_000,
    )
    db.write(transitions.reap_expired, monotonic_ms=read_at, now=hands.now)
    assert row(db, job_id)["status"] == "leased"


def test_the_time_limit_of_a_job_bounds_the_time_between_two_calls(
    db: Database, hands: Hands
) -> None:
    add(db, hands, "a")
    (lease,) = take(db, hands)
    job = JobContext(lease=lease, db=db, clock=hands.clock)
    job.start()
    limit = job.ends_at - job.started_at
    job.allow(900.0)
    assert job.ends_at - job.started_at >= 900 + limit
    job.allow(0.0)
    assert job.ends_at - job.started_at >= 900 + limit, "it never gets shorter"
