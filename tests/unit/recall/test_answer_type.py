"""A question says what sort of answer it expects, and a text that gives it is raised."""

import pytest

from signet.domain.recall import answer_type
from signet.domain.recall.answer_type import CHOICE, LIKING, NUMBER, PLACE, REASON, TIME, AnswerType


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("When did the ferry leave?", [TIME]),
        ("How many boats are in the harbour?", [NUMBER]),
        ("Where does Nora live?", [PLACE]),
        ("Why was the release late?", [REASON]),
        ("Which queue do we use, and why?", [REASON, CHOICE]),
        ("What tea does Tom prefer?", [LIKING]),
        ("Who repaired the roof?", []),
    ],
    ids=["time", "number", "place", "reason", "two", "liking", "none"],
)
def test_a_question_says_what_it_expects(question: str, kinds: list[AnswerType]) -> None:
    assert list(answer_type.types_of(question)) == kinds


@pytest.mark.parametrize(
    ("kind", "gives", "gives_not"),
    [
        (TIME, "The ferry left last Tuesday", "The ferry may leave"),
        (NUMBER, "There are 14 boats", "There are boats"),
        (NUMBER, "I have been there twice", "I have been there"),
        (PLACE, "She moved to Lagos", "She moved on"),
        (PLACE, "It is kept under `/srv/data`", "It is kept warm"),
        (REASON, "It was late because of the tests", "It was late"),
        (CHOICE, "We went with RabbitMQ", "We looked at RabbitMQ"),
        (LIKING, "His favourite is Assam", "He drinks Assam"),
    ],
    ids=["time", "digits", "words", "place", "path", "reason", "choice", "liking"],
)
def test_a_text_gives_it_or_not(kind: AnswerType, gives: str, gives_not: str) -> None:
    assert answer_type.given([kind], "fact", gives) == 1.0
    assert answer_type.given([kind], "fact", gives_not) == 0.0


def test_the_type_says_more_than_the_words() -> None:
    told = answer_type.given([CHOICE], "decision", "RabbitMQ")
    assert told > answer_type.given([CHOICE], "fact", "We went with RabbitMQ") > 0
    assert answer_type.given([CHOICE], "preference", "RabbitMQ") == 0


def test_a_long_text_names_numbers_by_chance() -> None:
    assert answer_type.given([NUMBER], "fact", "There are 14 boats. " + "More words. " * 100) == 0.0
