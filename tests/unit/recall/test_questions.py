"""Memories that ask are lowered."""

import pytest

from signet.domain.recall import dampen


def test_a_memory_that_asks_is_lowered_and_one_that_tells_is_not() -> None:
    assert dampen.questions({1: 1.0, 2: 1.0}, {1}) == {1: dampen.QUESTION_PENALTY, 2: 1.0}


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Where is the key?", True),
        ('He asked: "where is it?"', True),
        ("どこですか？", True),
        ("Is it? It is.", False),
        ("", False),
    ],
)
def test_a_question_is_told_by_its_end(text: str, asks: bool) -> None:
    assert dampen.is_question(text) is asks
