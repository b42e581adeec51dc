"""Understand the time of a question: "last week", "between March and June", "before the release". Pure.

`domain/memory/dates.py` finds the times in a text; this module turns them into intervals, and separates their words
from the search words. A date overrides a relative time, because "last week, as mentioned on 6 November" is about
November.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo

from signet import clock
from signet.db import fts
from signet.domain.memory import calendars, dates
from signet.domain.memory.dates import DAY, NUMBERS, Form, Mention

_SHORT = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1)}
_FRACTIONS = {"half an": 0.5}

#: "Five hours ago" has a tolerance of an hour; shorter times, of half their length.
ABOUT = timedelta(hours=1)

#: Words that show that the number after them is not a date.
_VERSION = re.compile(r"\b(?:version|release|v|ip|section)\s*$", re.IGNORECASE)
_LOOK_BACK = 20

#: One of the last three months has a 31st day.
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
    """Return the latest day of the month with this number that has begun."""
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
    """Return a date with slashes if it has one reading: 5/3/2026 is two dates."""
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
#: A number with "th" is a day only if no noun follows: "on the 3rd floor".
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


#: Characters before a time that are searched for a word like "before".
LOOK_BACK = 60

#: People report events when they happen or soon after; a report this much later counts half.
TOLD_WITHIN = timedelta(days=5)

Times = Mapping[int, tuple[str | None, str]]

#: The length of "recently".
RECENT = timedelta(days=30)

_OPEN = re.compile(
    r"\b(?P<relation>before|prior\s+to|until|till|(?<!\bi )(?<!\bwe )(?<!\bbeen )up\s+to|as\s+of|since|after"
    r"|from|starting"
    rf"|{'|'.join(calendars.RELATIONS)})\s+(?:(?:the|dem|der|den|le|la|el)\s+)?$",
    re.IGNORECASE,
)
_JOINED = re.compile(r"^\s*(?:and|to|until|till|through|[-–—])\s*(?:the\s+)?$", re.IGNORECASE)
_PAIR = re.compile(r"\b(?:between|from)\s+(?:the\s+)?$", re.IGNORECASE)
_SHIFT = re.compile(
    rf"\b(?:(?P<number>the|{'|'.join(sorted(dates.NUMBERS, key=len, reverse=True))}|\d{{1,3}})\s+)"
    r"(?P<unit>day|week|month|year)s?\s+(?P<side>before|after|prior\s+to)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_RECENTLY = re.compile(r"\b(?:recently|lately|these\s+days)\b", re.IGNORECASE)
_ANCHOR = re.compile(
    r"\b(?P<relation>before|after|since|until)\s+(?P<anchor>(?:the|our|my|we|i)\s+(?:[^,.;?!]|\.(?=\d)){3,60})",
    re.IGNORECASE,
)
_ONWARDS = re.compile(r"\s*(?:on|onwards?|forward)\b", re.IGNORECASE)
_BEFORE = ("before", "prior to", "until", "till", "up to", "as of")


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A half-open interval in UTC; None is open on that side.

    `is_relative`: named relative to today ("yesterday"). Then a memory's event date counts, if it has one.
    """

    start: datetime | None = None
    end: datetime | None = None
    is_relative: bool = False

    def holds(self, instant: datetime) -> bool:
        """Return whether the interval contains an instant."""
        return (self.start is None or self.start <= instant) and (
            self.end is None or instant < self.end
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """An event that the question measures time from, to be found among the memories."""

    relation: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """The intervals of a question, its text without relative times, and its text without any time."""

    spans: tuple[Span, ...] = ()
    rest: str
    bare: str = ""
    anchor: Anchor | None = None


def understand(text: str, *, now: datetime, zone: tzinfo | None = None) -> When:
    """Return the time that a question is about; `zone` None is the machine's."""
    today = dates.to_local(now, zone)
    found = dates.find(text, today, FORMS)
    absolute = [mention for mention in found if mention.is_absolute]
    spans = _spans(text, absolute or found, zone)
    taken = [(mention.at, mention.to) for mention in found if not mention.is_absolute]
    recently = _RECENTLY.search(text[: dates.MAX_CHARS])
    if recently and not spans:
        spans = _recent(today, zone)
        taken.append(recently.span())
    spans = [replace(span, is_relative=not absolute) for span in spans]
    anchor = None if spans else _ANCHOR.search(text[: dates.MAX_CHARS])
    return When(
        spans=tuple(spans),
        rest=_without(text, taken),
        bare=_without(text, {*taken, *((mention.at, mention.to) for mention in found)}),
        anchor=Anchor(relation=anchor["relation"].lower(), text=anchor["anchor"])
        if anchor
        else None,
    )


def content_words(text: str, when: When, *, is_known: bool) -> list[str]:
    """Return the search words, without a relative time such as "last week", unless nothing else is left.

    A relative time also stays unless `is_known` says that there are memories of it: in an old conversation it meant
    another week, and may occur in the text. Dates stay, because they match texts that name them (measured: without
    their words recall@10 of questions with a date is 82.6 instead of 83.6 %).
    """
    rest = fts.content_words(when.rest if is_known else text)
    return [word for word in rest if word not in fts.STOP_WORDS] or fts.content_words(text)


def around(anchor: Anchor, told: Sequence[datetime]) -> Span | None:
    """Return the interval before or after an event, given the times at which memories place the event.

    Returns None if they do not agree on a day, because then the event is unclear.
    """
    if not told or max(told) - min(told) >= dates.DAY:
        return None
    if anchor.relation in _BEFORE:
        return Span(end=min(told))
    return Span(start=max(told))


@dataclass(frozen=True, slots=True)
class _Local:
    start: datetime | None
    end: datetime | None


def _spans(text: str, mentions: Sequence[Mention], zone: tzinfo | None) -> list[Span]:
    """Return the intervals; none if one leaves the calendar: 999 years before 3 May."""
    try:
        local = _intervals(text, mentions)
    except (OverflowError, ValueError, KeyError):
        return []
    return [Span(start=_utc(span.start, zone), end=_utc(span.end, zone)) for span in local]


def _recent(today: datetime, zone: tzinfo | None) -> list[Span]:
    try:
        return [Span(start=_utc(today - RECENT, zone), end=_utc(today + dates.DAY, zone))]
    except OverflowError:
        return []


def _intervals(text: str, mentions: Sequence[Mention]) -> list[_Local]:
    spans: list[_Local] = []
    waiting = list(mentions)
    while waiting:
        mention = waiting.pop(0)
        before = text[max(0, mention.at - LOOK_BACK) : mention.at]
        if waiting and _PAIR.search(before) and _JOINED.match(text[mention.to : waiting[0].at]):
            spans.append(_between(mention, waiting.pop(0)))
        else:
            spans.append(_one(before, mention, text[mention.to :]))
    return spans


def _between(one: Mention, other: Mention) -> _Local:
    """Return the interval from one mention to the other. "November to February" begins a year earlier; "2026 to 2024"
    is swapped.

    "From Thursday to Monday" ends on the latest Monday.
    """
    if one.start < other.end:
        return _Local(one.start, other.end)
    if one.is_day and other.is_day and not one.is_absolute:
        return _Local(one.start - dates.WEEK, other.end)
    if one.is_absolute and one.has_year:
        return _Local(other.start, one.end)
    return _Local(one.start.replace(year=one.start.year - 1), other.end)


def _one(before: str, mention: Mention, behind: str) -> _Local:
    """Return the interval of one mention with the words around it: before, after, a week before, from … on.

    "From last Tuesday" means that day, "from 3 May" all since then.
    """
    shifted = _SHIFT.search(before)
    if shifted:
        return _shifted(shifted, mention)
    opened = _OPEN.search(before)
    if opened is None:
        return _Local(mention.start, mention.end)
    relation = " ".join(opened["relation"].lower().split())
    relation = calendars.RELATIONS.get(relation, relation)
    if relation in ("before", "prior to"):
        return _Local(None, mention.start)
    if relation in _BEFORE:
        return _Local(None, mention.end)
    if relation == "from" and not mention.is_absolute and not _ONWARDS.match(behind):
        return _Local(mention.start, mention.end)
    return _Local(mention.end if relation == "after" else mention.start, None)


def _shifted(match: re.Match[str], mention: Mention) -> _Local:
    number, unit = match["number"].lower(), match["unit"].lower()
    if match["side"].lower() == "after":
        width = (
            mention.end - dates.back_by("one" if number == "the" else number, unit, mention.end)[0]
        )
        return _Local(mention.end, mention.end + width)
    if number == "the":
        start, _ = dates.back_by("one", unit, mention.start)
        return _Local(start, mention.start)
    start, end = dates.back_by(number, unit, mention.start)
    return _Local(start, end)


def _utc(local: datetime | None, zone: tzinfo | None) -> datetime | None:
    return None if local is None else dates.to_utc(local, zone)


def _without(text: str, taken: Iterable[tuple[int, int]]) -> str:
    for at, to in sorted(taken, reverse=True):
        text = f"{text[:at]} {text[to:]}"
    return text


def closeness(times: tuple[str | None, str], spans: Sequence[Span]) -> float:
    """Return 1 for a memory in one of the intervals, less for one stated afterwards, else 0."""
    event, told = times
    happened = clock.parsed(event)
    return max((_closeness(happened, told, span) for span in spans), default=0.0)


def _closeness(happened: datetime | None, told: str, span: Span) -> float:
    if happened is not None and (span.is_relative or span.holds(happened)):
        return float(span.holds(happened))
    return _told(told, span)


def _told(text: str, span: Span) -> float:
    instant = clock.parsed(text)
    if instant is None:
        return 0.0
    if span.holds(instant):
        return 1.0
    if span.end is None or instant < span.end:
        return 0.0
    late: float = (instant - span.end) / TOLD_WITHIN
    return math.pow(0.5, 1 + late)


def events(stored: Iterable[str | None]) -> list[datetime]:
    """Return the stored times that are valid."""
    return [instant for text in stored if (instant := clock.parsed(text)) is not None]
