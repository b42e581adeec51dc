"""Times that people name in questions and that are not read in texts that are saved. Pure.

"On the 3rd" means the latest one when somebody asks; in a plan it may be the next. "An hour ago" and "in the last 24
hours" are measured from when the question is asked. All are forms for `dates.find`.
"""

import re
from datetime import datetime, timedelta

from signet.domain.memory import dates
from signet.domain.memory.dates import DAY, NUMBERS, Form

_SHORT = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1)}
_FRACTIONS = {"half an": 0.5}

#: "Five hours ago" means an hour more or less; what is nearer, half of it.
ABOUT = timedelta(hours=1)

#: A number with points in it is no date behind these.
_VERSION = re.compile(r"\b(?:version|release|v|ip|section)\s*$", re.IGNORECASE)
_LOOK_BACK = 20

#: The last days of a month are not in every one; so many months back there is one that has them.
_MONTHS_BACK = 3


def _amount(match: re.Match[str]) -> timedelta:
    number = " ".join((match["number"] or "one").lower().split())
    count = float(number) if number.isdigit() else _FRACTIONS.get(number) or NUMBERS[number]
    return count * _SHORT[match["unit"].lower()]


def _ago(match: re.Match[str], now: datetime) -> tuple[datetime, datetime]:
    amount = _amount(match)
    about = min(ABOUT, amount / 2)
    return now - amount - about, now - amount + about


def _lately(match: re.Match[str], now: datetime) -> tuple[datetime, datetime]:
    return now - _amount(match), now + DAY


def _fortnight(_: re.Match[str], now: datetime) -> tuple[datetime, datetime]:
    return dates.back_by("two", "week", now)


def _weekend(_: re.Match[str], now: datetime) -> tuple[datetime, datetime]:
    """Return the latest weekend that has begun."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    saturday = midnight - (now.weekday() - 5) % 7 * DAY
    return saturday, saturday + 2 * DAY


def _day_of_month(match: re.Match[str], now: datetime) -> tuple[datetime, datetime] | None:
    """Return the latest such day that has begun."""
    for back in range(_MONTHS_BACK):
        month = now.year * 12 + now.month - 1 - back
        try:
            start = datetime(month // 12, month % 12 + 1, int(match["day"]))
        except ValueError:
            continue
        if start <= now:
            return start, start + DAY
    return None


def _dotted(match: re.Match[str], _: datetime) -> tuple[datetime, datetime] | None:
    if _VERSION.search(match.string[max(0, match.start() - _LOOK_BACK) : match.start()]):
        return None
    start = datetime(int(match["year"]), int(match["second"]), int(match["first"]))
    return start, start + DAY


def _slashed(match: re.Match[str], _: datetime) -> tuple[datetime, datetime] | None:
    """Return a date with slashes where it can be read in one way only: 5/3/2026 is two days."""
    first, second = int(match["first"]), int(match["second"])
    if first <= 12 and second <= 12 and first != second:
        return None
    month, day = (second, first) if first > 12 else (first, second)
    start = datetime(int(match["year"]), month, day)
    return start, start + DAY


_UNIT = r"(?P<unit>hour|minute)s?"
_NUMBER = rf"(?P<number>half\s+an|\d{{1,4}}|{'|'.join(sorted(NUMBERS, key=len, reverse=True))})"
_NAMES = "|".join(dates.WEEKDAYS)
_TO = r"(?:and|to|until|till|through)"
_LEAD = r"(?:on|since|until|till|before|after|by|from|between)\s+the"
#: A number with "th" is a day when no noun follows: "on the 3rd floor".
_NO_NOUN = rf"(?=\s*(?:[?.,;:!)]|$)|\s+(?:{_TO}|of\s+(?:this|the)\s+month|we|i|did|was|were)\b)"
_NTH = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)"
_NUMERIC = r"(?P<first>[0-3]?\d){0}(?P<second>[0-3]?\d){0}(?P<year>(?:19|20)\d\d)(?!\.?\d|/)"


def _form(clues: tuple[str, ...], text: str, read: dates.Read, *, is_absolute: bool) -> Form:
    return clues, re.compile(rf"\b{text}(?!\w)", re.IGNORECASE), read, is_absolute


FORMS: tuple[Form, ...] = (
    _form(("ago",), rf"{_NUMBER}\s+{_UNIT}\s+ago", _ago, is_absolute=False),
    _form(
        ("last", "past"),
        rf"(?:the\s+)?(?:last|past)\s+(?:{_NUMBER}\s+)?{_UNIT}",
        _lately,
        is_absolute=False,
    ),
    _form(("fortnight",), r"a\s+fortnight\s+ago", _fortnight, is_absolute=False),
    _form(("weekend",), r"(?:over|on|at|during)\s+the\s+weekend", _weekend, is_absolute=False),
    _form(
        ("day",),
        rf"(?:between|from)\s+(?P<span>(?P<weekday>{_NAMES}))(?=\s+{_TO}\s+(?:{_NAMES})\b)",
        dates.weekday,
        is_absolute=False,
    ),
    _form(
        ("day",),
        rf"(?:between|from)\s+(?:{_NAMES})\s+{_TO}\s+(?P<span>(?P<weekday>{_NAMES}))",
        dates.weekday,
        is_absolute=False,
    ),
    _form(
        ("st", "nd", "rd", "th"),
        rf"{_LEAD}\s+(?P<span>{_NTH}){_NO_NOUN}",
        _day_of_month,
        is_absolute=False,
    ),
    _form(
        ("st", "nd", "rd", "th"),
        rf"{_LEAD}\s+[0-3]?\d(?:st|nd|rd|th)\s+{_TO}\s+(?:the\s+)?(?P<span>{_NTH}){_NO_NOUN}",
        _day_of_month,
        is_absolute=False,
    ),
    _form((".",), _NUMERIC.format(r"\."), _dotted, is_absolute=True),
    _form(("/",), _NUMERIC.format("/"), _slashed, is_absolute=True),
)
