"""Times and short texts as a context tells them. Pure; times are handed in as the reader's local ones."""

import re
from datetime import datetime

from signet import clock
from signet.text import controls

#: What a reader could take for structure is taken out of names that others chose (HK-35).
_STRUCTURE = re.compile(r"[\r\n*#\[\]<>`]+")
#: From this age on, days are not counted.
OLD_DAYS = 7


def today(local: datetime) -> str:
    """Return the line with the date, without the time: the same all day, so that prompt caches hold."""
    zone = f" ({local.tzname()})" if local.tzname() else ""
    return f"Today is {local:%A, %B} {local.day}, {local.year}{zone}."


def day(stored: str) -> str:
    """Return the local day of a stored instant as `May 1, 2026`, else the text itself."""
    found = clock.parsed(stored)
    if found is None:
        return stored[:10]
    here = clock.local(found)
    return f"{here:%b} {here.day}, {here.year}"


def days(saved_at: str, event_at: str | None) -> str:
    """Return the day on which a memory was saved, behind that of its event if it is another."""
    if not event_at or clock.local_day(event_at) == clock.local_day(saved_at):
        return day(saved_at)
    return f"happened {day(event_at)}, saved {day(saved_at)}"


def ago(instant: datetime, now: datetime) -> str:
    """Return how long ago a day was as `today`, `yesterday`, `3 days ago`, `7+ days ago`, in the zone of `now`."""
    days = (now.date() - instant.astimezone(now.tzinfo).date()).days
    if days >= OLD_DAYS:
        return f"{OLD_DAYS}+ days ago"
    return f"{days} days ago" if days > 1 else "yesterday" if days == 1 else "today"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural for all but one: `1 memory`, `2 memories`."""
    several = f"{noun.removesuffix('y')}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {noun if number == 1 else several}"


def comparable(*texts: str) -> str:
    """Return texts as one in which another, made comparable too, stands whatever its line breaks and capitals."""
    return "\n".join(one_line(text).lower() for text in texts)


def plain(text: str) -> str:
    """Return a name without anything that is hidden or could be read as structure."""
    return _STRUCTURE.sub("", controls.clean(text)).strip()


def one_line(text: str) -> str:
    """Return a text in one line."""
    return " ".join(text.split())


def cut(text: str, most: int) -> str:
    """Return a text with what goes beyond its budget cut off, which is said."""
    return text if len(text) <= most else f"{text[:most].rstrip()}\n[truncated]"
