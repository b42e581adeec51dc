"""When a cron expression is due next (TK-3).

Five fields in the words of Debian's cron. When clocks change, an hour that is named is honoured once: a time that is
skipped runs at the next minute there is, one that comes twice runs the first time. What runs in every hour keeps its
distance instead.
"""

from datetime import UTC, datetime, timedelta, tzinfo

from signet.errors import Invalid

#: Far beyond any expression with a meaning; keeps hostile ones cheap.
MAX_CHARS = 200
PRESETS = (
    ("Every 15 min", "*/15 * * * *"),
    ("Hourly", "0 * * * *"),
    ("Daily 9am", "0 9 * * *"),
    ("Weekly Mon 9am", "0 9 * * 1"),
)
_MINUTE = timedelta(minutes=1)


class InvalidCron(Invalid):
    """Invalid cron expression."""

    code = "invalid_cron"


def next_run(expression: str, zone: tzinfo, after: datetime) -> datetime:
    """Return the first instant strictly after another, in UTC; raises InvalidCron, also for what is never due."""
    from cronsim import CronSim, CronSimError

    fields = expression.split()
    if len(fields) != 5 or len(expression) > MAX_CHARS:
        raise InvalidCron()
    local = after.astimezone(zone)
    keeps_distance = fields[1].startswith("*")
    try:
        coming = CronSim(expression, local if keeps_distance else local.replace(tzinfo=None))
        for due in coming:
            instant = due.astimezone(UTC) if keeps_distance else _instant(due, zone)
            if instant > after:
                return instant
    except (CronSimError, OverflowError) as error:
        raise InvalidCron() from error
    raise InvalidCron()


def _instant(wall: datetime, zone: tzinfo) -> datetime:
    """Return when clocks show a local time first; when they skip it, the minute after the gap."""
    while True:
        instant = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
        if instant.astimezone(zone).replace(tzinfo=None, fold=0) == wall.replace(fold=0):
            return instant
        wall += _MINUTE
