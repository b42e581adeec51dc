"""Parse times as people write them in options: `yesterday`, `2 days ago`, `3d`, `last week`, `2026-05-01`.

Every time option uses this parser. Days follow this machine's time zone; the daemon receives an instant in UTC.
"""

from datetime import datetime, timedelta
from math import isnan

from signet import clock
from signet.config.values import milliseconds
from signet.errors import SignetError
from signet.paths import find_workspace
from signet.text import patterns

HELP = "2026-05-01, yesterday, 3d, 2 weeks ago, or an ISO time"

_AGO = patterns.lazy(r"(?i)(\d{1,4}|an?) (second|minute|hour|day|week|month|year)s?(?: ago)?")
_DAY = timedelta(days=1)
#: An HTTP date is of whole seconds.
_CLOCKS_AGREE = timedelta(seconds=5)
#: The last millisecond before an instant.
_BEFORE = timedelta(milliseconds=1)


def first(text: str) -> str:
    """Return the start of a time, in the daemon's format; raises BadParameter."""
    return clock.to_text(_span(text, _now())[0])


def last(text: str) -> str:
    """Return the last instant of a time, such as the end of a day; raises BadParameter."""
    start, end = _span(text, _now())
    return clock.to_text(max(start, end - _BEFORE))


def middle(text: str) -> str:
    """Return noon for a day (for today, at most the current time), and any other time unchanged."""
    now = _now()
    start, end = _span(text, now)
    if end - start < _DAY / 2:
        return clock.to_text(start)
    noon = clock.from_wall(clock.local(start).replace(hour=12, tzinfo=None))
    return clock.to_text(min(noon, max(now, start)))


def _now() -> datetime:
    """Return the time of the daemon's clock, which dates memories; this machine's if it is unreachable."""
    now, workspace = clock.now(), find_workspace()
    if not workspace.connection_file.exists():
        return now
    from email.utils import parsedate_to_datetime

    from signet.cli.command import client
    from signet.client import transport
    from signet.client.call import Call

    try:
        call: Call[object] = Call(method="GET", path="/health/live", is_safe=True)
        sent = transport.send(client(None).target, call).headers["date"]
        there = parsedate_to_datetime(sent)
    except (SignetError, KeyError, ValueError):
        return now
    return now if abs(there - now) < _CLOCKS_AGREE else there


def _span(text: str, now: datetime) -> tuple[datetime, datetime]:
    """Return the start of a named time, and the instant after its end."""
    words = " ".join(text.split())
    try:
        found = _length(words, now) or _iso(words) or _ago(words, now) or _named(words, now)
    except (ValueError, OverflowError):
        found = None
    if found is None:
        import typer

        raise typer.BadParameter(f"{text!r} is not a time; use {HELP}")
    return found


def _length(words: str, now: datetime) -> tuple[datetime, datetime] | None:
    """Parse `90m` and `3d` as a duration before now."""
    if words.lower() == "now":
        return now, now
    ago = milliseconds(words)
    if isnan(ago):
        return None
    at = now - timedelta(milliseconds=ago)
    return at, at


def _iso(words: str) -> tuple[datetime, datetime] | None:
    try:
        found = datetime.fromisoformat(words)
    except ValueError:
        return None
    if len(words) <= len("2026-05-01"):
        return _days(found)
    at = clock.given(words)
    return at, at


def _ago(words: str, now: datetime) -> tuple[datetime, datetime] | None:
    """Parse `2 hours ago` to the second, `2 weeks ago` to the day."""
    import calendar

    found = _AGO.fullmatch(words)
    if found is None:
        return None
    count = int(found[1]) if found[1].isdigit() else 1
    unit = found[2].lower()
    if unit in ("second", "minute", "hour"):
        at = now - timedelta(**{f"{unit}s": count})
        return at, at
    today = now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    if unit in ("day", "week"):
        return _days(today - timedelta(**{f"{unit}s": count}))
    month = today.year * 12 + today.month - 1 - count * (12 if unit == "year" else 1)
    year, month = month // 12, month % 12 + 1
    day = min(today.day, calendar.monthrange(year, month)[1])
    return _days(datetime(year, month, day))


def _named(words: str, now: datetime) -> tuple[datetime, datetime] | None:
    """Parse time phrases that also occur in sentences: `yesterday`, `last week`, `monday`, `May 2026`."""
    from signet.domain.memory import dates

    today = dates.to_local(now, None)
    for lead in ("", "since "):
        text = f"{lead}{words}"
        for one in dates.find(text, today):
            if one.at <= len(lead) and one.to == len(text):
                return dates.to_utc(one.start, None), dates.to_utc(one.end, None)
    return None


def _days(day: datetime) -> tuple[datetime, datetime]:
    """Return the start and end of a local day."""
    start = day.replace(tzinfo=None)
    return clock.from_wall(start), clock.from_wall(start + _DAY)
