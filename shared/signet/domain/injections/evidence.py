"""Whether what somebody said or did shows that they used a text. Pure.

Words count only if neither the user nor a tool has said them before: an agent that repeats the prompt, or the file
that it has just read, uses no memory. Of what is left only what is rare in other sessions and commits counts. The
thresholds were set on seven tasks of the evaluation data, with an answer to each that applies the rule of an earlier
conversation and one that does not; of the 14 answers to seven other tasks 13 were judged as a reader judged them, and
none of 231 texts about something else counted as used.
"""

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from signet.db import fts
from signet.domain.injections.models import Used

#: Of an id so many characters name it: the beginning of a commit's hash.
LEAST_ID = 7
#: A run of so many equal words is a quotation, if so many of them are new.
QUOTED_WORDS, QUOTED_NEW = 6, 3
#: Rare values (identifiers, paths, numbers) and words that one step must share: two values, or one and some words, or
#: words alone; a short text cannot share so many, half of it is enough.
LEAST_VALUES, WORDS_WITH_VALUE, LEAST_WORDS = 2, 3, 5
#: A short text: so many new words at most. One value of it is enough, if it has some length.
SHORT_WORDS, SHORT_VALUE_CHARS = 6, 3
#: Of a longer step, and of a longer text, so much is read.
READ_CHARS = 20_000
#: Words are compared by their beginnings, because they are inflected.
_STEM = 6
_LEAST_WORD = 4

_TOKEN = re.compile(r"[^\W_](?:[\w./:@+-]*\w)?|_\w+", re.UNICODE)
#: What tells a value from a word: a digit, or a mark or capital inside of it.
_VALUE = re.compile(r"\d|[\w][_/.]|_\w|[a-z][A-Z]")
_PART = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![a-z])", re.UNICODE)


@dataclass(frozen=True, slots=True)
class Marks:
    """What a text can be recognised by: its values, and its words by their beginnings."""

    values: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()

    def __or__(self, other: "Marks") -> "Marks":
        return Marks(self.values | other.values, self.words | other.words)

    def __sub__(self, other: "Marks") -> "Marks":
        return Marks(self.values - other.values, self.words - other.words)

    def __and__(self, other: "Marks") -> "Marks":
        return Marks(self.values & other.values, self.words & other.words)


@dataclass(frozen=True, slots=True)
class Said:
    """What was said or done in one step; `words` are its whole words by their beginnings."""

    text: str
    marks: Marks
    words: Mapping[str, str]


def said(text: str) -> Said:
    """Return a step as it is compared."""
    text = text[:READ_CHARS]
    words = _words(text)
    return Said(text, Marks(_values(text), frozenset(words)), words)


def marks(text: str) -> Marks:
    """Return the marks of a text."""
    return said(text).marks


def _values(text: str) -> frozenset[str]:
    return frozenset(
        token.lower() for token in _TOKEN.findall(text) if len(token) > 1 and _VALUE.search(token)
    )


def _words(text: str) -> dict[str, str]:
    """Return the words of a text, those inside of identifiers too, by their beginnings."""
    found = (part.lower() for token in _TOKEN.findall(text) for part in _PART.findall(token))
    return {
        word[:_STEM]: word
        for word in found
        if len(word) >= _LEAST_WORD and word not in fts.STOP_WORDS
    }


def found(
    ids: Collection[str],
    text: str,
    own: Marks,
    step: Said,
    before: Marks,
    is_rare: Callable[[str], bool],
) -> Used | None:
    """Return what shows that a step used a text, None for nothing.

    `ids` name the text and `own` are its marks; `before` are those that were said before the step. `is_rare` is asked
    about a value, a whole word, or words that stand together.
    """
    if any(len(one) >= LEAST_ID and one in step.text for one in ids):
        return Used.NAMED
    new = own - before
    shared = new & step.marks
    if not (shared.values or shared.words):
        return None
    is_enough = len(shared.values) + len(shared.words) >= QUOTED_NEW
    if is_enough and _is_quoted(text[:READ_CHARS], step.text, shared, is_rare):
        return Used.QUOTED
    values = [value for value in shared.values if is_rare(value)]
    words = sum(is_rare(step.words[word]) for word in shared.words)
    is_short = len(new.words) <= SHORT_WORDS
    if (
        len(values) >= LEAST_VALUES
        or (values and words >= WORDS_WITH_VALUE)
        or (is_short and any(len(value) >= SHORT_VALUE_CHARS for value in values))
    ):
        return Used.VALUES
    needed = max(2, min(LEAST_WORDS, math.ceil(len(new.words) / 2)))
    return Used.WORDS if words >= needed else None


def _is_quoted(text: str, said: str, shared: Marks, is_rare: Callable[[str], bool]) -> bool:
    """Return whether a run of words stands in both that other sessions do not have: greetings are no quotations."""
    runs = set(_runs(text))
    quoted = {run for run in _runs(said) if run in runs and _is_new(run, shared)}
    return any(is_rare(" ".join(run)) for run in quoted)


def _runs(text: str) -> Iterable[tuple[str, ...]]:
    words = [token.lower() for token in _TOKEN.findall(text)]
    return zip(*(words[start:] for start in range(QUOTED_WORDS)), strict=False)


def _is_new(run: tuple[str, ...], shared: Marks) -> bool:
    new = sum(word in shared.values or word[:_STEM] in shared.words for word in run)
    return new >= QUOTED_NEW
