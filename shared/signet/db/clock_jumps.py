"""The last jump of the machine's wall clock, as a row that every process can read.

The scheduler records jumps (signet_scheduler/clock_guard.py). Retention asks `allows_deleting` before it deletes, and
diagnostics, doctor and status explain themselves by `latest`.
"""

import json
from datetime import datetime, timedelta
from typing import NamedTuple

from signet import clock
from signet.db import runtime_settings, schedule
from signet.db.transaction import ReadTx, WriteTx

#: Written by the scheduler alone.
_KEY = "clock:jump"
#: A gain of this much is a leap: time windows of days would be over at once. Shorter gains only start work early.
LEAP = timedelta(days=1)
#: Retention waits this long after a leap; a clock that is still there then is taken to be right.
CONFIRMED_AFTER = timedelta(days=1)
#: Time for which a jump is reported to a person.
SHOWN_FOR = timedelta(days=1)
#: The scheduler starts something each minute. After a longer silence it has not looked at this clock yet.
UNSEEN = timedelta(hours=1)


class Jump(NamedTuple):
    """The clock jumped by `seconds` (negative: back) and said `at` (ISO text) right after.

    `ahead` is what this jump and those before it have gained (s) since the time last held for a day.
    """

    at: str
    seconds: float
    ahead: float

    @property
    def described(self) -> str:
        """Return the jump in words, with local date and time."""
        then = clock.parse(self.at).astimezone().strftime("%Y-%m-%d %H:%M")
        way = "back" if self.seconds < 0 else "ahead"
        return f"the clock jumped {way} by {_span(abs(self.seconds))} at {then}"


def record(tx: WriteTx, seconds: float, *, now: datetime) -> None:
    """Store a jump in place of the last one; a step back of a part of a leap leaves the rest to be confirmed."""
    last = _last(tx)
    then = now - timedelta(seconds=seconds)
    ahead = 0.0 if last is None or _is_confirmed(last, then) else last.ahead
    jump = Jump(clock.to_text(now), seconds, max(ahead + seconds, 0.0))
    runtime_settings.put(tx, _KEY, json.dumps(jump._asdict()))


def latest(tx: ReadTx, *, now: datetime) -> Jump | None:
    """Return the last jump, None when there was none lately."""
    jump = _last(tx)
    return None if jump is None or abs(now - clock.parse(jump.at)) >= SHOWN_FOR else jump


def allows_deleting(tx: ReadTx, *, now: datetime) -> bool:
    """Return whether the time is trusted enough to delete what is old by it."""
    last_runs = schedule.last_runs(tx).values()
    newest = clock.ms_to_instant(max(last_runs)) if last_runs else now
    if now - newest > UNSEEN:
        return False
    jump = _last(tx)
    return jump is None or jump.ahead < LEAP.total_seconds() or _is_confirmed(jump, now)


def _last(tx: ReadTx) -> Jump | None:
    found = runtime_settings.get(tx, _KEY)
    return None if found is None else Jump(**json.loads(found))


def _is_confirmed(jump: Jump, now: datetime) -> bool:
    return now - clock.parse(jump.at) >= CONFIRMED_AFTER


def _span(seconds: float) -> str:
    for unit, size in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 1.99 * size:
            return f"{round(seconds / size)} {unit}"
    return f"{round(seconds)} seconds"
