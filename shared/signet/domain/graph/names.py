"""Finding the names in a text: people, products, places, projects; no model, no dictionary of names.

A word is a candidate by how it is written. Consecutive candidates are one name. A name is certain when nothing
but being a name explains its capitals: several words, inside a sentence, mixed case, or before a verb that wants
a subject. The others are names only to someone who knows them already.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from signet.domain.graph.lexicon import (
    ABSTRACT_ENDINGS,
    AFTER_SUBJECT,
    FUNCTION,
    GERMAN,
    OPENERS,
    PLAIN,
    words,
)
from signet.domain.statements.sentences import ABBREVIATIONS
from signet.text import patterns

MAX_NAME_CHARS = 120
#: More capitalised words in a row are a title or a heading, not a name.
MAX_NAME_WORDS = 5

#: Small words inside a name: `Game of Thrones`, `Rio de Janeiro`.
JOINERS = frozenset(("of", "de", "van", "von", "der"))

_TOKEN = patterns.lazy(r"\n|[^\s—]+")
_EDGE = "\"'“”‘’«»()[]{}<>*_`~,;:!?…|#-–."
_CODE = patterns.lazy(r"[=_<>(){}\[\]\\@$%^]|://|\w/\w*[a-z]|::")
_DOTTED = patterns.lazy(r"[A-Z][\w-]*\.(?:js|io|ai|net|com|dev|app|NET|AI|IO|JS)")
_MIXED_LOWER = patterns.lazy(r"(?:[a-z]{1,2}|mac)[A-Z]\w*")
_PLURAL_ACRONYM = patterns.lazy(r"[A-Z]{2,}['’]?s")
_CONTRACTED = patterns.lazy(r"['’](?:s|m|ve|re|ll|d)$|(?<=s)['’]$")
#: What is denied is a verb, and no part of it a name: `Can't`.
_DENIED = patterns.lazy(r"n['’]t$", re.IGNORECASE)
#: Where capitals mark no name: headings, what is bold at the start of a line and quotes nothing, rows of tables, items
#: of a list before their number, blanks to fill in.
_OTHER_LABELS = (
    r"|^[ \t]*(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?(\*\*|__)(?:(?!\1)[^\n\"“”])+\1"
    r"|^[ \t]*\|[^\n]*"
    r"|^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t][^:\n]{1,60}:[ \t]*[$€£]?\d"
    r"|\[[^\[\]\n]*\](?!\()"
)
_LABEL = patterns.lazy(r"^[ \t]*\#[^\n]*" + _OTHER_LABELS, re.MULTILINE)
#: The same in a text whose lines were joined: a heading ends where its words are no longer capitalised like a
#: heading's.
_JOINED_LABEL = patterns.lazy(
    r"^\#{1,6}(?: (?:[^\sa-z]\S*|an?|and|as|at|by|for|from|how|in|into|is|of|on|or|the|to|via|vs|with|your?)(?=\s|$))+"
    + _OTHER_LABELS,
    re.MULTILINE,
)
#: Where a line began before a memory's lines were joined: headings, items in bold or with a number, labels, fences.
_JOINED = patterns.lazy(
    r" (?=\#{1,6} |(?:[-*+•]|\d{1,3}[.)]) (?:\*\*|__|[^:\n]{1,60}: [$€£]?\d)|\*\*[^*\n]{1,80}(?::\*\*|\*\*:)|```)"
)
_MARKS = patterns.lazy(r"[*_]{2}|[#\[|]|```|[\n ][-*+•] |\n[ \t]*[-*+•\d]")
_SMALL = patterns.lazy(r"\b[^\W\dA-Z_]\w+")
_FENCED = patterns.lazy(r"^[ \t]*```.*?(?:^[ \t]*```|\Z)", re.MULTILINE | re.DOTALL)
_ENDS_SENTENCE = patterns.lazy(r"[.!?:][\"'”’)*_`]*$")


#: A name outside this is no name; two letters are enough for `Go`.
NAME_CHARS = range(2, MAX_NAME_CHARS + 1)
_LEFT, _RIGHT = "*_`#>- \t\r\n", "*_`>- \t\r\n"  # Markdown marks; not the last sign of `C#`
_LABELS = words(
    "current status summary result results update updates note notes todo overview details context unknown n/a"
    " user assistant none null it this that they he she we you"
)
_UNITS = (
    "ms|s|sec|secs|seconds?|min|mins|minutes?|h|hrs?|hours?|days?|weeks?|months?|years?|b|kb|mb|gb|tb|kib|mib"
    "|gib|px|em|rem|pt|nm|mm|cm|m|km|mg|g|kg|lbs?|hz|khz|mhz|ghz|w|kw|mw|fps|rps|qps|usd|eur|gbp|percent|x"
)
_MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_NO_NAME = patterns.lazy(
    r"[\W\d_]*"  # no letter: numbers, clock times, dates in digits
    rf"|[\W\d_]*(?:{_UNITS})"  # a number with its unit, or the unit alone
    rf"|{_DAY} {_MONTH}(?:,? \d{{4}})?|{_MONTH} {_DAY}(?:,? \d{{4}})?|{_MONTH} \d{{4}}"
    r"|\d{4}-\d\d-\d\dt.*"
    r"|[a-z][a-z0-9+.-]*://.*"
    r"|(?:~|\.{1,2}|[a-z]:)?[/\\].*|[\w.-]+(?:/[\w.-]+)+\.\w{1,5}",  # a path of a file
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Name:
    """A name as written and as compared, its position, and whether its form alone proves it."""

    text: str
    canonical: str
    start: int
    end: int
    is_certain: bool


class _Word(NamedTuple):
    text: str
    start: int
    is_initial: bool


@dataclass(frozen=True)
class _Page:
    """A text with blanked code, and the positions of its labels."""

    text: str
    labels: Sequence[range]

    @cached_property
    def small(self) -> frozenset[str]:
        return frozenset(_SMALL.findall(self.text))


def canonical(name: str) -> str:
    return " ".join(name.lower().split())


def clean(raw: str) -> str | None:
    """Return the name without Markdown marks; None if it is invalid."""
    text = _plain(raw)
    return text if _refused(text) is None else None


def problem(raw: str) -> str | None:
    """Return the fault of a stored entity's name, or None."""
    text = _plain(raw)
    return _refused(text) or ("Markdown marks" if text != " ".join(raw.split()) else None)


