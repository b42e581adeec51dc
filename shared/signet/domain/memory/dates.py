"""Find the times that a text names: calendar dates, months, years, "yesterday", "three weeks ago". Pure.

The rules are those of English; `calendars` first translates phrases of other languages.

Times are local and without zone here (`to_utc` and `to_local` convert them); every mention is a half-open interval.
Words with another meaning ("may", "march", "fall", "second") count only where a date can occur: next to a day or year,
or after a preposition of time.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo

from signet import clock
from signet.domain.memory import calendars
from signet.text import patterns

DAY = timedelta(days=1)
WEEK = timedelta(days=7)

#: Times are read in the first characters of a text.
MAX_CHARS = 2_000

#: "Three weeks ago" is not exact: it means up to three days before and after.
ABOUT_A_WEEK = timedelta(days=3)

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
#: First month of each season in the northern hemisphere.
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
NUMBERS = {
    **{
        word: count
        for count, word in enumerate("one two three four five six seven eight nine".split(), 1)
    },
    **{
        "a": 1,
        "an": 1,
        "couple of": 2,
        "few": 3,
        "a few": 3,
        "ten": 10,
        "eleven": 11,
        "twelve": 12,
    },
}

_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_NTH = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th|\.(?=\s(?:apr|aug|sep|nov)))?"  # "30. November"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_NUMBER = r"(?P<number>\d{1,3}|" + "|".join(sorted(NUMBERS, key=len, reverse=True)) + r")"
_UNIT = r"(?P<unit>day|week|month|year)s?"
_SEASON = r"(?P<season>spring|summer|autumn|fall|winter)"
_WEEKDAY = rf"(?P<weekday>{'|'.join(WEEKDAYS)})"
#: Recurring days have no single date: "no meetings on Wednesday afternoons", "her birthday is on 3 May".
_RECURRING = re.compile(
    rf"\b(?:every|each|weekly|yearly|birthday|turns \d+|jede[nrsm]?|geburtstag|chaque|anniversaire|cada|cumpleaños"
    rf"|(?:{'|'.join(WEEKDAYS)})(?:s| (?:mornings|afternoons|evenings|nights))|(?:montag|dienstag|mittwoch|donnerstag"
    r"|freitag|samstag|sonntag)s|(?:never|always|usually|normally|only) on|(?:nie|immer|nur) am)\b",
    re.IGNORECASE,
)
#: Words of the past: without one, "on Thursday" is a habit or a plan, and "12 January" may be the coming one.
_PAST = re.compile(
    r"\b(?:was|were|had|did|went|met|came|became|began|got|gave|made|took|ran|saw|said|told|left|bought|broke|built"
    r"|chose|fell|felt|found|held|kept|lost|paid|read|sent|sold|spent|won|wrote|ago|since|(?<!is )(?<!are )(?<!be )"
    r"\w{2,}[^\We]ed|war(?:en)?|hat(?:ten?)?|haben?|wurden?|seit|était|avait|avons|avez|ont|depuis"
    r"|fue|era|hubo|ha|hemos|han|desde|foi|teve|è stat[oa]|ho|abbiamo|hanno)\b|\w(?:ó|(?<!\bat)é)\b",
    re.IGNORECASE,
)
#: Before a day that is still to come.
_UNTIL = re.compile(
    r"\b(?:until|till|by|due|before|bis(?: zum)?|jusqu['’]au|avant le|hasta(?: el)?|antes del|até(?: o)?|fino al"
    r"|tot)\s+(?:on\s+|the\s+)?$",
    re.IGNORECASE,
)
#: Before the last day of a state: "the freeze lasts until 5 May".
_LAST = re.compile(
    r"\b(?:until|till|through|bis(?: zum)?|jusqu['’](?:au|en|à)|hasta(?: el)?|até(?: o)?|fino (?:al|a)|tot(?: en met)?)"
    r"\s+(?:(?:the\s+)?end\s+of\s+|ende\s+|(?:la\s+)?fin(?:ales)?\s+(?:de\s+)?)?$",
    re.IGNORECASE,
)
_LASTS = re.compile(_LAST.pattern.partition(r"\s+(?:(?:the")[0] + r"\s", re.IGNORECASE)
#: A sentence, which does not end behind a number: "bis zum 5. Mai".
_SENTENCE_END = re.compile(r"(?<=[^\W\d][.!?])\s+|\n+")
#: A report that somebody decided something is no report of a past state.
_RESOLVED = re.compile(
    r"\b(?:decided|agreed|haben\s.{0,40}?(?:beschlossen|entschieden)|(?:avons|a|ont)\s+décidé"
    r"|(?:hemos|ha|han)\s+(?:decidido|acordado)|(?:abbiamo|ha|hanno)\s+deciso)\b",
    re.IGNORECASE,
)
#: Words that may precede a month or year without a day.
_BEHIND = (
    r"(?:in|during|since|until|till|by|before|after|from|of|between|through|throughout|early|late|mid|this past"
    r"|as of|the year|and|to)"
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A named time, local and half-open, its position in the text, and whether it needs no "today"."""

    start: datetime
    end: datetime
    at: int
    to: int
    is_absolute: bool
    has_year: bool = True
    #: A weekday without "last" or "next".
    is_weekday: bool = False

    @property
    def is_day(self) -> bool:
        return self.end - self.start <= DAY


