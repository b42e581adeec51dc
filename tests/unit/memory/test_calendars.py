"""Times that texts in ten languages other than English name."""

from datetime import UTC, datetime

import pytest

from signet.domain.memory import dates
from signet.domain.recall import time_query

#: A Wednesday.
TODAY = datetime(2026, 5, 20, 15)

DAYS = [
    ("gestern", "2026-05-19"),
    ("am 14. März 2025", "2025-03-14"),
    ("am 3. Mai", "2026-05-03"),
    ("letzten Freitag", "2026-05-15"),
    ("le 3 mai 2025", "2025-05-03"),
    ("le 1er mars", "2026-03-01"),
    ("vendredi dernier", "2026-05-15"),
    ("avant-hier", "2026-05-18"),
    ("el 3 de mayo de 2025", "2025-05-03"),
    ("hace tres días", "2026-05-17"),
    ("anteayer", "2026-05-18"),
    ("venerdì scorso", "2026-05-15"),
    ("il 3 maggio 2025", "2025-05-03"),
    ("l'altro ieri", "2026-05-18"),
    ("eergisteren", "2026-05-18"),
    ("drie dagen geleden", "2026-05-17"),
    ("14 maart 2025", "2025-03-14"),
    ("anteontem", "2026-05-18"),
    ("3 de maio de 2025", "2025-05-03"),
    ("há três dias", "2026-05-17"),
    ("wczoraj", "2026-05-19"),
    ("3 maja 2025", "2025-05-03"),
    ("trzy dni temu", "2026-05-17"),
    ("3 мая 2025 года", "2025-05-03"),
    ("позавчера", "2026-05-18"),
    ("в прошлую пятницу", "2026-05-15"),
    ("昨天我们见面了", "2026-05-19"),
    ("2025年3月14日开会", "2025-03-14"),
    ("十月三日", "2025-10-03"),
    ("三天前", "2026-05-17"),
    ("先週の金曜日", "2026-05-15"),
    ("2025년 3월 14일", "2025-03-14"),
]
SPANS = [
    ("letzte Woche", "2026-05-11", "2026-05-18"),
    ("vor drei Monaten", "2026-02-01", "2026-03-01"),
    ("im Januar", "2026-01-01", "2026-02-01"),
    ("im Sommer 2024", "2024-06-01", "2024-09-01"),
    ("la semaine dernière", "2026-05-11", "2026-05-18"),
    ("il y a deux mois", "2026-03-01", "2026-04-01"),
    ("l'année dernière", "2025-01-01", "2026-01-01"),
    ("la semana pasada", "2026-05-11", "2026-05-18"),
    ("en enero de 2025", "2025-01-01", "2025-02-01"),
    ("el verano de 2024", "2024-06-01", "2024-09-01"),
    ("la settimana scorsa", "2026-05-11", "2026-05-18"),
    ("a gennaio", "2026-01-01", "2026-02-01"),
    ("vorige week", "2026-05-11", "2026-05-18"),
    ("in maart", "2026-03-01", "2026-04-01"),
    ("na semana passada", "2026-05-11", "2026-05-18"),
    ("em março", "2026-03-01", "2026-04-01"),
    ("w zeszłym tygodniu", "2026-05-11", "2026-05-18"),
    ("w marcu", "2026-03-01", "2026-04-01"),
    ("в прошлом году", "2025-01-01", "2026-01-01"),
    ("на прошлой неделе", "2026-05-11", "2026-05-18"),
    ("в марте", "2026-03-01", "2026-04-01"),
    ("去年", "2025-01-01", "2026-01-01"),
    ("先月", "2026-04-01", "2026-05-01"),
    ("지난주", "2026-05-11", "2026-05-18"),
]


@pytest.mark.parametrize(("text", "day"), DAYS)
def test_a_day_is_read(text: str, day: str) -> None:
    (found,) = dates.find(text, TODAY)
    assert (found.is_day, found.start.date().isoformat()) == (True, day)


@pytest.mark.parametrize(("text", "start", "end"), SPANS)
def test_a_span_is_read(text: str, start: str, end: str) -> None:
    (found,) = dates.find(text, TODAY)
    assert (found.start.date().isoformat(), found.end.date().isoformat()) == (start, end)


@pytest.mark.parametrize(
    "text",
    [
        "the mars rover",
        "six mois",
        "The date may vary",
        "Er kam vor Anna",
        "Paris en fin",
        "一日三餐",
    ],
)
def test_other_words_are_no_time(text: str) -> None:
    assert dates.find(text, TODAY) == []


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("Was haben wir seit Montag entschieden?", "2026-05-18", None),
        ("Was galt vor dem 3. Mai 2025?", None, "2025-05-03"),
        ("Qu'a-t-on décidé avant mars 2025 ?", None, "2025-03-01"),
        ("¿Qué cambió desde enero de 2025?", "2025-01-01", None),
        ("Что решили после 3 мая 2025 года?", "2025-05-04", None),
    ],
)
def test_a_word_in_front_opens_the_time(question: str, start: str | None, end: str | None) -> None:
    (span,) = time_query.understand(question, now=TODAY.replace(tzinfo=UTC), zone=UTC).spans
    found = tuple(at and at.date().isoformat() for at in (span.start, span.end))
    assert found == (start, end)


def test_what_only_means_something_today_is_not_looked_for() -> None:
    asked = "Was hat Anna letzte Woche gesagt?"
    found = time_query.understand(asked, now=TODAY.replace(tzinfo=UTC), zone=UTC)
    assert time_query.content_words(asked, found, is_known=True) == ["anna*anna", "gesag*gesagt"]
