"""The hours of the greetings."""

from datetime import UTC, datetime

import pytest

from signet.domain.identity.files import greeting


@pytest.mark.parametrize(
    ("hour", "words"),
    [
        (0, "good morning"),
        (11, "good morning"),
        (12, "good afternoon"),
        (16, "good afternoon"),
        (17, "good evening"),
        (23, "good evening"),
    ],
)
def test_the_borders_are_noon_and_five(hour: int, words: str) -> None:
    assert greeting(datetime(2026, 5, 1, hour, 59, tzinfo=UTC)) == words
