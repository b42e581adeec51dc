"""Which words of past sessions a session start searches for."""

import pytest

from signet.domain.sessions import candidates


@pytest.mark.parametrize("word", ["king", "ring", "ing", "ed", "s"])
def test_a_short_word_with_an_ending_is_judged_without_an_error(word: str) -> None:
    assert candidates._is_ordinary(word) in (True, False)


def test_forms_of_plain_words_are_ordinary() -> None:
    assert candidates._is_ordinary("running")
    assert not candidates._is_ordinary("walrus")
