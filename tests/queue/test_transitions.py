"""The end of a lease: completed, tried again, buried, fenced off."""

import json

import pytest

from signet import clock
from signet.db import Database, WriteTx
from signet.queue import circuit_breaker, retry, transitions
from signet.queue.job_context import JobContext
from signet.queue.retry import End, LeaseLost
from support.queue import LEASE_MS, Hands, add, end, plain, row, statuses, take


def test_a_completed_job_says_when(db: Database, hands: Hands) -> None:
    job_id = str(add(db, hands, "a"))
    (held,) = take(db, hands)
    assert end(db, hands, held, End.COMPLETED)
    found = row(db, job_id)
    assert (found["status"], found["lease_owner"]) == ("completed", None)
    assert found["completed_at"] == "2026-05-01T12:00:00.000Z"


@pytest.mark.parametrize(
    ("attempts", "jitter", "expected"),
    [(1, 0.0, 1_000), (2, 0.0, 2_000), (3, 0.0, 4_000), (6, 0.0, 30_000), (99, 0.999, 30_499)],
)
def test_waits_double_up_to_half_a_minute(attempts: int, jitter: float, expected: int) -> None:
    assert retry.delay_ms(attempts, jitter) == expected


@pytest.mark.parametrize(("is_of_a_model", "wait"), [(False, 1_000), (True, 15_000)])
def test_a_failed_job_waits_and_keeps_its_errors(
    db: Database, hands: Hands, is_of_a_model: bool, wait: int
) -> None:
    job_id = str(add(db, hands, "a"))
    (held,) = take(db, hands)
    failed = {"code": "timeout", "error": "no answer", "is_provider_failure": is_of_a_model}
    end(db, hands, held, End.FAILED, **failed)
    found = row(db, job_id)
    assert (found["status"], found["attempts"], found["failed_at"]) == ("pending", 1, None)
    assert hands.wall + wait <= found["due_ms"] <= hands.wall + wait + 500
    (entry,) = json.loads(found["errors"])
    assert entry == {
        "began": "2026-05-01T12:00:00.000Z",
        "at": "2026-05-01T12:00:00.000Z",
        "token": 1,
        "code": "timeout",
        "text": "no answer",
    }


def test_a_job_keeps_the_last_five_errors(db: Database, hands: Hands) -> None:
    job_id = str(add(db, hands, "a"))
    for number in range(7):
        (held,) = take(db, hands)
        end(db, hands, held, End.POSTPONED, code="wait", error=f"no {number}", wait_ms=0)
    kept = json.loads(row(db, job_id)["errors"])
    assert [(entry["token"], entry["text"]) for entry in kept] == [
        (number + 1, f"no {number}") for number in range(2, 7)
    ]


def test_any_text_is_kept_as_an_error(db: Database, hands: Hands, engine: str) -> None:
    job_id = str(add(db, hands, "a"))
    (held,) = take(db, hands)
    text = 'Käse "x" \\ \n\t\x00\x1f {1} 🙂 '
    end(db, hands, held, End.FAILED, code="odd", error=text + "\ud800")
    found = row(db, job_id)
    (entry,) = json.loads(found["errors"])
    kept = (text + "?").replace("\0", "\ufffd") if engine == "postgres" else text + "?"
    assert (entry["text"], found["error"]) == (kept, kept)


@pytest.mark.parametrize(
    "left", ["", "{", '{"at": 1}', "null"], ids=["empty", "broken", "object", "null"]
)
def test_what_is_no_list_of_errors_makes_room_for_one(
    db: Database, hands: Hands, left: str
) -> None:
    job_id = str(add(db, hands, "a"))
    db.write(WriteTx.run, "UPDATE memory_jobs SET errors = ?", (left,))
    (held,) = take(db, hands)
    assert end(db, hands, held, End.FAILED, code="boom", error="again")
    assert [entry["code"] for entry in json.loads(row(db, job_id)["errors"])] == ["boom"]


def test_the_last_attempt_buries(db: Database, hands: Hands) -> None:
    job_id = str(add(db, hands, "a"))
    for _ in range(3):
        (held,) = take(db, hands)
        end(db, hands, held, End.FAILED, code="boom", error="again")
        hands.move(60_000)
    found = row(db, job_id)
    assert (found["status"], found["attempts"], found["runs_total"]) == ("dead", 3, 3)
    assert found["failed_at"] is not None
    assert take(db, hands) == []


