"""The last jump of the machine's wall clock, as a row for all processes.

The scheduler records jumps (signet_scheduler/clock_guard.py). Retention calls `allows_deleting` before it deletes;
diagnostics, doctor and status report `latest`.
"""

import json
from datetime import datetime, timedelta
from typing import NamedTuple

from signet import clock
from signet.db import runtime_settings, schedule
from signet.db.transaction import ReadTx, WriteTx

#: Written by the scheduler alone.
_KEY = "clock:jump"
#: A gain of this much is a leap: it would end time windows of days at once. Shorter gains only start work early.
LEAP = timedelta(days=1)
#: Retention waits this long after a leap; if the clock still shows that time then, it counts as right.
CONFIRMED_AFTER = timedelta(days=1)
#: How long a jump is shown to a person.
SHOWN_FOR = timedelta(days=1)
#: The scheduler starts something each minute. After a longer silence it has not checked this clock yet.
UNSEEN = timedelta(hours=1)


class Jump(NamedTuple):
    """The clock jumped by `seconds` (negative: back) to `at` (ISO text).

    `ahead` is the total gain (s) of this jump and earlier ones since the time last stayed right for a day.
    """

    at: str
    seconds: float
    ahead: float

    @property
    def described(self) -> str:
        """Describe the jump, with local date and time."""
        then = clock.parse(self.at).astimezone().strftime("%Y-%m-%d %H:%M")
        way = "back" if self.seconds < 0 else "ahead"
        return f"the clock jumped {way} by {_span(abs(self.seconds))} at {then}"


def record(tx: WriteTx, seconds: float, *, now: datetime) -> None:
    """Replace the last jump; stepping back by a part of a leap leaves the rest unconfirmed."""
    last = _last(tx)
    then = now - timedelta(seconds=seconds)
    ahead = 0.0 if last is None or _is_confirmed(last, then) else last.ahead
    jump = Jump(clock.to_text(now), seconds, max(ahead + seconds, 0.0))
    runtime_settings.put(tx, _KEY, json.dumps(jump._asdict()))


def latest(tx: ReadTx, *, now: datetime) -> Jump | None:
    """Return the last jump, None without a recent one."""
    jump = _last(tx)
    return None if jump is None or abs(now - clock.parse(jump.at)) >= SHOWN_FOR else jump


def allows_deleting(tx: ReadTx, *, now: datetime) -> bool:
    """Return whether the clock is trusted enough to delete old data by it."""
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