Read = Callable[[re.Match[str], datetime], tuple[datetime, datetime] | None]

#: Words of which one must be in the text, the pattern, its reader, and whether it needs no "today".
Form = tuple[tuple[str, ...], re.Pattern[str], Read, bool]


def find(text: str, today: datetime, more: Sequence[Form] = ()) -> list[Mention]:
    """Return the times named at the start of a text, in order; `today` is the local time of writing.

    `more` are further forms, which match only text that no other form has matched.
    """
    found: list[Mention] = []
    text = text[:MAX_CHARS]
    lowered = text.lower()
    forms = (*_FORMS, *more)
    # Many forms share their clues, and most texts have none, so each clue is searched once.
    there = {clue for clues in {form[0] for form in forms} for clue in clues if clue in lowered}
    for clues, pattern, read, is_absolute in forms:
        if there.isdisjoint(clues):
            continue
        for match in pattern.finditer(text):
            at, to = match.span("span") if "span" in pattern.groupindex else match.span()
            if any(at < other.to and other.at < to for other in found):
                continue
            span = _safely(read, match, today)
            if span is not None:
                has_year = (
                    not is_absolute or "year" not in pattern.groupindex or bool(match["year"])
                )
                is_weekday = read is weekday and not match.groupdict().get("which")
                found.append(Mention(*span, at, to, is_absolute, has_year, is_weekday))
    found += _translated(text, lowered, today, found)
    return _same_year(sorted(found, key=lambda mention: mention.at))


def _translated(
    text: str, lowered: str, today: datetime, known: Sequence[Mention]
) -> list[Mention]:
    """Return the times in phrases of other languages, outside of `known` ones."""
    found: list[Mention] = []
    for phrase in calendars.phrases(lowered):
        for match in phrase.pattern.finditer(text):
            at, to = match.span("span" if "span" in phrase.pattern.groupindex else 0)
            if any(at < other.to and other.at < to for other in (*known, *found)):
                continue
            for one in find(phrase.english(match), today)[:1]:
                found.append(replace(one, at=at, to=to, is_absolute=phrase.is_absolute))
    return found


def the_day(text: str, written_at: datetime, zone: tzinfo | None = None) -> datetime | None:
    """Return local noon of the only day that a text names; None for no day, several, a future or a recurring one.

    "Yesterday" depends on `zone`, where the text was written (None: this machine's). The result is never after
    `written_at`.
    """
    if _RECURRING.search(text):
        return None
    today = to_local(written_at, zone)
    found = {one.start: one for one in find(text, today) if one.is_day}
    if len(found) != 1:
        return None
    ((day, mention),) = found.items()
    if _is_ahead(mention, text, today):
        return None
    noon = _midnight(day) + DAY / 2
    return None if _midnight(day) > today else to_utc(min(noon, today), zone)


def _is_ahead(mention: Mention, text: str, today: datetime) -> bool:
    """Return whether a day without year or week is a habit or the next such day; without a past tense the nearest."""
    if (mention.has_year and not mention.is_weekday) or _PAST.search(text):
        return False
    is_nearer = _in_year(mention.start, mention.start.year + 1) - today < today - mention.start
    return mention.is_weekday or is_nearer or _UNTIL.search(text, 0, mention.at) is not None


