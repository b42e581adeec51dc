"""The one place that reads clocks, and the one form of time as text.

Wall-clock time says *when* something is due or happened; the monotonic clock says *how long*. The monotonic
clock is shared by all processes of a machine (it counts from boot), does not run while the machine sleeps and
ignores changes of the wall clock, so leases are measured with it.
"""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache

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


@dataclass(frozen=True, slots=True)
class Clock:
    """The clocks as values that a test can replace; each returns milliseconds."""

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
    """Return it once: one instant is written into many rows. In UTC, because an hour that comes twice equals itself."""
    return instant.isoformat(timespec="milliseconds")[:-6] + "Z"


def ms_to_instant(milliseconds: int) -> datetime:
    """Return milliseconds since 1970 as an instant."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def ms_to_text(milliseconds: int) -> str:
    """Return milliseconds since 1970 as ISO-8601 text."""
    return to_text(ms_to_instant(milliseconds))


def parse(text: str) -> datetime:
    """Return the instant that an ISO-8601 text names; a text without zone is UTC. Raises ValueError."""
    instant = datetime.fromisoformat(text.strip())
    try:
        return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(f"{text!r} is outside the calendar") from error


def shifted(instant: datetime, offset: timedelta) -> datetime:
    """Return an instant by another clock; one that would leave the calendar stays."""
    try:
        return instant + offset
    except OverflowError:
        return instant


def parsed(text: str | None) -> datetime | None:
    """Return the instant that a stored text names; None for none, and for what an older file holds in its place."""
    try:
        return parse(text) if text else None
    except ValueError:
        return None


def span(seconds: float) -> str:
    """Return a length of time in its two largest units."""
    whole = int(seconds)
    for size, large, small, part in ((86_400, "d", "h", 3_600), (3_600, "h", "min", 60)):
        if whole >= size:
            return f"{whole // size} {large} {whole % size // part} {small}"
    return f"{whole // 60} min {whole % 60} s" if whole >= 60 else f"{whole} s"


def given(said: object) -> datetime:
    """Return the instant that a person or another program names. Raises ValueError.

    An ISO-8601 text, local where it names no zone, or seconds or milliseconds since 1970 as a number or as digits.
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
    """Return the instant of a local time without zone; one that clocks skip is as long after the gap begins.

    `astimezone` dates that before the gap, on another day where midnight is skipped.
    """
    return datetime.fromtimestamp(moment.timestamp(), UTC)


def local(instant: datetime) -> datetime:
    """Return an instant in the zone of this machine; in its own where the calendar ends."""
    try:
        return instant.astimezone()
    except (OverflowError, ValueError):
        return instant


def local_day(stored: str | None) -> str:
    """Return the local day of a stored instant as `2026-05-01`; empty for none, the beginning of any other text."""
    instant = parsed(stored)
    return local(instant).date().isoformat() if instant else (stored or "")[:10]


def midnight(instant: datetime, *, days: int = 0) -> datetime:
    """Return the start of the local day of an instant, or of the day `days` later."""
    day = local(instant).date() + timedelta(days=days)
    return from_wall(datetime(day.year, day.month, day.day))


class MachineZone(tzinfo):
    """The zone of this machine with its rules, also those of other seasons, as the C library knows them."""

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        """Return the offset at a local time; `fold` 1 is the second time of a repeated hour."""
        if moment is None:
            return None
        wall = moment.replace(tzinfo=None)
        return wall - from_wall(wall).replace(tzinfo=None)

    def dst(self, moment: datetime | None) -> timedelta | None:
        """Return None: nothing asks for it, and offsets are enough."""
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
