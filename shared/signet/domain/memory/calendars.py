"""How other languages name times: `calendars.toml` turns a phrase into its English one, which `dates` reads. Pure.

"La semaine dernière" becomes "last week", "14. März 2025" becomes "14 march 2025". So there is one set of rules for
what a time means, and a language is only words and their order.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Any

from signet import resources

_PLAIN = {
    "day": r"(?P<day>[0-3]?\d)",
    "year": r"(?P<year>(?:19|20)\d\d)",
    "many": r"(?P<many>\d{1,3})",
}
_WORD = re.compile(r"[^\W\d_]+")
_MARKS = str.maketrans(dict.fromkeys(".,;:!?()[]'\"¿¡«»„“”’-", " "))
_BRACES = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Phrase:
    """One form of a language: its pattern, its English template, and whether it needs no "today"."""

    form: str
    template: str
    words: Mapping[str, Mapping[str, str]]
    is_absolute: bool

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Compile the form on first use: most processes never see most languages."""
        return re.compile(self.form, re.IGNORECASE)

    def english(self, match: re.Match[str]) -> str:
        """Return a match in English, without words that only fold to a known one, such as İ."""
        found = {
            name: self.words[name].get(" ".join(text.lower().split()), "")
            if name in self.words
            else text
            for name, text in match.groupdict("").items()
            if text
        }
        if "month" in found:  # in small letters "may" and "march" can be verbs
            found["month"] = found["month"].capitalize()
        return " ".join(_BRACES.sub(lambda name: found.get(name[1], ""), self.template).split())


@dataclass(frozen=True, slots=True)
class Calendar:
    """One language. Only texts with one of its `signs` are searched; without signs, any text that is not ASCII."""

    phrases: tuple[Phrase, ...]
    signs: frozenset[str]


def phrases(lowered: str) -> Iterator[Phrase]:
    """Yield the forms that may match a lower-case text, the most specific first."""
    words = set(lowered.translate(_MARKS).split())
    is_ascii = lowered.isascii()
    active = [
        one.phrases
        for one in _CALENDARS
        if (not one.signs.isdisjoint(words) if one.signs else not is_ascii)
    ]
    for forms in zip_longest(*active):
        yield from (one for one in forms if one is not None)


#: The English words that a table lists in this order.
_ENGLISH = {
    "near": (
        "the day before yesterday, yesterday evening, yesterday morning, yesterday afternoon, last night, yesterday,"
        " this morning, this afternoon, this evening, today"
    ),
    "month": "january, february, march, april, may, june, july, august, september, october, november, december",
    "weekday": "monday, tuesday, wednesday, thursday, friday, saturday, sunday",
    "season": "spring, summer, autumn, winter",
    "unit": "day, week, weekend, month, year",
    "number": "one, two, three, four, five, six, seven, eight, nine, ten, few",
}


def _table(name: str, text: str) -> dict[str, str]:
    """Map words to English: from lines such as `today: 今天, 今日`, else from words in the order of `_ENGLISH`.

    `/` separates words of one meaning, `_` is a blank, and `-` leaves a word out.
    """
    if ":" not in text:
        words = zip(_ENGLISH[name].split(", "), text.split(), strict=True)
        return {
            word.replace("_", " "): english
            for english, listed in words
            for word in listed.split("/")
            if word != "-"
        }
    found: dict[str, str] = {}
    for line in filter(None, map(str.strip, text.strip().splitlines())):
        english, _, listed = line.partition(":")
        found |= {word.strip(): english for word in listed.split(",")}
    return found


def _calendar(forms: str, also: str = "", *, is_spaced: bool = True, **tables: str) -> Calendar:
    """Return a language of the file from its forms and tables of words."""
    words = {name: _table(name, text) for name, text in tables.items()}
    groups = dict(_PLAIN)
    for name, table in words.items():
        longest = sorted(table, key=len, reverse=True)
        listed = "|".join(longest).replace(" ", r"\s+")
        groups[name] = f"(?P<{name}>{listed})"
    made = []
    for line in filter(None, map(str.strip, forms.strip().splitlines())):
        pattern, _, template = line.partition(" => ")
        is_absolute = template.startswith("=")
        text = _BRACES.sub(lambda name: groups.get(name[1], name[0]), pattern)
        text = rf"\b(?:{text})(?!\w)" if is_spaced else text
        made.append(Phrase(text, template.lstrip("= "), words, is_absolute))
    signs = {part for table in words.values() for word in table for part in _WORD.findall(word)}
    signs |= set(also.split())
    return Calendar(tuple(made), frozenset(signs) if is_spaced else frozenset())


_TENS, _ONES = ("", "十", "二十", "三十"), ("", *"一二三四五六七八九")
_NTH = "\n".join(f"{day}: {_TENS[day // 10]}{_ONES[day % 10]}" for day in range(1, 32))
#: East Asian ones share the form of a date.
_NUMBERED: dict[str, dict[str, Any]] = {"east_asian": {"nth": _NTH}}
_CALENDARS = tuple(
    _calendar(**tables, **_NUMBERED.get(name, {}))
    for name, tables in resources.table(__file__).items()
)

#: Words before a time that leave it open on one side, by their English equivalents in `when`.
RELATIONS = {
    **dict.fromkeys(("vor", "avant", "antes de", "antes del", "до"), "before"),
    **dict.fromkeys(("nach", "après", "apres", "después de", "después del", "после"), "after"),
    **dict.fromkeys(("seit", "ab", "depuis", "desde", "с", "со"), "since"),
    **dict.fromkeys(("bis", "jusqu'en", "jusqu'au", "hasta"), "until"),
}
