"""What times a text names, told on a Saturday morning."""

import time
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from signet.domain.memory import dates

TODAY = datetime(2026, 11, 21, 10, 30)


def named(text: str) -> list[tuple[str, str]]:
    return [
        (
            mention.start.strftime("%Y-%m-%d"),
            (mention.end - timedelta(seconds=1)).strftime("%Y-%m-%d"),
        )
        for mention in dates.find(text, TODAY)
    ]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("what happened yesterday", "2026-11-20", "2026-11-20"),
        ("the day before yesterday", "2026-11-19", "2026-11-19"),
        ("this morning", "2026-11-21", "2026-11-21"),
        ("last week", "2026-11-09", "2026-11-15"),
        ("last weekend", "2026-11-14", "2026-11-15"),
        ("this month", "2026-11-01", "2026-11-30"),
        ("next month", "2026-12-01", "2026-12-31"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("last summer", "2026-06-01", "2026-08-31"),
        ("in the winter", "2025-12-01", "2026-02-28"),
        ("in May", "2026-05-01", "2026-05-31"),
        ("in December", "2025-12-01", "2025-12-31"),
        ("in May 2023", "2023-05-01", "2023-05-31"),
        ("on 3 June", "2026-06-03", "2026-06-03"),
        ("on June 3rd, 2023", "2023-06-03", "2023-06-03"),
        ("on December 1,2023", "2023-12-01", "2023-12-01"),
        ("the 3rd of May", "2026-05-03", "2026-05-03"),
        ("on 2024-05-01", "2024-05-01", "2024-05-01"),
        ("in 2024-02", "2024-02-01", "2024-02-29"),
        ("in 2023", "2023-01-01", "2023-12-31"),
        ("Q3 2024", "2024-07-01", "2024-09-30"),
        ("three weeks ago", "2026-10-28", "2026-11-03"),
        ("a couple of days ago", "2026-11-19", "2026-11-19"),
        ("two months ago", "2026-09-01", "2026-09-30"),
        ("in the past two weeks", "2026-11-04", "2026-11-22"),
        ("on Friday", "2026-11-20", "2026-11-20"),
        ("last Saturday", "2026-11-14", "2026-11-14"),
        ("summer of 2023", "2023-06-01", "2023-08-31"),
    ],
)
def test_a_time_is_named(text: str, first: str, last: str) -> None:
    assert named(text) == [(first, last)]


@pytest.mark.parametrize(
    "text",
    [
        "you may march on",
        "the second fall of the wall",
        "it may 5 times fail",
        "port 2024 is open",
        "version 2024.5 of 2023.1",
        "before May we knew little",
        "a month has weeks",
        "half a year ago",
        "two years and three months ago",
        "",
    ],
)
def test_words_that_are_other_words_name_no_time(text: str) -> None:
    assert named(text) == []


def test_a_date_without_year_takes_the_year_beside_it() -> None:
    assert named("between August 11 and August 15 2023") == [
        ("2023-08-11", "2023-08-11"),
        ("2023-08-15", "2023-08-15"),
    ]


