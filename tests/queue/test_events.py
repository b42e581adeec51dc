"""What happens to jobs is told from the rows, each thing once, wherever it was done."""

from datetime import timedelta

import pytest

from signet.db import Database
from signet.queue import JobStatus, admin, events, transitions
from signet.queue.events import EventCursor, EventType, EventWatch, JobEvent, happened
from signet.queue.retry import End
from support.queue import Hands, add, end, take


@pytest.fixture
def watch(db: Database, hands: Hands) -> EventWatch:
    return db.read(EventWatch.begin, now=hands.now)


def look(watch: EventWatch, db: Database, hands: Hands) -> list[tuple[str, str]]:
    """Look a moment later and return what was told."""
    hands.move(200)
    return told(db.read(watch.poll, now=hands.now).events)


def told(found: tuple[JobEvent, ...]) -> list[tuple[str, str]]:
    return [(event.event, event.id) for event in found]


@pytest.mark.parametrize(
    ("before", "status", "token", "code", "what"),
    [
        (None, JobStatus.PENDING, 0, None, EventType.ENQUEUED),
        (("pending", 0), JobStatus.PENDING, 0, None, None),
        (("pending", 0), JobStatus.LEASED, 1, None, EventType.STARTED),
        (("leased", 1), JobStatus.LEASED, 2, None, EventType.STARTED),
        (("leased", 1), JobStatus.PENDING, 1, "timeout", EventType.RETRIED),
        (("dead", 1), JobStatus.PENDING, 1, None, EventType.RETRIED),
        (None, JobStatus.COMPLETED, 1, None, EventType.COMPLETED),
        (("leased", 3), JobStatus.DEAD, 3, "timeout", EventType.DEAD),
        (("pending", 0), JobStatus.DEAD, 0, "cancelled", EventType.CANCELLED),
        (("dead", 3), JobStatus.DEAD, 3, "timeout", None),
    ],
)
def test_what_was_and_what_is_make_the_event(
    before: tuple[str, int] | None,
    status: JobStatus,
    token: int,
    code: str | None,
    what: EventType | None,
) -> None:
    assert happened(before, status, token, code) == what


def test_the_life_of_a_job_is_told_step_by_step(
    db: Database, hands: Hands, watch: EventWatch
) -> None:
    job_id = str(add(db, hands, "a"))
    assert look(watch, db, hands) == [(EventType.ENQUEUED, job_id)]
    (held,) = take(db, hands)
    assert look(watch, db, hands) == [(EventType.STARTED, job_id)]
    end(db, hands, held, End.FAILED, code="timeout", error="too slow")
    assert look(watch, db, hands) == [(EventType.RETRIED, job_id)]
    hands.move(60_000)
    (again,) = take(db, hands)
    assert look(watch, db, hands) == [(EventType.STARTED, job_id)]
    end(db, hands, again, End.COMPLETED)
    assert look(watch, db, hands) == [(EventType.COMPLETED, job_id)]
    assert look(watch, db, hands) == []


def test_what_begins_and_ends_between_two_looks_is_told_by_its_end(
    db: Database, hands: Hands, watch: EventWatch
) -> None:
    ids = [str(add(db, hands, key)) for key in "abc"]
    one, two, three = take(db, hands, 3)
    end(db, hands, one, End.COMPLETED)
    end(db, hands, two, End.PERMANENT, code="empty", error="Empty")
    end(db, hands, three, End.FAILED, code="timeout", error="slow")
    assert look(watch, db, hands) == [
        (EventType.COMPLETED, ids[0]),
        (EventType.DEAD, ids[1]),
        (EventType.RETRIED, ids[2]),
    ]


def test_a_cancel_a_requeue_and_a_release_are_told(
    db: Database, hands: Hands, watch: EventWatch
) -> None:
    waiting, running = str(add(db, hands, "a")), str(add(db, hands, "b", priority=0))
    (held,) = take(db, hands)
    look(watch, db, hands)
    db.write(transitions.cancel, waiting, now=hands.now)
    assert look(watch, db, hands) == [(EventType.CANCELLED, waiting)]
    end(db, hands, held, End.RELEASED)
    assert look(watch, db, hands) == [(EventType.RETRIED, running)]
    (held,) = take(db, hands)
    end(db, hands, held, End.PERMANENT, code="x", error="x")
    assert look(watch, db, hands) == [(EventType.DEAD, running)]
    hands.move(3_600_000)
    db.write(admin.retry, running, now=hands.now)
    assert look(watch, db, hands) == [(EventType.RETRIED, running)]


def test_what_was_before_the_watch_is_not_told(db: Database, hands: Hands) -> None:
    add(db, hands, "waits")
    add(db, hands, "done")
    (held,) = take(db, hands)
    end(db, hands, held, End.COMPLETED)
    watch = db.read(EventWatch.begin, now=hands.now)
    assert look(watch, db, hands) == []


def test_a_clock_that_is_set_back_hides_nothing(
    db: Database, hands: Hands, watch: EventWatch
) -> None:
    job_id = str(add(db, hands, "a"))
    look(watch, db, hands)
    hands.wall -= 3_600_000
    db.write(transitions.cancel, job_id, now=hands.now)
    assert look(watch, db, hands) == [(EventType.CANCELLED, job_id)]


def test_many_new_jobs_are_told_over_several_looks(
    db: Database, hands: Hands, watch: EventWatch
) -> None:
    ids = [str(add(db, hands, str(number))) for number in range(events.NEW_ROWS + 7)]
    first = db.read(watch.poll, now=hands.now)
    assert first.more and len(first.events) == events.NEW_ROWS
    second = db.read(watch.poll, now=hands.now)
    assert not second.more
    assert sorted(event.id for event in (*first.events, *second.events)) == sorted(ids)


def test_a_cursor_is_text_and_goes_on_in_another_process(db: Database, hands: Hands) -> None:
    watch = db.read(EventWatch.begin, now=hands.now)
    old = str(add(db, hands, "old"))
    look(watch, db, hands)
    kept = EventCursor.parse(str(watch.cursor))
    assert kept == watch.cursor
    hands.move(10_000)
    db.write(transitions.cancel, old, now=hands.now)
    new = str(add(db, hands, "new"))
    hands.move(timedelta(hours=1) // timedelta(milliseconds=1))
    found = db.read(EventWatch(kept).poll, now=hands.now)
    assert sorted(told(found.events)) == [(EventType.CANCELLED, old), (EventType.ENQUEUED, new)]
    assert not found.missed and not found.more


@pytest.mark.parametrize("text", [None, "", "12", "a-b", "1-2-3", "-1-2", "9" * 30 + "-1"])
def test_what_is_no_cursor_is_none(text: str | None) -> None:
    assert EventCursor.parse(text) is None
