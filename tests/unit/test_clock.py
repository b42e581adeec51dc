"""Instants as the rows hold them."""

from datetime import datetime
from zoneinfo import ZoneInfo

from signet import clock


def test_an_hour_that_comes_twice_is_two_instants() -> None:
    first = datetime(2026, 10, 25, 2, 30, tzinfo=ZoneInfo("Europe/Berlin"))
    assert clock.to_text(first) == "2026-10-25T00:30:00.000Z"
    assert clock.to_text(first.replace(fold=1)) == "2026-10-25T01:30:00.000Z"
