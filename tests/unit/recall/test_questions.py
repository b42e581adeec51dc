"""Memories that ask are lowered."""

from signet.domain.recall import dampen


def test_a_memory_that_asks_is_lowered_and_one_that_tells_is_not() -> None:
    assert dampen.questions({1: 1.0, 2: 1.0}, {1}) == {1: dampen.QUESTION_PENALTY, 2: 1.0}