def is_over(text: str, written_at: datetime, now: datetime, zone: tzinfo | None = None) -> bool:
    """Return whether each sentence of a text is about a time until a day, such as "until 5 May", that has passed."""
    if not _LASTS.search(text[:MAX_CHARS]):
        return False
    today, local = to_local(now, zone), to_local(written_at, zone)
    return all(_has_ended(one, local, today) for one in _SENTENCE_END.split(text) if one.strip())


def _has_ended(sentence: str, written_at: datetime, today: datetime) -> bool:
    ends = [
        _coming(one, written_at)
        for one in find(sentence, written_at, (_UNTIL_WEEKDAY,))
        if _LAST.search(sentence, 0, one.at)
    ]
    is_report = _PAST.search(_RESOLVED.sub(" ", sentence)) is not None
    return bool(ends) and not is_report and max(ends) <= today


def _coming(one: Mention, written_at: datetime) -> datetime:
    """Return the end of a day, without year or week that of the next such day."""
    if one.end > written_at:
        return one.end
    if one.is_weekday:
        return one.end + WEEK
    return one.end if one.has_year else _in_year(one.end, one.end.year + 1)


def told_day(text: str, written_at: datetime) -> str | None:
    """Return `the_day` in the form of `event_at`."""
    day = the_day(text, written_at)
    return None if day is None else clock.to_text(day)


def to_utc(local: datetime, zone: tzinfo | None) -> datetime:
    """Return a local time as an instant; `zone` None is the machine's."""
    try:
        return local.replace(tzinfo=zone).astimezone(UTC) if zone else clock.from_wall(local)
    except (OverflowError, ValueError):  # outside the calendar: use its edge
        return local.replace(tzinfo=UTC)


def to_local(instant: datetime, zone: tzinfo | None) -> datetime:
    """Return an instant as naive local time; `zone` None is the machine's."""
    try:
        return instant.astimezone(zone).replace(tzinfo=None)
    except (OverflowError, ValueError):
        return instant.replace(tzinfo=None)


def _safely(read: Read, match: re.Match[str], today: datetime) -> tuple[datetime, datetime] | None:
    """Return a match's span; None for a date that does not exist, such as 31 June, and for words in no table ("ſ")."""
    try:
        return read(match, today)
    except (ValueError, OverflowError, KeyError):
        return None


def _same_year(found: list[Mention]) -> list[Mention]:
    """Give dates without a year the year of another date: "between 11 August and 15 August 2023"."""
    years = [mention.start.year for mention in found if mention.is_absolute and mention.has_year]
    if not years:
        return found
    return [
        mention
        if mention.has_year or not mention.is_absolute
        else replace(
            mention, start=_in_year(mention.start, years[0]), end=_in_year(mention.end, years[0])
        )
        for mention in found
    ]


def _in_year(moment: datetime, year: int) -> datetime:
    return moment.replace(year=year) if (moment.month, moment.day) != (2, 29) else moment


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _month_number(name: str) -> int:
    return _MONTHS.index(name[:3].lower()) + 1


