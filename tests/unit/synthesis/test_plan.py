"""When MEMORY.md is due, and how much a memory still matters."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from signet.config import settings_from
from signet.config.sections import Schedule
from signet.domain.synthesis import file, plan, sources
from signet.domain.synthesis.plan import Plan, Standing
from signet.errors import Invalid
from signet.paths import Workspace

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
PLAN = Plan.from_settings(settings_from({})[0])
FRESH = Standing(last_run_at=None, first_at=NOON - timedelta(hours=2), has_news=True)
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


def due(standing: Standing, *, quiet: timedelta, plan_: Plan = PLAN) -> bool:
    return plan.is_due(plan_, standing, active_at=NOON - quiet, now=NOON)


@pytest.mark.parametrize(
    ("last", "quiet", "schedule", "expected"),
    [
        (2 * HOUR, 15 * MINUTE, Schedule.DAILY, True),
        (2 * HOUR, 14 * MINUTE, Schedule.DAILY, False),
        (24 * HOUR, MINUTE, Schedule.DAILY, True),
        (24 * HOUR, MINUTE, Schedule.WEEKLY, False),
        (7 * 24 * HOUR, MINUTE, Schedule.WEEKLY, True),
        (70 * 24 * HOUR, MINUTE, Schedule.ON_DEMAND, False),
        (59 * MINUTE, HOUR, Schedule.DAILY, False),
        (HOUR, HOUR, Schedule.ON_DEMAND, True),
        (-HOUR, HOUR, Schedule.DAILY, True),  # the clock was set back
    ],
)
def test_a_file_is_due_by_schedule_or_when_it_is_quiet(
    last: timedelta, quiet: timedelta, schedule: Schedule, expected: bool
) -> None:
    standing = replace(FRESH, last_run_at=NOON - last)
    assert due(standing, quiet=quiet, plan_=replace(PLAN, schedule=schedule)) is expected


def test_a_first_file_is_due_when_it_is_quiet_or_a_day_after_the_first_memory() -> None:
    assert not due(FRESH, quiet=MINUTE)
    assert due(FRESH, quiet=HOUR)
    assert due(replace(FRESH, first_at=NOON - 24 * HOUR), quiet=MINUTE)


def test_nothing_is_due_without_news_or_while_it_is_off_or_running() -> None:
    assert not due(replace(FRESH, has_news=False), quiet=HOUR)
    assert not due(replace(FRESH, is_running=True), quiet=HOUR)
    assert not due(FRESH, quiet=HOUR, plan_=replace(PLAN, enabled=False))


def test_a_run_by_hand_does_not_wait_for_an_hour_if_something_has_changed() -> None:
    recent = replace(FRESH, last_run_at=NOON - 50 * MINUTE)
    assert plan.refusal(recent, now=NOON) == "The last run was less than an hour ago"
    assert plan.refusal(recent, now=NOON, by_hand=True) is None
    still = replace(recent, has_news=False)
    assert plan.refusal(still, now=NOON, by_hand=True) == "Nothing is new since the last run"


def test_importance_fades_with_the_days_since_the_last_use() -> None:
    for days, rate, expected in (
        (0, 0.95, 0.8),
        (10, 0.95, 0.8 * 0.95**10),
        (9, 1.0, 0.8),
        (1, 0.0, 0.0),
    ):
        used = NOON - timedelta(days=days)
        assert sources.effective(0.8, used, NOON, rate=rate) == pytest.approx(expected)
    assert sources.effective(0.8, NOON + HOUR, NOON, rate=0.95) == 0.8


@pytest.mark.parametrize(
    ("agent", "expected"),
    [
        ("default", "MEMORY.md"),
        ("nora-2", "agents/nora-2/MEMORY.md"),
        *((bad, None) for bad in ("../x", "a/b", ".", "", "Nora", "-x", "n" * 65)),
    ],
)
def test_only_a_name_of_a_folder_has_a_file(agent: str, expected: str | None) -> None:
    workspace = Workspace(Path("/w"))
    found = file.path_of(workspace, agent)
    assert (found and str(found)) == (expected and f"/w/{expected}")


def test_a_deep_json_text_is_no_reason_to_fail() -> None:
    assert file.checked("[" * 100_000)
    with pytest.raises(Invalid):
        file.checked("17")
