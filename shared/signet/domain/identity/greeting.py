"""The words that the first page opens with."""

from datetime import datetime

_NOON, _EVENING = 12, 17


def greeting(now: datetime) -> str:
    """Return the greeting of the hour of `now`, which is in the zone of whoever is greeted."""
    if now.hour < _NOON:
        return "good morning"
    return "good afternoon" if now.hour < _EVENING else "good evening"
