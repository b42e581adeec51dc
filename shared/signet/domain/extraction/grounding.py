"""Check that what a language model writes comes from the text it was given (PIP-64).

A weak model invents facts, repeats itself, or copies the request. The checks compare words only: content words by
their common beginning, names and numbers exactly. A false statement made of the source's own words passes.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from signet.db import fts, languages, script
from signet.domain.extraction import meaning
from signet.domain.graph.lexicon import PLAIN
from signet.domain.transcripts import transcript

#: Share of a statement's content words that its source must contain. Of the invented statements in review/real-llm.md
#: none reaches it; rewordings by the models of the tests share half and more.
LEAST_SUPPORT = 0.4
#: A statement that shares this many of its content words with the request counts as a copy of it.
ECHO_SHARE = 0.7
#: A text of this many words with a smaller share of distinct ones repeats itself.
REPEATS_FROM, LEAST_DISTINCT = 8, 0.5
#: Share of a text that must remain without its unsupported lines.
LEAST_KEPT = 0.5
#: Two words are forms of one when they share this many characters and this share of the shorter one.
PREFIX_CHARS, PREFIX_SHARE = 4, 0.6

#: Words for the speaker and for the statement itself: they name nothing in the source.
_EMPTY = frozenset(
    "user users team assistant agent people person someone memory memories fact facts statement text content"
    " nutzer benutzer utilisateur usuario".split()
)
_NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
} | {
    word: str(10 * number)
    for number, word in enumerate(
        "twenty thirty forty fifty sixty seventy eighty ninety hundred".split(), 2
    )
}
_WORD = re.compile(r"[^\W_]+(?:[.:/@+#-][^\W_]+)*")
#: A subject that only the text around a statement could name.
_NO_SUBJECT = re.compile(
    r"(?:this|that|it|these|those|they|das|dies|es)\s+(?:is|are|was|were|has|have|will|can|ist|sind|war|hat)\b"
    r"(?!\s+(?:not |always |never |also )?(?:forbidden|allowed|required|possible|impossible|necessary|important"
    r"|essential|better|best|fine|recommended|preferred|known) (?:to|that)\b)",
    re.IGNORECASE,
)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


class Verdict(StrEnum):
    """How well a statement's source supports it."""

    #: The source contains its names, its numbers and enough of its other words, in the same connection.
    SAID = "said"
    #: The source contains enough of it, but not every name and number, or says them in another connection.
    LOOSE = "the source does not say this of these names and numbers"
    INVENTED = "its words are not in the source"
    ECHO = "it copies the request"
    EMPTY = "it says nothing or repeats itself"

    @property
    def is_usable(self) -> bool:
        """Return whether the statement may be stored at all."""
        return self in (Verdict.SAID, Verdict.LOOSE)


@dataclass
class Grounds:
    """The source of a model's answer and the request around it; `judge` compares statements with both."""

    source: str
    request: str = ""
    _source: "_Words" = field(init=False)
    _request: "_Words" = field(init=False)

    def __post_init__(self) -> None:
        """Index the words of both texts."""
        self._source, self._request = _Words(self.source), _Words(self.request)

    @cached_property
    def _parts(self) -> list[meaning.Clause]:
        """The parts of the sentences of the source, each with its speaker."""
        return [
            part
            for turn in transcript.parse(self.source)
            for part in _parts(turn.text, is_by_assistant=turn.role == transcript.ASSISTANT)
        ]

    @cached_property
    def _is_german(self) -> bool:
        return languages.language_of(fts.words(self.source), fts.STOP_WORDS) is languages.GERMAN

    def judge(self, statement: str) -> Verdict:
        terms = content(statement)
        if (
            not terms
            or repeats(statement)
            or _NO_SUBJECT.match(statement)
            or _is_circular(statement)
        ):
            return Verdict.EMPTY
        supported = [term for term in terms if self._source.has(term)]
        share = len(supported) / len(terms)
        if self._is_copy(terms, share):
            return Verdict.ECHO
        if share < LEAST_SUPPORT:
            return Verdict.INVENTED
        return Verdict.LOOSE if self.changes(statement) else Verdict.SAID

    def changes(self, statement: str) -> bool:
        """Return whether a statement has names, numbers or claims that the source lacks."""
        if any(not self._source.has(one) for one in particulars(statement)):
            return True
        said = _parts(statement)
        return any(meaning.is_changed(one, self._parts, _are_same) for one in said)

    def share(self, text: str) -> float:
        """Return the share, 0..1, of a text's distinct content words that the source contains."""
        terms = content(text)
        return sum(map(self._source.has, terms)) / len(terms) if terms else 0.0

    def supported(self, text: str) -> str:
        """Return the lines of a Markdown text that the source supports; empty if too much of it has no support."""
        if repeats(text):
            return ""
        lines = text.splitlines()
        body = "\n".join(line for line in lines if not line.startswith("#"))
        share, terms = self.share(body), content(body)
        if share < LEAST_SUPPORT or self._is_copy(terms, share):
            return ""
        kept = [line for line in lines if not self._is_foreign(line)]
        told = sum(len(line) for line in kept if not line.startswith("#"))
        return "\n".join(kept) if told >= LEAST_KEPT * len(body) else ""

    def _is_foreign(self, line: str) -> bool:
        """Return whether a line changes what the source says, or is a heading with a name from nowhere."""
        if not line.startswith("#"):
            return self.changes(line)
        words = _WORD.findall(_DAY.sub("", line))
        return any(
            (
                (word[0].isupper() and not self._is_german and word.lower() not in PLAIN)
                or meaning.has_digit(word)
            )
            and not self._source.has(_folded(word))
            and not self._request.has(_folded(word))
            for word in words
        )

    def _is_copy(self, terms: Sequence[str], share: float) -> bool:
        """Return whether words come from the request rather than from the source, which has this share of them."""
        copied = sum(map(self._request.has, terms)) / max(len(terms), 1)
        return copied >= ECHO_SHARE and copied > share

    def names(self, name: str) -> bool:
        """Return whether the source contains every word of a name."""
        terms = content(name) or fts.words(name)
        return bool(terms) and all(map(self._source.has, terms))

    def sentences(self, terms: Iterable[str], verbs: Iterable[str]) -> Iterator[str]:
        """Yield the sentences of the source that contain all of the terms, and one of the given verbs."""
        wanted = [one for one in map(_folded, terms) if one not in _EMPTY]
        any_of = tuple(verbs)
        for sentence in meaning.SENTENCE.split(self.source):
            words = _Words(sentence)
            if all(map(words.has, wanted)) and (not any_of or any(map(words.has, any_of))):
                yield sentence