def test_a_day_outside_the_calendar_is_no_day() -> None:
    assert named("on 31 February") == []


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("On 3 May 2024 we released 2.0", datetime(2024, 5, 3, 12, tzinfo=UTC)),
        ("Yesterday the disk failed", datetime(2026, 11, 20, 12, tzinfo=UTC)),
        ("We met on 3 May 2024, and 2024-05-03 was sunny", datetime(2024, 5, 3, 12, tzinfo=UTC)),
        ("In May 2024 we released 2.0", None),
        ("From 3 May 2024 to 5 May 2024", None),
        ("The deadline is 2027-01-05", None),
        ("Tomorrow we release", None),
        ("Deploys run on staging first", None),
        ("No meetings on Wednesday afternoons", None),
        ("We deploy on Tuesday, every week", None),
        ("Her birthday is on 3 June", None),
        ("Mama hat am 9. November Geburtstag", None),
        ("Paula is on holiday until Dec 9", None),
        ("Paula was on holiday until Dec 9", datetime(2025, 12, 9, 12, tzinfo=UTC)),
        ("Freeze until Oct 20", None),
        ("Paula ist bis 9. Oktober im Urlaub", None),
        ("Conference on Jan 12", None),
        ("The conference is scheduled for 12 January", None),
        ("Conference on Nov 12", datetime(2026, 11, 12, 12, tzinfo=UTC)),
        ("We shipped 2.0 on Jan 12", datetime(2026, 1, 12, 12, tzinfo=UTC)),
        ("Am 12. Januar haben wir 2.0 veröffentlicht", datetime(2026, 1, 12, 12, tzinfo=UTC)),
        ("The invoices are due on Dec 15", None),
        ("We deploy on Tuesdays only, never on Friday", None),
        ("Deploys happen on Thursday", None),
        ("Larder is deployed on Thursday", None),
        ("We fixed the login on Thursday", datetime(2026, 11, 19, 12, tzinfo=UTC)),
        ("Am Donnerstag haben wir es behoben", datetime(2026, 11, 19, 12, tzinfo=UTC)),
        ("Donnerstags ist Wochenmarkt, am Freitag nicht", None),
    ],
)
def test_the_one_day_a_text_tells_of(text: str, day: datetime | None) -> None:
    assert dates.the_day(text, TODAY.replace(tzinfo=UTC)) == day


def test_yesterday_is_the_day_before_where_the_text_was_written() -> None:
    evening = datetime(2026, 11, 22, 4, tzinfo=UTC)
    west, east = ZoneInfo("America/Los_Angeles"), ZoneInfo("Asia/Tokyo")
    assert dates.the_day("Yesterday it rained", evening, west) == datetime(
        2026, 11, 20, 12, tzinfo=west
    )
    assert dates.the_day("Yesterday it rained", evening, east) == datetime(
        2026, 11, 21, 12, tzinfo=east
    )
    assert dates.the_day(
        "Today it rained", datetime(2026, 11, 22, 0, tzinfo=UTC), east
    ) == datetime(2026, 11, 22, 9, tzinfo=east)


def test_without_a_zone_it_is_the_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    evening = datetime(2026, 11, 22, 4, tzinfo=UTC)
    try:
        with monkeypatch.context() as patch:
            patch.setenv("TZ", "America/Los_Angeles")
            time.tzset()
            assert dates.told_day("Yesterday it rained", evening) == "2026-11-20T20:00:00.000Z"
    finally:
        time.tzset()


@pytest.mark.parametrize(
    ("text", "is_over"),
    [
        ("The freeze lasts until November 20, 2026.", True),
        ("The freeze lasts until November 21, 2026.", False),
        ("Until 2026-11-20 the demo password is on the board", True),
        ("Der Freeze gilt bis zum 20. November 2026.", True),
        ("Der Freeze gilt bis 20. November", True),
        ("Le gel dure jusqu'au 20 novembre 2026", True),
        ("La congelación dura hasta el 20 de noviembre de 2026.", True),
        ("Il blocco dura fino al 20 novembre 2026", True),
        ("O congelamento vale até 20 de novembro de 2026", True),
        ("De stop geldt tot 20 november 2026", True),
        ("We decided: no deploys until 20 November 2026.", True),
        ("Wir haben beschlossen: kein Deploy bis 20. November 2026", True),
        ("No merges until the end of October", True),
        ("Ana is away until Thursday", True),
        ("No merges until Sunday", False),
        ("No merges until 5 January", False),
        ("Do not deploy before 20 November 2026", False),
        ("The old office was open until November 20, 2026", False),
        ("Heron runs on Fly. The freeze lasts until November 20, 2026.", False),
        ("Retry until it works", False),
    ],
)
def test_a_statement_about_a_time_until_a_day_ends_with_that_day(text: str, is_over: bool) -> None:
    written = datetime(2026, 10 if "October" in text else 11, 18, 9, tzinfo=UTC)
    now = datetime(2026, 11, 21, 10, tzinfo=UTC)
    assert dates.is_over(text, written, now, UTC) is is_over


def test_a_german_date_is_one_day() -> None:
    assert named("am 30. November 2025") == [("2025-11-30", "2025-11-30")]