def test_a_permanent_error_buries_at_once(db: Database, hands: Hands) -> None:
    job_id = str(add(db, hands, "a"))
    (held,) = take(db, hands)
    end(db, hands, held, End.PERMANENT, code="empty", error="Empty content")
    found = row(db, job_id)
    assert (found["status"], found["attempts"], found["last_error_code"]) == ("dead", 1, "empty")


def test_waiting_for_a_provider_is_not_charged(db: Database, hands: Hands) -> None:
    job_id = str(add(db, hands, "a"))
    for _ in range(10):
        (held,) = take(db, hands)
        end(db, hands, held, End.POSTPONED, code="provider_down", wait_ms=2_000)
        hands.move(2_000)
    found = row(db, job_id)
    assert (found["status"], found["attempts"], found["runs_total"]) == ("pending", 0, 10)


@pytest.mark.parametrize("how", [End.COMPLETED, End.FAILED, End.RELEASED, End.PERMANENT])
def test_an_old_token_changes_nothing(db: Database, hands: Hands, how: End) -> None:
    job_id = str(add(db, hands, "a"))
    (zombie,) = take(db, hands, owner="sleeper")
    hands.move(LEASE_MS + 1)
    assert db.write(transitions.reap_expired, monotonic_ms=hands.monotonic, now=hands.now) == 1
    hands.move(60_000)
    (held,) = take(db, hands, owner="awake")
    before = tuple(row(db, job_id))
    assert not end(db, hands, zombie, how)
    assert tuple(row(db, job_id)) == before
    assert end(db, hands, held, End.COMPLETED)
    after = tuple(row(db, job_id))
    assert not end(db, hands, zombie, how)
    assert tuple(row(db, job_id)) == after


def test_effects_and_completion_are_one(db: Database, hands: Hands) -> None:
    job_id = str(add(db, hands, "a"))
    (held,) = take(db, hands)
    run = JobContext(lease=held, db=db)

    def half(tx: WriteTx) -> None:
        plain(tx)
        raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError, match="in the middle"):
        run.commit(half)
    assert row(db, job_id)["status"] == "leased"
    assert db.read(lambda tx: tx.value("SELECT COUNT(*) FROM runtime_settings")) == 0
    run.commit(plain)
    assert row(db, job_id)["status"] == "completed"
    assert db.read(lambda tx: tx.value("SELECT COUNT(*) FROM runtime_settings")) == 1


def test_a_worker_that_lost_its_lease_writes_nothing(db: Database, hands: Hands) -> None:
    add(db, hands, "a")
    (held,) = take(db, hands)
    db.write(transitions.reap_owner, "me", now=hands.now)
    run = JobContext(lease=held, db=db)
    with pytest.raises(LeaseLost):
        run.commit(plain)
    with pytest.raises(LeaseLost):
        run.progress(plain)
    assert db.read(lambda tx: tx.value("SELECT COUNT(*) FROM runtime_settings")) == 0


def test_a_dict_of_effects_is_the_jobs_result(db: Database, hands: Hands) -> None:
    job_id = str(add(db, hands, "a"))
    (held,) = take(db, hands)
    JobContext(lease=held, db=db).commit(lambda tx: {"facts": 2})
    assert json.loads(row(db, job_id)["result"]) == {"facts": 2}


def test_the_first_death_of_a_process_gives_its_jobs_back_at_once(
    db: Database, hands: Hands
) -> None:
    job_id = str(add(db, hands, "a"))
    take(db, hands, owner="victim")
    assert db.write(transitions.reap_owner, "victim", now=hands.now) == 1
    found = row(db, job_id)
    assert (found["status"], found["crashes"], found["attempts"]) == ("pending", 1, 0)
    assert found["due_ms"] == hands.wall
    assert db.write(transitions.reap_owner, "victim", now=hands.now) == 0


def test_a_job_that_kills_its_workers_waits_longer_each_time_and_dies(
    db: Database, hands: Hands
) -> None:
    job_id = str(add(db, hands, "poison"))
    waits = []
    for number in range(retry.MAX_CRASHES):
        (held,) = take(db, hands, owner=f"worker-{number}")
        assert held.attempts == 1, "the death of a process is not charged"
        db.write(transitions.reap_owner, f"worker-{number}", now=hands.now)
        waits.append(row(db, job_id)["due_ms"] - hands.wall)
        hands.move(3_600_000)
    found = row(db, job_id)
    assert (found["status"], found["last_error_code"]) == ("dead", "crashed")
    assert waits[:4] == [0, 30_000, 120_000, 480_000]


