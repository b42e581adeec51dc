"""Check that what a language model writes comes from the text it was given (PIP-64).

A weak model invents facts, repeats itself, or copies the request. The checks compare words only: content words by
their common beginning, names and numbers exactly. A false statement made of the source's own words passes.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from signet.db import fts, languages, script

#: Share of a statement's content words that its source must contain. Of the invented statements in review/real-llm.md
#: none reaches it; rewordings by the models of the tests share half and more.
LEAST_SUPPORT = 0.4
#: Share of content words in common with the request from which a statement counts as a copy of it.
ECHO_SHARE = 0.7
#: A text of this many words with a smaller share of distinct ones repeats itself.
REPEATS_FROM, LEAST_DISTINCT = 8, 0.5
#: Two words are forms of one when they share this many characters and this share of the shorter one.
PREFIX_CHARS, PREFIX_SHARE = 4, 0.6

#: Words for the speaker and for the statement itself: they name nothing in the source.
_EMPTY = frozenset(
    "user users assistant agent people person someone memory memories fact facts statement text content"
    " nutzer benutzer utilisateur usuario".split()
)
_NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
}
_WORD = re.compile(r"[^\W_]+(?:[.:/@+#-][^\W_]+)*")
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n+|(?<=[。！？])")


class Verdict(StrEnum):
    """What a statement's source says about it."""

    #: The source contains its names, its numbers and enough of its other words.
    SAID = "said"
    #: The source contains enough of it, but not every name and number.
    LOOSE = "not all of its names and numbers are in the source"
    INVENTED = "its words are not in the source"
    ECHO = "it copies the request"
    EMPTY = "it says nothing or repeats itself"

    @property
    def is_usable(self) -> bool:
        """Return whether the statement may be stored at all."""
        return self in (Verdict.SAID, Verdict.LOOSE)


@dataclass(slots=True)
class Grounds:
    """The source of a model's answer and the request around it; `judge` compares statements with both."""

    source: str
    request: str = ""
    _source: "_Words" = field(init=False)
    _request: "_Words" = field(init=False)

    def __post_init__(self) -> None:
        """Index the words of both texts."""
        self._source, self._request = _Words(self.source), _Words(self.request)

    def judge(self, statement: str) -> Verdict:
        """Return whether the source supports a statement."""
        if repeats(statement):
            return Verdict.EMPTY
        terms = content(statement)
        if not terms:
            return Verdict.EMPTY
        supported = [term for term in terms if self._source.has(term)]
        share = len(supported) / len(terms)
        copied = sum(map(self._request.has, terms)) / len(terms)
        if copied >= ECHO_SHARE and copied > share:
            return Verdict.ECHO
        if share < LEAST_SUPPORT:
            return Verdict.INVENTED
        missing = [one for one in particulars(statement) if not self._source.has(one)]
        return Verdict.LOOSE if missing else Verdict.SAID

    def share(self, text: str) -> float:
        """Return the share, 0..1, of a text's distinct content words that the source contains."""
        terms = content(text)
        return sum(map(self._source.has, terms)) / len(terms) if terms else 0.0

    def fault(self, text: str) -> str:
        """Return why a text of several sentences is unusable, empty if it is usable."""
        if repeats(text):
            return Verdict.EMPTY
        body = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
        share, terms = self.share(body), content(body)
        copied = sum(map(self._request.has, terms)) / len(terms) if terms else 0.0
        if copied >= ECHO_SHARE and copied > share:
            return Verdict.ECHO
        return "" if share >= LEAST_SUPPORT else Verdict.INVENTED

    def names(self, name: str) -> bool:
        """Return whether the source contains every word of a name."""
        terms = content(name) or fts.words(name)
        return bool(terms) and all(map(self._source.has, terms))

    def sentences(self, terms: Iterable[str], verbs: Iterable[str]) -> Iterator[str]:
        """Yield the sentences of the source that contain all of the terms, and one of the verbs if any are given."""
        wanted = [one for one in map(_folded, terms) if one not in _EMPTY]
        any_of = tuple(verbs)
        for sentence in _SENTENCE.split(self.source):
            words = _Words(sentence)
            if all(map(words.has, wanted)) and (not any_of or any(map(words.has, any_of))):
                yield sentence


def content(text: str) -> list[str]:
    """Return the distinct content words of a text, folded, in order."""
    words = fts.words(text)
    language = languages.of(words, fts.STOP_WORDS)
    stops = fts.STOP_WORDS | (language.stops if language else frozenset())
    kept = (_folded(word) for word in words if word not in stops)
    return [word for word in dict.fromkeys(kept) if word not in _EMPTY]


def particulars(text: str) -> list[str]:
    """Return the names and numbers of a text, folded: what a paraphrase leaves unchanged."""
    language = languages.of(fts.words(text), fts.STOP_WORDS)
    found: list[str] = []
    for sentence in _SENTENCE.split(text):
        for number, match in enumerate(_WORD.finditer(sentence)):
            word = match[0]
            is_name = word[1:] != word[1:].lower() or (
                word[0].isupper() and number > 0 and language is not languages.GERMAN
            )
            if any(map(str.isdigit, word)) or is_name:
                found.append(_folded(word))
    ordinary = _EMPTY | fts.STOP_WORDS
    return [word for word in dict.fromkeys(found) if word not in ordinary]


def repeats(text: str) -> bool:
    """Return whether a text consists of few words, or lines, said again and again."""
    words = [word.lower() for word in _WORD.findall(text)]
    lines = [line.strip() for line in text.splitlines() if len(line.strip()) > 20]
    is_looping = len(words) >= REPEATS_FROM and _distinct(words) < LEAST_DISTINCT
    return is_looping or (len(lines) >= 4 and _distinct(lines) < LEAST_DISTINCT)


def _distinct(parts: Sequence[str]) -> float:
    """Return the share of distinct parts among the last sixty, so that long texts are not judged by their length."""
    last = parts[-60:]
    return len(Counter(last)) / len(last)


class _Words:
    """The words of one text, by form and by beginning."""

    def __init__(self, text: str) -> None:
        self._whole = {_folded(word) for word in fts.words(text)}
        self._whole |= {_folded(word) for word in _WORD.findall(text)}
        self._whole |= {part for word in self._whole for part in re.split(r"[\W_]+", word)}
        self._by_prefix: dict[str, list[str]] = {}
        for word in self._whole:
            self._by_prefix.setdefault(word[:PREFIX_CHARS], []).append(word)

    def has(self, term: str) -> bool:
        """Return whether the text contains a word or another form of it."""
        if term in self._whole:
            return True
        if any(map(str.isdigit, term)):
            return False
        if script.has_runs(term) or len(term) < PREFIX_CHARS:
            return False
        return any(
            _are_forms(term, other) for other in self._by_prefix.get(term[:PREFIX_CHARS], ())
        )


def _are_forms(one: str, other: str) -> bool:
    shorter = min(len(one), len(other))
    least = max(PREFIX_CHARS, round(PREFIX_SHARE * shorter))
    return one[:least] == other[:least]


def _folded(word: str) -> str:
    plain = fts.folded(word).strip("._-:/")
    return _NUMBER_WORDS.get(plain, plain)