def _month_from(year: int, month: int, months: int = 1) -> tuple[datetime, datetime]:
    first = year * 12 + month - 1
    last = first + months
    return datetime(first // 12, first % 12 + 1, 1), datetime(last // 12, last % 12 + 1, 1)


def _iso(match: re.Match[str], _: datetime) -> tuple[datetime, datetime]:
    year, month, day = int(match["year"]), int(match["iso_month"]), match["iso_day"]
    if not day:
        return _month_from(year, month)
    start = datetime(year, month, int(day))
    return start, start + DAY


def _date(match: re.Match[str], today: datetime) -> tuple[datetime, datetime] | None:
    """Return a day of a month; without a year, the latest one that has begun."""
    is_word = match["month"] in _WORDS_TOO and not match["year"]
    if is_word and not _LEADS_TO_DATE.search(match.string, 0, match.start()):
        return None
    month, day = _month_number(match["month"]), int(match["day"])
    if match["year"]:
        start = datetime(int(match["year"]), month, day)
    else:
        start = datetime(today.year, month, day)
        start = start if start <= today else datetime(today.year - 1, month, day)
    return start, start + DAY


def _month(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    month = _month_number(match["month"])
    if "year" in match.re.groupindex and match["year"]:
        return _month_from(int(match["year"]), month)
    return _latest(today, month, match["which"] if "which" in match.re.groupindex else "", 1)


def _season(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    month = _SEASONS[match["season"].lower()]
    if "year" in match.re.groupindex and match["year"]:
        return _month_from(int(match["year"]), month, 3)
    return _latest(today, month, match["which"] if "which" in match.re.groupindex else "", 3)


def _latest(
    today: datetime, month: int, which: str | None, months: int
) -> tuple[datetime, datetime]:
    """Return the latest month or season that has begun; with `last` the latest past one, with `next` a future one."""
    start, end = _month_from(today.year, month, months)
    wanted = (which or "").lower()
    if wanted == "next":
        return (start, end) if start > today else _month_from(today.year + 1, month, months)
    if start > today or (wanted in ("last", "past", "previous") and end > today):
        return _month_from(today.year - 1, month, months)
    return start, end


def _year(match: re.Match[str], _: datetime) -> tuple[datetime, datetime]:
    year = int(match["year"])
    return datetime(year, 1, 1), datetime(year + 1, 1, 1)


def _quarter(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    month = 3 * int(match["quarter"]) - 2
    if match["year"]:
        return _month_from(int(match["year"]), month, 3)
    return _latest(today, month, "", 3)


def _near(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    """Return today, yesterday or a part of them; a night ends in the next morning."""
    midnight = _midnight(today)
    word = " ".join(match["near"].lower().split())
    days, first, last = _NEAR[word]
    start = midnight + days * DAY
    return start + timedelta(hours=first), start + timedelta(hours=last)


def _relative(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    """Return this, the last or the next week, month, year or weekend of the calendar."""
    step = {"this": 0, "next": 1, "coming": 1}.get(match["which"].lower(), -1)
    unit = match["what"].lower()
    monday = _midnight(today) - today.weekday() * DAY
    if unit == "week":
        return monday + step * WEEK, monday + (step + 1) * WEEK
    if unit == "weekend":
        start = monday + 5 * DAY + step * WEEK
        return start, start + 2 * DAY
    if unit == "month":
        return _month_from(today.year, today.month + step)
    if unit == "quarter":
        return _month_from(today.year, (today.month - 1) // 3 * 3 + 1 + 3 * step, 3)
    return datetime(today.year + step, 1, 1), datetime(today.year + step + 1, 1, 1)


def weekday(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    """Return the latest such day; `last` excludes today, `next` is in the future."""
    back = (today.weekday() - WEEKDAYS.index(match["weekday"].lower())) % 7
    which = (match.groupdict().get("which") or "").lower()
    if which == "next":
        back -= 7
    elif which in ("last", "past", "previous") and back == 0:
        back = 7
    start = _midnight(today) - back * DAY
    return start, start + DAY


def _ago(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    return back_by(match["number"], match["unit"], today)


def back_by(number: str, unit: str, today: datetime) -> tuple[datetime, datetime]:
    """Return the span some days, weeks, months or years before `today`, wide enough for an approximate number."""
    count = int(number) if number.isdigit() else NUMBERS[" ".join(number.lower().split())]
    kind = unit.lower()
    if kind == "day":
        start = _midnight(today) - count * DAY
        return start, start + DAY
    if kind == "week":
        middle = _midnight(today) - count * WEEK
        return middle - ABOUT_A_WEEK, middle + ABOUT_A_WEEK + DAY
    if kind == "month":
        return _month_from(today.year, today.month - count)
    return datetime(today.year - count, 1, 1), datetime(today.year - count + 1, 1, 1)


def _past_span(match: re.Match[str], today: datetime) -> tuple[datetime, datetime]:
    start, _ = back_by(match["number"], match["unit"], today)
    return start, today + DAY


#: Days from today, then hours within it.
_NEAR = {
    "today": (0, 0, 24),
    "tonight": (0, 18, 30),
    "yesterday": (-1, 0, 24),
    "the day before yesterday": (-2, 0, 24),
    "tomorrow": (1, 0, 24),
    "this morning": (0, 0, 12),
    "this afternoon": (0, 12, 18),
    "this evening": (0, 17, 24),
    "last night": (-1, 18, 30),
    "yesterday morning": (-1, 0, 12),
    "yesterday afternoon": (-1, 12, 18),
    "yesterday evening": (-1, 17, 24),
}


def _compiled() -> Iterator[Form]:
    """Yield the forms, the most specific first: text belongs to the first form that matches it."""
    near = "|".join(name.replace(" ", r"\s+") for name in sorted(_NEAR, key=len, reverse=True))
    which = r"(?P<which>last|past|previous|this|next|coming)"
    no_verb = r"(?!\s+(?:i|we|you|he|she|they|have|be|not)\b)"
    days = ("day", "night", "morrow", "morning", "afternoon", "evening")
    years, seasons, months = ("19", "20"), tuple(_SEASONS), tuple(_MONTHS)
    iso = rf"{_YEAR}-(?P<iso_month>\d\d)(?:-(?P<iso_day>\d\d))?(?![-\d])(?:[T ]\d\d:\d\d\S*)?"
    day_first = rf"{_NTH}\s+(?:of\s+)?{_MONTH}(?:\s*,?\s*{_YEAR}\b)?"
    month_first = rf"{_MONTH}\s+(?:the\s+)?{_NTH}(?![\d:]|\s*%)\b(?:\s*,?\s*{_YEAR}\b)?"
    units = r"(?P<what>week|weekend|month|quarter|year)"
    forms: tuple[tuple[tuple[str, ...], str, Read, bool], ...] = (
        (years, iso, _iso, True),
        (months, day_first, _date, True),
        (months, month_first, _date, True),
        (years, rf"{_MONTH}\s*,?\s*(?:of\s+)?{_YEAR}", _month, True),
        (seasons, rf"{_SEASON}\s+(?:of\s+)?{_YEAR}", _season, True),
        (("q",), rf"q(?P<quarter>[1-4])(?:\s+(?:of\s+)?{_YEAR}\b)?", _quarter, True),
        (days, rf"(?P<near>{near})", _near, False),
        (
            ("ago", "back", "earlier"),
            rf"(?<!half )(?<!and ){_NUMBER}\s+{_UNIT}\s+(?:ago|back|earlier)",
            _ago,
            False,
        ),
        (("last", "past"), rf"(?:the\s+)?(?:last|past)\s+{_NUMBER}\s+{_UNIT}", _past_span, False),
        (("week", "month", "quarter", "year"), rf"(?:the\s+)?{which}\s+{units}", _relative, False),
        (seasons, rf"{which}\s+{_SEASON}", _season, False),
        (months, rf"{which}\s+{_MONTH}", _month, False),
        (("day",), rf"(?:(?P<which>last|past|previous|this|next)|on)\s+{_WEEKDAY}", weekday, False),
        (("since",), rf"since\s+(?P<span>{_WEEKDAY})", weekday, False),
        (
            seasons,
            rf"(?:in|during|since|until|before|after)\s+(?P<span>the\s+{_SEASON})",
            _season,
            False,
        ),
        (months, rf"(?:{_BEHIND})\s+(?P<span>{_MONTH}){no_verb}", _month, False),
        (years, rf"(?:{_BEHIND})\s+(?P<span>{_YEAR})(?![\w.-]*\d)", _year, True),
    )
    for clues, text, read, is_absolute in forms:
        yield clues, patterns.lazy(rf"\b{text}(?!\w)", re.IGNORECASE), read, is_absolute


_FORMS = tuple(_compiled())
_UNTIL_WEEKDAY: Form = (
    ("day",),
    patterns.lazy(rf"\b(?:until|till|through)\s+(?P<span>{_WEEKDAY})(?!\w)", re.IGNORECASE),
    weekday,
    False,
)

#: A month that is also an ordinary word needs one of these before it, if it is in small letters with a bare number.
_WORDS_TOO = ("may", "mar", "march")
_LEADS_TO_DATE = patterns.lazy(
    r"\b(?:on|by|since|until|till|before|after|from|to|and|of|the)\s+$", re.IGNORECASE
)
