"""Times and short texts as a context tells them. Pure; times are handed in as the reader's local ones."""

import re
from datetime import datetime, timedelta

from signet import clock

#: What a reader could take for structure is taken out of names that others chose (HK-35).
_STRUCTURE = re.compile(r"[\r\n*#\[\]<>`]+")
#: From this age on, days are not counted.
OLD = timedelta(days=7)


def date_header(local: datetime) -> str:
    """Return the line that tells a model when it is."""
    zone = f" ({local.tzname()})" if local.tzname() else ""
    hour = local.hour % 12 or 12
    half = "AM" if local.hour < 12 else "PM"
    return f"# Current Date & Time\n{local:%A, %B} {local.day}, {local.year} at {hour}:{local:%M} {half}{zone}"


def day(stored: str) -> str:
    """Return the day of a stored instant as `May 1, 2026`; the text itself when it names no instant."""
    found = clock.parsed(stored)
    return f"{found:%b} {found.day}, {found.year}" if found else stored[:10]


def ago(instant: datetime, now: datetime) -> str:
    """Return an age as `5m ago`, `3h ago`, `2d ago`, `7+ days ago`."""
    age = max(now - instant, timedelta())
    if age >= OLD:
        return "7+ days ago"
    if age >= timedelta(days=1):
        return f"{age.days}d ago"
    minutes = int(age.total_seconds() // 60)
    return f"{minutes // 60}h ago" if minutes >= 60 else f"{minutes}m ago"


def plain(text: str) -> str:
    """Return a name without anything that could be read as structure."""
    return _STRUCTURE.sub("", text).strip()


def one_line(text: str) -> str:
    """Return a text in one line."""
    return " ".join(text.split())


def cut(text: str, most: int) -> str:
    """Return a text with what goes beyond its budget cut off, which is said."""
    return text if len(text) <= most else f"{text[:most].rstrip()}\n[truncated]"
