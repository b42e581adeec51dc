"""How much happened in each ten minutes, hour or day: counts of rows that are there anyway, nothing is kept for it.

Rows are counted by ten minutes of UTC in SQL, and those added up by the hours or days of a time zone here.
"""

import math
from bisect import bisect_right
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from signet import clock
from signet.db import ReadTx
from signet.domain.activity import sql
from signet.errors import Invalid
from signet.wire.analytics import Series

#: What can be counted, and the steps with how many of each are answered at most.
P95 = "recall_p95"
METRICS = (*sql.SERIES, P95)
MOST = {"10min": 6 * 24 * 3, "hour": 24 * 31, "day": 366}
USUAL = {"10min": 6 * 24, "hour": 24, "day": 30}
#: Characters of an instant that name ten minutes: 2026-05-01T13:2.
_BUCKET_CHARS = 15


def zone(name: str | None) -> tzinfo:
    """Return a time zone by its name, the machine's for none; raises Invalid for an unknown name."""
    if not name:
        return clock.LOCAL
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise Invalid(f"tz: no time zone {name[:60]!r}") from error


def starts(step: str, count: int, tz: tzinfo, now: datetime) -> list[datetime]:
    """Return when each of the last ten minutes, hours or days began, oldest first, the running one last. Pure."""
    if step == "10min":
        last = now.astimezone(UTC).replace(minute=now.minute // 10 * 10, second=0, microsecond=0)
        return [last - timedelta(minutes=10 * back) for back in range(count - 1, -1, -1)]
    local = now.astimezone(tz)
    if step == "hour":
        last = local.replace(minute=0, second=0, microsecond=0).astimezone(UTC)
        return [last - timedelta(hours=back) for back in range(count - 1, -1, -1)]
    days = (local.date() - timedelta(days=back) for back in range(count - 1, -1, -1))
    return [datetime(day.year, day.month, day.day, tzinfo=tz).astimezone(UTC) for day in days]


def of(
    tx: ReadTx, metrics: Sequence[str], *, step: str, count: int, tz: tzinfo, now: datetime
) -> Series:
    """Return how much of each metric happened in each step; raises Invalid for an unknown metric."""
    for name in metrics:
        if name not in METRICS:
            raise Invalid(f"metrics: no metric {name!r}; there are {', '.join(METRICS)}")
    begins = starts(step, count, tz, now)
    bounds = [clock.to_text(one)[:_BUCKET_CHARS] for one in begins]
    return {
        "step": step,
        "tz": tz.key if isinstance(tz, ZoneInfo) else "",
        "starts": [clock.to_text(one) for one in begins],
        "series": {
            name: _slowest(tx, bounds) if name == P95 else _counted(tx, sql.SERIES[name], bounds)
            for name in metrics
        },
    }


def _slowest(tx: ReadTx, bounds: Sequence[str]) -> list[int]:
    """Return the time in milliseconds within which 95 % of the recalls of each step were answered, 0 without any."""
    times: list[list[float]] = [[] for _ in bounds]
    for bucket, took in tx.tuples(sql.RECALL_TIMES, {"since": bounds[0]}):
        times[bisect_right(bounds, bucket) - 1].append(took or 0.0)
    return [round(sorted(one)[math.ceil(len(one) * 0.95) - 1]) if one else 0 for one in times]


def _counted(tx: ReadTx, statement: str, bounds: Sequence[str]) -> list[int]:
    found = [0] * len(bounds)
    for bucket, number in tx.tuples(statement, {"since": bounds[0]}):
        found[bisect_right(bounds, bucket) - 1] += int(number or 0)
    return found
