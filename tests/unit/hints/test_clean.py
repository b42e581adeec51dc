"""Which lines of a model's answer become hints."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signet.domain.hints import write

MEMORY = "Is the lock new?"
KEPT = "Ada has kept the spare key since the lock broke."


def hints(answer: str, *, memory: str = KEPT, most: int = 5) -> tuple[str, ...]:
    return write.clean_hints(answer, memory=memory, most=most)


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("2) Who has the spare key?", "Who has the spare key?"),
        ('- "Where is the spare key kept?",', "Where is the spare key kept?"),
        ("Direct: Where is the spare key kept?", "Where is the spare key kept?"),
        ("Q1: Where is the spare key kept?", "Where is the spare key kept?"),
        ("Remind me of the spare key", "Remind me of the spare key"),
        ("On which day did the lock break?", "On which day did the lock break?"),
    ],
)
def test_a_question_or_request_is_kept_bare(line: str, hint: str) -> None:
    assert hints(line) == (hint,)


@pytest.mark.parametrize(
    "line",
    [
        "When: Apr 27",
        "The spare key hangs in the hall",
        "Who?",
        f"Why {'so ' * 120}?",
        "Here are five questions:",
        "What would the user ask about this memory?",
        '{"hints": ["Where is the key?"]}',
        "is the lock new?",
        "<think>Where is the key?",
    ],
)
def test_what_is_no_hint_is_left_out(line: str) -> None:
    assert hints(line, memory=MEMORY) == ()


@pytest.mark.parametrize(
    ("line", "is_kept"),
    [
        ("Where do I live?", True),
        ("Which lock broke?", True),
        ("What day are the ledger deploys planned?", False),
        ("Who lost the key in Lisbon?", False),
        ("When did the 7 locks break?", False),
    ],
)
def test_a_hint_about_something_else_is_left_out(line: str, is_kept: bool) -> None:
    assert bool(hints(line)) is is_kept


def test_each_hint_is_kept_once_and_no_more_than_wanted() -> None:
    answer = (
        "Where is the key?\nWHERE IS THE KEY?\nWho has the key now?\nWhen was it lost, the key?"
    )
    assert hints(answer, most=2) == ("Where is the key?", "Who has the key now?")


@given(st.text())
def test_any_answer_can_be_read(answer: str) -> None:
    assert all(len(hint) in write.HINT_CHARS for hint in hints(answer))
