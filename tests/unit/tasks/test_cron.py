"""When a cron expression is due, in every season (TK-3)."""

import contextlib
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signet.domain.tasks.scheduled import PRESETS, InvalidCron, next_run, zone
from signet.errors import Invalid

#: Clocks go from 2 to 3 on 29 March 2026 and from 3 back to 2 on 25 October, at 01:00 UTC both.
BERLIN_RULES = "CET-1CEST,M3.5.0,M10.5.0/3"


def at(text: str) -> datetime:
    """Return an instant in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.fixture(params=["machine", "named"])
def berlin(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[tzinfo]:
    """Give the time of Berlin, as the zone of the machine and by its name."""
    if request.param == "named":
        try:
            yield ZoneInfo("Europe/Berlin")
        except KeyError:
            pytest.skip("this machine has no list of time zones")
        return
    monkeypatch.setenv("TZ", BERLIN_RULES)
    time.tzset()
    yield zone(None)
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("expression", "after", "due"),
    [
        ("*/15 * * * *", "2026-05-01T12:00", "2026-05-01T12:15"),
        ("0 * * * *", "2026-05-01T12:00", "2026-05-01T13:00"),
        ("0 9 * * *", "2026-05-01T09:00", "2026-05-02T09:00"),
        ("0 9 * * 1", "2026-05-01T09:00", "2026-05-04T09:00"),
        ("0 9 * * MON", "2026-05-01T09:00", "2026-05-04T09:00"),
        ("0 9 * JAN 7", "2026-05-01T09:00", "2027-01-03T09:00"),
        ("5,10-12 0-6/3 * * *", "2026-05-01T03:10", "2026-05-01T03:11"),
        # Both days are set: either counts. The first Friday comes before the 13th.
        ("0 0 13 * 5", "2026-05-02T00:00", "2026-05-08T00:00"),
        ("0 0 29 2 *", "2026-05-01T00:00", "2028-02-29T00:00"),
        ("59 23 31 12 *", "2026-12-31T23:59", "2027-12-31T23:59"),
    ],
)
def test_the_first_match_strictly_after(expression: str, after: str, due: str) -> None:
    assert next_run(expression, UTC, at(after)) == at(due)


@pytest.mark.parametrize("seconds", [0.001, 30, 59.999])
def test_a_minute_that_has_begun_is_over(seconds: float) -> None:
    begun = at("2026-05-01T12:00") + timedelta(seconds=seconds)
    assert next_run("* * * * *", UTC, begun) == at("2026-05-01T12:01")


@pytest.mark.parametrize(
    ("expression", "after", "due"),
    [
        # The hour from 2 to 3 is skipped: the first minute there is.
        ("30 2 * * *", "2026-03-28T12:00", "2026-03-29T01:00"),
        ("*/30 2 * * *", "2026-03-28T12:00", "2026-03-29T01:00"),
        ("30 2 * * *", "2026-03-29T01:00", "2026-03-30T00:30"),
        # It comes twice: the first time only, also for whoever asks in the second.
        ("30 2 * * *", "2026-10-24T12:00", "2026-10-25T00:30"),
        ("30 2 * * *", "2026-10-25T00:30", "2026-10-26T01:30"),
        ("30 2 * * *", "2026-10-25T01:10", "2026-10-26T01:30"),
        # What runs in every hour keeps its distance.
        ("*/15 * * * *", "2026-10-25T00:45", "2026-10-25T01:00"),
        ("0 * * * *", "2026-03-29T00:00", "2026-03-29T01:00"),
        ("0 * * * *", "2026-10-25T00:00", "2026-10-25T01:00"),
        # Hours are those of the zone.
        ("0 9 * * *", "2026-01-10T12:00", "2026-01-11T08:00"),
        ("0 9 * * *", "2026-07-10T12:00", "2026-07-11T07:00"),
    ],
)
def test_hours_are_local_and_clock_changes_count_once(
    berlin: tzinfo, expression: str, after: str, due: str
) -> None:
    assert next_run(expression, berlin, at(after)) == at(due)


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "* * * *",
        "* * * * * *",
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * * 13 *",
        "* * * * 8",
        "*/0 * * * *",
        "5-1 * * * *",
        "a * * * *",
        "@daily",
        "0 0 31 2 *",
        "0 0 30 2 */2",
        "-1 * * * *",
        "1,,2 * * * *",
        "9" * 5000 + " * * * *",
    ],
    ids=range(17),
)
def test_what_is_no_expression_or_never_due_is_refused(expression: str) -> None:
    with pytest.raises(InvalidCron):
        next_run(expression, UTC, at("2026-05-01T12:00"))


@given(st.text("0123456789*/-,#LW MON", max_size=24))
def test_no_text_does_anything_but_be_due_later_or_be_refused(text: str) -> None:
    after = at("2026-05-01T12:00")
    with contextlib.suppress(InvalidCron):
        assert next_run(text, UTC, after) > after


def test_the_presets_are_due() -> None:
    for _, expression in PRESETS:
        assert next_run(expression, UTC, at("2026-05-01T12:00")) > at("2026-05-01T12:00")


@pytest.mark.parametrize("name", ["Mars/Olympus", "../etc/passwd", "/etc/localtime", ""])
def test_a_zone_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(Invalid):
        zone(name)