def test_three_deaths_within_seconds_leave_an_innocent_job_alive(
    db: Database, hands: Hands
) -> None:
    job_id = str(add(db, hands, "innocent"))
    for number in range(3):
        take(db, hands, owner=f"worker-{number}")
        db.write(transitions.reap_owner, f"worker-{number}", now=hands.now)
        hands.move(3_000)
    assert row(db, job_id)["status"] == "pending"
    hands.move(30_000)
    (held,) = take(db, hands)
    assert end(db, hands, held, End.COMPLETED)


def test_dead_jobs_get_a_fresh_start(db: Database, hands: Hands) -> None:
    job_id = str(add(db, hands, "a"))
    (held,) = take(db, hands)
    end(db, hands, held, End.PERMANENT, code="empty", error="Empty content")
    assert db.write(transitions.requeue, now=hands.now) == [job_id]
    found = row(db, job_id)
    assert (found["status"], found["attempts"], found["error"]) == ("pending", 0, None)
    assert (found["lease_token"], found["runs_total"]) == (1, 1)
    (again,) = take(db, hands)
    assert again.token == 2


def test_requeue_leaves_a_job_alone_whose_target_has_an_open_one(
    db: Database, hands: Hands
) -> None:
    add(db, hands, "same")
    (held,) = take(db, hands)
    end(db, hands, held, End.PERMANENT, code="x", error="x")
    add(db, hands, "same")
    assert db.write(transitions.requeue, now=hands.now) == []
    assert statuses(db) == {"dead": 1, "pending": 1}


def test_cancelling_a_waiting_job_buries_it(db: Database, hands: Hands) -> None:
    job_id = str(add(db, hands, "a"))
    assert db.write(transitions.cancel, job_id, now=hands.now)
    assert row(db, job_id)["last_error_code"] == "cancelled"
    assert not db.write(transitions.cancel, job_id, now=hands.now)


@pytest.mark.parametrize(
    "how", [End.RELEASED, End.POSTPONED, End.FAILED, End.CRASHED, End.EXPIRED], ids=str
)
def test_a_lease_that_ends_after_a_cancel_ends_the_job(
    db: Database, hands: Hands, how: End
) -> None:
    job_id = str(add(db, hands, "a"))
    (held,) = take(db, hands)
    assert db.write(transitions.cancel, job_id, now=hands.now)
    assert end(db, hands, held, how, code="x", error="x")
    found = row(db, job_id)
    assert (found["status"], found["last_error_code"]) == ("dead", "cancelled")
    assert found["failed_at"] and not found["cancel_requested"]
    hands.move(3_600_000)
    assert take(db, hands) == []


def test_a_cancel_that_comes_too_late_leaves_a_completed_job(db: Database, hands: Hands) -> None:
    job_id = str(add(db, hands, "a"))
    (held,) = take(db, hands)
    assert db.write(transitions.cancel, job_id, now=hands.now)
    assert end(db, hands, held, End.COMPLETED)
    found = row(db, job_id)
    assert (found["status"], found["cancel_requested"]) == ("completed", 0)


def test_requeue_takes_a_cancelled_or_flushed_job_only_by_its_id(
    db: Database, hands: Hands
) -> None:
    cancelled, flushed = str(add(db, hands, "a")), str(add(db, hands, "b"))
    db.write(transitions.cancel, cancelled, now=hands.now)
    db.write(transitions.flush, "light", now=hands.now)
    assert db.write(transitions.requeue, now=hands.now) == []
    assert db.write(transitions.requeue, now=hands.now, kind="work") == []
    for job_id in (cancelled, flushed):
        assert db.write(transitions.requeue, now=hands.now, job_ids=[job_id]) == [job_id]


def test_a_breaker_lets_one_probe_through_and_waits_longer_each_time(
    db: Database, hands: Hands
) -> None:
    def failed(after: int | None = None) -> int:
        at = db.write(
            circuit_breaker.open_breaker, "llm", "probe", retry_after_ms=after, now=hands.now
        )
        return at - hands.wall

    def allowed(room: int) -> int:
        found = db.read(circuit_breaker.allowance, "llm", room, now_ms=hands.wall)
        if found.is_probe:
            db.write(circuit_breaker.note_probe, "llm", "probe", now_ms=hands.wall)
        return found.jobs

    assert allowed(4) == 4
    assert failed() == circuit_breaker.FIRST_PROBE_MS
    assert failed() == circuit_breaker.FIRST_PROBE_MS, (
        "jobs that were running do not lengthen the wait"
    )
    assert allowed(4) == 0
    hands.move(circuit_breaker.FIRST_PROBE_MS)
    assert allowed(4) == 1
    assert allowed(4) == 0, "one probe at a time"
    assert failed() == circuit_breaker.FIRST_PROBE_MS * 2
    hands.move(circuit_breaker.FIRST_PROBE_MS * 2)
    assert allowed(4) == 1
    assert allowed(4) == 0
    db.write(circuit_breaker.probe_lost, "llm", "another", now=hands.now)
    assert allowed(4) == 0, "another job of the queue was given back"
    db.write(circuit_breaker.probe_lost, "llm", "probe", now=hands.now)
    assert allowed(4) == 1, "a probe that was given back is followed by another at once"
    db.write(circuit_breaker.close_breaker, "llm", now=hands.now)
    assert allowed(4) == 4
    assert failed(after=600_000) == 600_000, "the provider's own word counts"