def _plain(raw: str) -> str:
    return " ".join(raw.lstrip(_LEFT).rstrip(_RIGHT).split())


def _refused(text: str) -> str | None:
    if len(text) not in NAME_CHARS:
        return "too short" if len(text) < NAME_CHARS.start else "too long"
    if text.lower() in _LABELS:
        return "a label, no name"
    return "a number, date, unit, address or path" if _NO_NAME.fullmatch(text) else None


def find(text: str) -> list[Name]:
    """Return the names in a text in order, with repetitions, outside of fenced code."""
    found: list[Name] = []
    run: list[_Word] = []
    is_initial = True
    page = _marked(text)
    for token in _TOKEN.finditer(page.text):
        raw = token.group()
        if raw.islower() and raw.isalpha():  # most words are plain: they can only end a name
            if run:
                if raw in JOINERS:
                    run.append(_Word(raw, token.start(), False))
                else:
                    _close(run, raw, found, page)
            is_initial = False
            continue
        if raw == "\n":
            _close(run, "", found, page)
            is_initial = True
            continue
        word = raw.strip(_EDGE)
        if not word:
            _close(run, "", found, page)
            is_initial = is_initial or raw[-1] in "-.!?:*•|"
            continue
        if not word.islower() and _is_candidate(word):
            at = token.start() + raw.index(word)
            if run and raw[0] != word[0]:
                _close(run, "", found, page)
            base = _CONTRACTED.sub("", word).rstrip(_EDGE)
            is_quote = raw[0] in '"“' and '"' not in raw[1:] and "”" not in raw
            run.append(_Word(base, at, is_initial or is_quote))
            if len(base) < len(raw) - raw.index(word):
                _close(run, "has" if base != word else "", found, page)
        else:
            _close(run, raw, found, page)
        is_initial = raw[-1] in ".!?:\"'”’)*_`" and _ends_sentence(raw)
    _close(run, "", found, page)
    return found


