"""Times that only questions name, asked on Saturday, 21 November 2026 at noon."""

from datetime import UTC, datetime

import pytest

from signet.domain.recall import time_query

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def shown(at: datetime | None) -> str | None:
    return None if at is None else at.strftime("%Y-%m-%d %H:%M")


def spans(text: str) -> list[tuple[str | None, str | None]]:
    found = time_query.understand(text, now=NOW, zone=UTC).spans
    return [(shown(span.start), shown(span.end)) for span in found]


@pytest.mark.parametrize(
    ("question", "first", "end"),
    [
        ("What broke on the 3rd?", "2026-11-03 00:00", "2026-11-04 00:00"),
        ("What broke on the 31st?", "2026-10-31 00:00", "2026-11-01 00:00"),
        ("What changed since the 3rd?", "2026-11-03 00:00", None),
        ("What changed from the 3rd to the 5th?", "2026-11-03 00:00", "2026-11-06 00:00"),
        ("What did I save an hour ago?", "2026-11-21 10:30", "2026-11-21 11:30"),
        ("What did I save half an hour ago?", "2026-11-21 11:15", "2026-11-21 11:45"),
        ("What did I save five hours ago?", "2026-11-21 06:00", "2026-11-21 08:00"),
        ("What changed in the last 24 hours?", "2026-11-20 12:00", "2026-11-22 12:00"),
        ("What changed in the past hour?", "2026-11-21 11:00", "2026-11-22 12:00"),
        ("What broke on 3.5.2026?", "2026-05-03 00:00", "2026-05-04 00:00"),
        ("What broke on 25/12/2025?", "2025-12-25 00:00", "2025-12-26 00:00"),
        ("What broke on 12/25/2025?", "2025-12-25 00:00", "2025-12-26 00:00"),
        ("What did I say this morning?", "2026-11-21 00:00", "2026-11-21 12:00"),
        ("What was fixed the day before yesterday?", "2026-11-19 00:00", "2026-11-20 00:00"),
        ("What broke since Monday?", "2026-11-16 00:00", None),
        ("What was I up to on Friday?", "2026-11-20 00:00", "2026-11-21 00:00"),
        ("List everything from yesterday", "2026-11-20 00:00", "2026-11-21 00:00"),
        ("What broke from last week on?", "2026-11-09 00:00", None),
        ("What broke between May and July?", "2026-05-01 00:00", "2026-08-01 00:00"),
        ("What broke between Monday and Wednesday?", "2026-11-16 00:00", "2026-11-19 00:00"),
        ("What broke from Friday to Monday?", "2026-11-13 00:00", "2026-11-17 00:00"),
        ("What did we do a fortnight ago?", "2026-11-04 00:00", "2026-11-11 00:00"),
        ("What did we do over the weekend?", "2026-11-21 00:00", "2026-11-23 00:00"),
    ],
    ids=range(23),
)
def test_it_is_understood(question: str, first: str, end: str | None) -> None:
    assert spans(question) == [(first, end)]


@pytest.mark.parametrize(
    "question",
    [
        "Who lives on the 3rd floor?",
        "What is new in version 3.5.2026?",
        "What broke on 5/3/2026?",
        "What broke on 32.5.2026?",
        "Does 10.0.0.1 answer?",
    ],
    ids=["floor", "version", "two-ways", "no-day", "address"],
)
def test_it_is_no_time(question: str) -> None:
    assert spans(question) == []