def content(text: str) -> list[str]:
    """Return the distinct content words of a text, folded, in order."""
    words = fts.words(text)
    language = languages.language_of(words, fts.STOP_WORDS)
    stops = fts.STOP_WORDS | (language.stops if language else frozenset())
    kept = (_folded(word) for word in words if word not in stops)
    return [word for word in dict.fromkeys(kept) if word not in _EMPTY]


def particulars(text: str) -> list[str]:
    """Return the names and numbers of a text, folded: a paraphrase leaves them unchanged."""
    language = languages.language_of(fts.words(text), fts.STOP_WORDS)
    found: list[str] = []
    ordinary = _EMPTY | fts.STOP_WORDS
    for sentence in meaning.SENTENCE.split(text):
        for number, match in enumerate(_WORD.finditer(sentence)):
            word = match[0]
            is_name = not text.isupper() and (
                word[1:] != word[1:].lower()
                or (word[0].isupper() and number > 0 and language is not languages.GERMAN)
            )
            folded = _folded(word)
            if word == "May" and number > 0:
                found.append(folded)
            elif (meaning.has_digit(folded) and folded != "1") or is_name:
                found += [folded] if folded not in ordinary else []
    return list(dict.fromkeys(found))


def repeats(text: str) -> bool:
    """Return whether a text repeats the same few words or lines."""
    words = [word.lower() for word in _WORD.findall(text)]
    lines = [line.strip() for line in text.splitlines() if len(line.strip()) > 20]
    is_looping = len(words) >= REPEATS_FROM and _distinct(words) < LEAST_DISTINCT
    return is_looping or (len(lines) >= 4 and _distinct(lines) < LEAST_DISTINCT)


def _is_circular(statement: str) -> bool:
    """Return whether a statement only repeats its subject: "Mina is called Mina"."""
    told = [word for word in map(_folded, _WORD.findall(statement)) if word not in fts.STOP_WORDS]
    return len(told) > 1 and told[0] == told[-1] and len(set(told)) <= 2


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
        if meaning.has_digit(term):
            return False
        if f"{term}s" in self._whole or (term[-1:] == "s" and term[:-1] in self._whole):
            return True
        if script.has_runs(term) or len(term) < PREFIX_CHARS:
            return False
        return any(
            _are_forms(term, other) for other in self._by_prefix.get(term[:PREFIX_CHARS], ())
        )


def _parts(text: str, *, is_by_assistant: bool = False) -> list[meaning.Clause]:
    return meaning.parts(
        text, content, particulars, lambda part: _Words(part).has, is_by_assistant=is_by_assistant
    )


def _are_same(one: str, other: str) -> bool:
    return one == other or (
        not meaning.has_digit(one + other)
        and min(len(one), len(other)) >= PREFIX_CHARS
        and _are_forms(one, other)
    )


def _are_forms(one: str, other: str) -> bool:
    shorter = min(len(one), len(other))
    least = max(PREFIX_CHARS, round(PREFIX_SHARE * shorter))
    return one[:least] == other[:least]


def _folded(word: str) -> str:
    plain = fts.folded(word).strip("._-:/")
    return _NUMBER_WORDS.get(plain, plain)
