"""Read clocks, and convert times to and from text.

The wall clock tells when something happened or should happen, the monotonic clock how long it took. The monotonic
clock is shared by all processes of a machine (it counts from boot), stops during sleep and ignores changes of the
wall clock, so leases use it.
"""

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import NamedTuple

#: Numbers that are times: seconds since 1970 have as many digits, milliseconds three more.
_EPOCH = re.compile(r"\d{9,13}(?:\.\d+)?")
_LEAST_MS = 1e11
#: On macOS CLOCK_MONOTONIC runs while the machine sleeps, on Linux CLOCK_BOOTTIME does.
_ELAPSED: int = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC", 0))


def now() -> datetime:
    """Return the current instant in UTC."""
    return datetime.now(UTC)


def wall_ms() -> int:
    """Return the wall clock in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def monotonic_ms() -> int:
    """Return the machine-wide monotonic clock in milliseconds."""
    return time.monotonic_ns() // 1_000_000


def elapsed_ms() -> int:
    """Return milliseconds of a clock that ignores changes of the wall clock and runs while the machine sleeps."""
    return time.clock_gettime_ns(_ELAPSED) // 1_000_000


class Clock(NamedTuple):
    """The clocks as values that tests can replace; each returns milliseconds."""

    wall_ms: Callable[[], int] = wall_ms
    monotonic_ms: Callable[[], int] = monotonic_ms
    elapsed_ms: Callable[[], int] = elapsed_ms

    def now(self) -> datetime:
        """Return the current instant in UTC, by this wall clock."""
        return ms_to_instant(self.wall_ms())


SYSTEM = Clock()


def to_text(instant: datetime) -> str:
    """Return an instant as ISO-8601 UTC with milliseconds and `Z`; text order is time order."""
    return _text(instant.astimezone(UTC))


@lru_cache(16)
def _text(instant: datetime) -> str:
    """Cached, because one instant is written into many rows. In UTC, because the two times of a repeated hour compare
    equal.
    """
    return instant.isoformat(timespec="milliseconds")[:-6] + "Z"


def ms_to_instant(milliseconds: int) -> datetime:
    """Return milliseconds since 1970 as an instant."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def ms_to_text(milliseconds: int) -> str:
    """Return milliseconds since 1970 as ISO-8601 text."""
    return to_text(ms_to_instant(milliseconds))


def parse(text: str) -> datetime:
    """Return the instant of an ISO-8601 text; UTC without a zone. Raises ValueError."""
    instant = datetime.fromisoformat(text.strip())
    try:
        return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(f"{text!r} is outside the calendar") from error


def shifted(instant: datetime, offset: timedelta) -> datetime:
    """Return an instant by another clock; unchanged at the limits of the calendar."""
    try:
        return instant + offset
    except OverflowError:
        return instant


def parsed(text: str | None) -> datetime | None:
    """Return the instant of a stored text; None for None and invalid texts of older files."""
    try:
        return parse(text) if text else None
    except ValueError:
        return None


def span(seconds: float) -> str:
    """Return a duration in its two largest units."""
    whole = int(seconds)
    for size, large, small, part in ((86_400, "d", "h", 3_600), (3_600, "h", "min", 60)):
        if whole >= size:
            return f"{whole // size} {large} {whole % size // part} {small}"
    return f"{whole // 60} min {whole % 60} s" if whole >= 60 else f"{whole} s"


def given(said: object) -> datetime:
    """Return the instant given by a person or program. Raises ValueError.

    Accepts ISO-8601 text, local without a zone, or seconds or milliseconds since 1970 as a number or digits.
    """
    if isinstance(said, bool) or not isinstance(said, str | int | float):
        raise ValueError("not a time")
    text = str(said).strip()
    if _EPOCH.fullmatch(text):
        number = float(text)
        return ms_to_instant(round(number if number >= _LEAST_MS else number * 1000))
    try:
        found = datetime.fromisoformat(text)
        return from_wall(found) if found.tzinfo is None else found.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(f"{text!r} is outside the calendar") from error


def from_wall(moment: datetime) -> datetime:
    """Return the instant of a local time without zone; a skipped one is as long after the gap begins.

    `astimezone` would date it before the gap, on another day where midnight is skipped.
    """
    return datetime.fromtimestamp(moment.timestamp(), UTC)


def local(instant: datetime) -> datetime:
    """Return an instant in this machine's zone; in its own at the limits of the calendar."""
    try:
        return instant.astimezone()
    except (OverflowError, ValueError):
        return instant


def local_day(stored: str | None) -> str:
    """Return the local day of a stored instant as `2026-05-01`; "" for None, the first characters of any other text."""
    instant = parsed(stored)
    return local(instant).date().isoformat() if instant else (stored or "")[:10]


def midnight(instant: datetime, *, days: int = 0) -> datetime:
    """Return the start of an instant's local day, or of the day `days` later."""
    day = local(instant).date() + timedelta(days=days)
    return from_wall(datetime(day.year, day.month, day.day))


class MachineZone(tzinfo):
    """This machine's time zone with all its rules, from the C library."""

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        """Return the offset at a local time; `fold` 1 is the second time of a repeated hour."""
        if moment is None:
            return None
        wall = moment.replace(tzinfo=None)
        return wall - from_wall(wall).replace(tzinfo=None)

    def dst(self, moment: datetime | None) -> timedelta | None:
        """Return None, because only offsets are needed."""
        return None

    def tzname(self, moment: datetime | None) -> str | None:
        """Return the zone's usual short name at a local time."""
        return None if moment is None else moment.replace(tzinfo=None).astimezone().tzname()

    def fromutc(self, moment: datetime) -> datetime:
        """Return the local time of an instant."""
        local = moment.replace(tzinfo=UTC).astimezone()
        wall = local.replace(tzinfo=self, fold=0)
        return wall if wall.utcoffset() == local.utcoffset() else wall.replace(fold=1)


LOCAL = MachineZone()
