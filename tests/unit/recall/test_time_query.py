"""What time a question is about, asked on Saturday, 21 November 2026 at noon."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from signet.domain.recall import time_query
from signet.domain.recall.time_query import Anchor, Span, When

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def understood(text: str) -> When:
    return time_query.understand(text, now=NOW, zone=UTC)


def spans(text: str) -> list[tuple[str | None, str | None]]:
    return [
        (
            span.start.strftime("%Y-%m-%d") if span.start else None,
            span.end.strftime("%Y-%m-%d") if span.end else None,
        )
        for span in understood(text).spans
    ]


@pytest.mark.parametrize(
    ("question", "first", "end"),
    [
        ("What did we decide last week?", "2026-11-09", "2026-11-16"),
        ("What broke between March and June?", "2026-03-01", "2026-07-01"),
        ("What broke from 3 May to 5 May 2024?", "2024-05-03", "2024-05-06"),
        ("What broke between November and February?", "2025-11-01", "2026-03-01"),
        ("What broke between 28 December and 3 January 2024?", "2023-12-28", "2024-01-04"),
        ("What broke between May 2024 and March 2023?", "2023-03-01", "2024-06-01"),
        ("What broke since Monday?", "2026-11-16", None),
        ("Where was Nora between August 11 and August 15 2023?", "2023-08-11", "2023-08-16"),
        ("What did we use before May 2024?", None, "2024-05-01"),
        ("What changed after 2024-05-01?", "2024-05-02", None),
        ("What changed since 3 June?", "2026-06-03", None),
        ("What did we know until last month?", None, "2026-11-01"),
        ("How many pets had Nora as of May 2023?", None, "2023-06-01"),
        ("What happened two weeks before 15 May 2024?", "2024-04-28", "2024-05-05"),
        ("What happened the week after 15 May 2024?", "2024-05-16", "2024-05-26"),
        (
            "What did Tim write last week, as mentioned on 6 November 2023?",
            "2023-11-06",
            "2023-11-07",
        ),
        ("What did I work on recently?", "2026-10-22", "2026-11-22"),
    ],
)
def test_an_interval_is_understood(question: str, first: str | None, end: str | None) -> None:
    assert spans(question) == [(first, end)]


@pytest.mark.parametrize(
    "question",
    [
        "May I march on?",
        "Which port does the second service use?",
        "Will the fall of the wall be shown?",
        "How long ago was the party?",
        "",
    ],
)
def test_no_time_is_understood(question: str) -> None:
    assert spans(question) == []


def test_days_begin_where_the_reader_is() -> None:
    found = time_query.understand("yesterday", now=NOW, zone=ZoneInfo("Asia/Tokyo"))
    (span,) = found.spans
    assert span == Span(
        start=datetime(2026, 11, 19, 15, tzinfo=UTC),
        end=datetime(2026, 11, 20, 15, tzinfo=UTC),
        is_relative=True,
    )


def test_words_that_mean_something_only_today_are_not_looked_for_while_others_are_left() -> None:
    def words(text: str, *, is_known: bool = True) -> list[str]:
        return time_query.content_words(text, understood(text), is_known=is_known)

    assert words("What did Nora cook last week?") == ["nora", "cook"]
    assert words("What did Nora cook last week?", is_known=False) == [
        "nora",
        "cook",
        "last",
        "week",
    ]
    assert words("What did we do yesterday?") == ["yesterday"]
    assert words("What did Nora cook in May 2024?") == ["nora", "cook", "may", "2024"]


def test_an_event_in_the_place_of_a_date_is_an_anchor() -> None:
    assert understood("What did we fix before the release?").anchor == Anchor(
        relation="before", text="the release"
    )
    assert understood("What did we fix before May 2024?").anchor is None


def test_an_anchor_counts_when_all_agree_on_its_day() -> None:
    first, second = datetime(2026, 5, 3, 12, tzinfo=UTC), datetime(2026, 6, 3, 12, tzinfo=UTC)
    before = Anchor(relation="before", text="the release")
    assert time_query.around(before, [first, first]) == Span(end=first)
    assert time_query.around(Anchor(relation="since", text="x"), [first]) == Span(start=first)
    assert time_query.around(before, [first, second]) is None
    assert time_query.around(before, []) is None


def test_what_was_told_after_the_time_counts_less_with_each_day() -> None:
    span = Span(start=datetime(2026, 5, 3, tzinfo=UTC), end=datetime(2026, 5, 4, tzinfo=UTC))

    def near(event: str | None, told: str) -> float:
        return time_query.closeness((event, told), [span])

    assert near(None, "2026-05-03T10:00:00.000Z") == 1.0
    assert near("2026-05-03T12:00:00.000Z", "2026-09-01T10:00:00.000Z") == 1.0
    assert near(None, "2026-05-04T00:00:00.000Z") == pytest.approx(0.5)
    assert near(None, "2026-05-09T00:00:00.000Z") == pytest.approx(0.25)
    assert near(None, "2026-05-02T23:00:00.000Z") == 0.0
    assert near("of old", "no time") == 0.0


@pytest.mark.parametrize(
    "question",
    ["999 years before 3 May 2024", "\u017fummer of 2023", "in \u017fep 2023", "\u017fix days ago",
     "on 99 May", "yesterday " * 20_000, "before " * 20_000, "2024-99-99", "recently"],
)  # fmt: skip
@pytest.mark.parametrize("year", [1, 2026, 9999])
def test_no_question_is_too_strange(question: str, year: int) -> None:
    for zone in (None, UTC, ZoneInfo("Pacific/Kiritimati"), ZoneInfo("America/Adak")):
        now = datetime(year, 1, 1, tzinfo=UTC) if year < 9999 else datetime.max.replace(tzinfo=UTC)
        found = time_query.understand(question, now=now, zone=zone)
        assert time_query.content_words(question, found, is_known=True)