def _marked(text: str) -> _Page:
    has_labels, labels = _MARKS.search(text) is not None, _LABEL
    if has_labels and "\n" not in text:
        text, labels = _JOINED.sub("\n", text), _JOINED_LABEL
    if "```" in text:
        text = _FENCED.sub(lambda code: "\n" * (code.end() - code.start()), text)
    found = [range(*one.span()) for one in labels.finditer(text)] if has_labels else []
    return _Page(text, found)


def _is_candidate(word: str) -> bool:
    first = word[0]
    if not first.isupper():
        return first.islower() and _MIXED_LOWER.fullmatch(word) is not None
    if len(word) == 1 or not word.isalpha():
        return _is_odd_candidate(word)
    if word[1].islower():
        return True
    if word.isupper():
        return len(word) <= 6
    return not _PLURAL_ACRONYM.fullmatch(word)


def _is_odd_candidate(word: str) -> bool:
    """Return the same for a word with digits, dots, hyphens or apostrophes."""
    if len(word) == 1 or any(one.search(word) for one in (_CODE, _DENIED)):
        return False
    if _PLURAL_ACRONYM.fullmatch(word):
        return False
    if "." in word:
        return _DOTTED.fullmatch(word) is not None
    if word[1].islower() or word[1] in "'’-":
        return True
    return len(word) <= 6 or not word.isupper()


def _close(run: list[_Word], following: str, found: list[Name], page: _Page) -> None:
    """Turn the run of candidate words into a name if it is one, and clear it."""
    if not run:
        return
    kept = _without_edges(run) if len(run) <= MAX_NAME_WORDS else []
    if kept:
        label = next((one for one in page.labels if kept[0].start in one), None)
        proof = following.lower() in AFTER_SUBJECT and _is_subject(kept, label, page)
        # In German, ordinary nouns have a capital inside a sentence, too.
        is_noun = len(kept) == 1 and not kept[0].is_initial and len(page.small & GERMAN) > 1
        name = _name(kept, is_subject=proof, is_label=label is not None, may_be_noun=is_noun)
        if name:
            found.append(name)
    run.clear()


def _is_subject(kept: list[_Word], label: range | None, page: _Page) -> bool:
    """Return whether a following verb proves a name: not in a title, nor if the word also occurs in lower case."""
    end = kept[-1].start + len(kept[-1].text)
    if label is not None and page.text[end : label.stop].strip(_EDGE):
        return False
    return len(kept) > 1 or kept[0].text.lower() not in page.small


def _without_edges(run: list[_Word]) -> list[_Word]:
    start, end = 0, len(run)
    while start < end and run[start].text.lower() in (
        OPENERS if run[start].is_initial or (start and run[0].is_initial) else FUNCTION
    ):
        start += 1
    while end > start and (run[end - 1].text in JOINERS or run[end - 1].text.lower() in FUNCTION):
        end -= 1
    return run[start:end]


def _name(
    kept: list[_Word], *, is_subject: bool, is_label: bool, may_be_noun: bool = False
) -> Name | None:
    first, last = kept[0], kept[-1]
    text = " ".join(word.text for word in kept)
    if len(text) < 2 or len(text) > MAX_NAME_CHARS:
        return None
    is_initial = first.is_initial or is_label
    if len(kept) > 1 and text.isupper() and any(word.text.lower() in PLAIN for word in kept):
        return None
    if len(kept) == 1 or is_initial:
        if all(word.text.lower() in PLAIN for word in kept):
            return None
        if is_initial and first.text.lower().endswith(ABSTRACT_ENDINGS):
            rest = kept[2 if len(kept) > 1 and kept[1].text in JOINERS else 1 :]
            return _name(rest, is_subject=is_subject, is_label=is_label) if rest else None
    return Name(
        text,
        canonical(text),
        first.start,
        last.start + len(last.text),
        (not is_initial and not may_be_noun)
        or (len(kept) > 1 and not is_label)
        or _is_odd(first.text, is_label and (len(kept) > 1 or "-" in first.text))
        or is_subject,
    )


def _is_odd(word: str, is_in_label: bool) -> bool:
    """Return whether a word has inner capitals, which prove nothing in a title (`AI-Driven`, `HR Department`)."""
    return not word[1:].islower() and not is_in_label


def _ends_sentence(raw: str) -> bool:
    return _ENDS_SENTENCE.search(raw) is not None and raw.lower() not in ABBREVIATIONS
