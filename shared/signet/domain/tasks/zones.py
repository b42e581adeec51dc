"""The time zone that a task's hours are in: one that is named, else the machine's."""

from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from signet.errors import Invalid


class MachineZone(tzinfo):
    """The zone of this machine with its rules, also those of other seasons, as the C library knows them."""

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        """Return the offset at a local time; `fold` says which of the two times of a repeated hour it is."""
        return None if moment is None else moment.replace(tzinfo=None).astimezone().utcoffset()

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


def zone(name: str | None) -> tzinfo:
    """Return the zone of an IANA name such as Europe/Berlin; the machine's for None. Raises Invalid."""
    if name is None:
        return MachineZone()
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise Invalid("timezone must be the name of a time zone, such as Europe/Berlin") from error
