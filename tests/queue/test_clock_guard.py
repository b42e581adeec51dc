"""Jumps of the wall clock: what was due by the wrong time, and what must not be deleted by it."""

from datetime import timedelta

import pytest

from signet import clock
from signet.config import Settings
from signet.db import Database, WriteTx, clock_jumps, schedule
from signet.domain.diagnostics import report
from signet.domain.diagnostics.counts import Facts
from signet.domain.retention import purge
from signet.domain.retention.purge import Windows
from signet.queue import circuit_breaker
from signet_scheduler.clock_guard import SEARCH_EVERY, ClockGuard
from support.queue import Hands, add, row, take

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000


def due_in(db: Database, hands: Hands, job_id: str) -> int:
    return int(row(db, job_id)["due_ms"]) - hands.wall


def health(db: Database, hands: Hands) -> str:
    found = db.read(report.report, Facts.from_settings(Settings()), now=hands.now)
    return str(found.domains["queue"].as_dict())


@pytest.mark.parametrize("ahead", [2 * HOUR, 2 * DAY, 400 * DAY])
def test_jobs_queued_by_a_clock_that_was_ahead_run_after_it_is_set_right(
    db: Database, hands: Hands, ahead: int
) -> None:
    guard = ClockGuard(db, hands.clock)
    hands.wall += ahead
    guard.poll()
    stuck, delayed = str(add(db, hands, "a")), str(add(db, hands, "b", delay_ms=5_000))
    hands.wall -= ahead
    assert take(db, hands) == []
    guard.poll()
    assert due_in(db, hands, stuck) == due_in(db, hands, delayed) == 0
    assert len(take(db, hands, 2)) == 2
    assert "the clock jumped back by" in health(db, hands)


def test_due_times_of_a_clock_that_no_tick_saw_are_found_within_a_minute(
    db: Database, hands: Hands
) -> None:
    guard = ClockGuard(db, hands.clock)
    hands.wall += DAY
    job_id = str(add(db, hands, "a"))
    hands.wall -= DAY
    for _ in range(SEARCH_EVERY):
        hands.move(1_000)
        guard.poll()
    assert due_in(db, hands, job_id) <= 0


def test_delays_of_our_own_stay_when_the_clock_is_set_back(db: Database, hands: Hands) -> None:
    guard = ClockGuard(db, hands.clock)
    job_id = str(add(db, hands, "a", delay_ms=MINUTE))
    hands.wall -= 10_000
    guard.poll()
    assert due_in(db, hands, job_id) == MINUTE + 10_000


@pytest.mark.parametrize("step", [0, 900, -900, 4_000, -4_000])
def test_corrections_of_seconds_and_sleep_are_no_jump(
    db: Database, hands: Hands, step: int
) -> None:
    guard = ClockGuard(db, hands.clock)
    hands.move(9 * HOUR)  # the machine slept: both clocks went on
    hands.wall += step
    guard.poll()
    assert db.read(clock_jumps.latest, now=hands.now) is None


def test_a_start_after_the_clock_was_set_back_repairs_what_the_last_daemon_left(
    db: Database, hands: Hands
) -> None:
    hands.wall += 2 * DAY
    db.write(schedule.record_run, "synthesis", hands.wall, "1")
    job_id = str(add(db, hands, "a"))
    hands.wall -= 2 * DAY
    ClockGuard(db, hands.clock).poll()
    assert due_in(db, hands, job_id) == 0
    jump = db.read(clock_jumps.latest, now=hands.now)
    assert jump is not None and jump.described.startswith("the clock jumped back by 2 days at ")


def test_a_provider_that_was_put_off_by_a_clock_ahead_is_probed(db: Database, hands: Hands) -> None:
    guard = ClockGuard(db, hands.clock)
    hands.wall += 2 * HOUR
    guard.poll()
    db.write(circuit_breaker.open_breaker, "llm", "job", retry_after_ms=None, now=hands.now)
    hands.wall -= 2 * HOUR
    guard.poll()
    assert db.read(circuit_breaker.breaker_retry_at, "llm") == hands.wall


def test_a_provider_is_probed_within_ten_minutes_whatever_it_asks_for(
    db: Database, hands: Hands
) -> None:
    at = db.write(circuit_breaker.open_breaker, "llm", "job", retry_after_ms=DAY, now=hands.now)
    assert at - hands.wall == 10 * MINUTE


def swept(db: Database, hands: Hands) -> purge.Swept:
    return purge.sweep(db, windows=Windows.from_settings(Settings()), now=hands.now)


def old_job(db: Database, hands: Hands) -> None:
    add(db, hands, "old")
    text = clock.to_text(hands.now)
    db.write(WriteTx.run, "UPDATE memory_jobs SET status = 'completed', completed_at = ?", (text,))


def beat(db: Database, hands: Hands) -> None:
    db.write(schedule.record_run, "synthesis", hands.wall, "1")


def test_a_leap_of_the_clock_deletes_nothing_until_the_time_has_held_for_a_day(
    db: Database, hands: Hands
) -> None:
    guard = ClockGuard(db, hands.clock)
    old_job(db, hands)
    beat(db, hands)
    hands.wall += 70 * DAY
    early = swept(db, hands)
    assert early.held and not early.counts, "before the scheduler has looked"
    guard.poll()
    beat(db, hands)
    assert swept(db, hands).held
    assert "nothing old is deleted" in health(db, hands)
    hands.wall -= 70 * DAY
    guard.poll()
    assert not swept(db, hands).held, "the time is right again, and nothing is old"
    assert db.read(WriteTx.value, "SELECT COUNT(*) FROM memory_jobs") == 1
    hands.wall += 70 * DAY
    guard.poll()
    hands.move(DAY + HOUR)
    guard.poll()
    beat(db, hands)
    assert swept(db, hands).counts["completedJobsPurged"] == 1


def test_a_step_back_of_a_part_of_a_leap_still_deletes_nothing(db: Database, hands: Hands) -> None:
    guard = ClockGuard(db, hands.clock)
    old_job(db, hands)
    for step in (61 * DAY, -22 * DAY, 20 * HOUR, 20 * HOUR):
        hands.wall += step
        guard.poll()
        beat(db, hands)
        assert swept(db, hands).held
    hands.wall -= 39 * DAY
    guard.poll()
    beat(db, hands)
    assert swept(db, hands).held, "two leaps of less than a day are one of more"
    hands.wall -= 40 * HOUR
    guard.poll()
    assert not swept(db, hands).held


def test_a_machine_that_was_off_for_weeks_deletes_after_a_day(db: Database, hands: Hands) -> None:
    old_job(db, hands)
    beat(db, hands)
    hands.move(30 * DAY)
    ClockGuard(db, hands.clock)
    beat(db, hands)
    assert swept(db, hands).held
    hands.move(DAY + HOUR)
    beat(db, hands)
    assert swept(db, hands).counts["completedJobsPurged"] == 1


def test_a_sweep_runs_where_no_scheduler_has_recorded_anything(db: Database, hands: Hands) -> None:
    old_job(db, hands)
    hands.move(int(timedelta(days=60).total_seconds() * 1000))
    assert swept(db, hands).counts["completedJobsPurged"] == 1