def test_a_dead_extraction_shows_on_its_memory_and_a_requeue_takes_it_back(
    db: Database, hands: Hands
) -> None:
    from signet.queue import NewJob, enqueue

    def remember(tx: WriteTx) -> str | None:
        tx.run(
            "INSERT INTO memories (id, content, created_at, updated_at, extraction_status)"
            " VALUES ('m', 'text', '2026', '2026', 'pending')"
        )
        job = NewJob(kind="extract", queue="light", memory_id="m")
        return enqueue(tx, job, now=hands.now)

    def status() -> object:
        return db.read(lambda tx: tx.value("SELECT extraction_status FROM memories"))

    db.write(remember)
    (held,) = take(db, hands)
    end(db, hands, held, End.FAILED, code="x", error="will be tried again")
    assert status() == "pending"
    hands.move(60_000)
    (held,) = take(db, hands)
    end(db, hands, held, End.PERMANENT, code="x", error="x")
    assert status() == "failed"
    db.write(transitions.requeue, now=hands.now)
    assert status() == "pending"


def probing(db: Database, hands: Hands) -> JobContext:
    """Stop the queue for its provider and take the job that goes to see."""
    add(db, hands, "probe")
    db.write(circuit_breaker.open_breaker, "light", "earlier", retry_after_ms=None, now=hands.now)
    hands.move(circuit_breaker.FIRST_PROBE_MS)
    (held,) = take(db, hands)
    db.write(circuit_breaker.note_probe, "light", held.job_id, now_ms=hands.wall)
    return JobContext(lease=held, db=db, is_probe=True)


def room(db: Database, at_ms: int) -> int:
    return db.read(circuit_breaker.allowance, "light", 4, now_ms=at_ms).jobs


def test_a_probe_that_came_through_opens_the_queue(db: Database, hands: Hands) -> None:
    probing(db, hands).commit(plain)
    assert room(db, hands.wall) == 4


def test_a_probe_that_was_skipped_has_asked_nobody(db: Database, hands: Hands) -> None:
    probing(db, hands).commit(lambda tx: {"skipped": "memory_deleted"})
    assert room(db, clock.wall_ms()) == 1, "the next one goes to see"


def test_a_job_that_is_no_probe_says_nothing_of_the_provider(db: Database, hands: Hands) -> None:
    add(db, hands, "running")
    (held,) = take(db, hands)
    probing(db, hands)
    JobContext(lease=held, db=db).commit(plain)
    assert room(db, hands.wall) == 0, "the probe is out"


def test_a_job_that_meets_the_outage_late_sends_no_second_probe(db: Database, hands: Hands) -> None:
    probing(db, hands)
    at = db.write(circuit_breaker.open_breaker, "light", "late", retry_after_ms=None, now=hands.now)
    assert at == hands.wall + circuit_breaker.FIRST_PROBE_MS
    db.write(transitions.reap_owner, "nobody", now=hands.now)
    assert room(db, at) == 0


def test_the_death_of_a_probe_lets_the_next_one_go(db: Database, hands: Hands) -> None:
    probing(db, hands)
    db.write(transitions.reap_owner, "me", now=hands.now)
    assert room(db, hands.wall) == 1


def test_another_provider_is_asked_at_once_by_jobs_that_had_failed_before(
    db: Database, hands: Hands
) -> None:
    job_id = str(add(db, hands, "a"))
    (held,) = take(db, hands)
    end(db, hands, held, End.FAILED, code="boom", error="once")
    hands.move(60_000)
    (held,) = take(db, hands)
    end(db, hands, held, End.POSTPONED, code="provider_down", wait_ms=600_000)
    assert row(db, job_id)["attempts"] == 1
    db.write(circuit_breaker.reset, "light", now=hands.now)
    assert row(db, job_id)["due_ms"] == hands.wall
