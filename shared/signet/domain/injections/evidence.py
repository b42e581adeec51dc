"""Decide whether a step of a session shows the use of a text. Pure.

Only words that neither the user nor a tool has used before count: an agent that repeats the prompt or a file uses no
memory. Of these only words that are rare in other sessions and commits count. The thresholds were set on seven tasks
of the evaluation data, each with an answer that applies the rule of an earlier conversation and one that does not. Of
the 14 answers to seven other tasks, 13 were judged like a reader's, and none of 231 unrelated texts counted as used.
"""

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from signet.db import fts
from signet.domain.injections.models import Used

#: Minimum characters of an ID, such as a commit hash prefix.
LEAST_MARK = 7
#: Length of a run of equal words that is a quotation, and minimum of new words in it.
QUOTED_WORDS, QUOTED_NEW = 6, 3
#: Minimum of rare values (identifiers, paths, numbers) and words in one step: two values, one value with some words,
#: or only words; half of it for a short text.
LEAST_VALUES, WORDS_WITH_VALUE, LEAST_WORDS = 2, 3, 5
#: Maximum new words of a short text, for which one value of this length is enough.
SHORT_WORDS, SHORT_VALUE_CHARS = 6, 3
#: Characters to read of a long step or text.
READ_CHARS = 20_000
#: Words are compared by prefix, because they are inflected.
_STEM = 6
_LEAST_WORD = 4

_TOKEN = re.compile(r"[^\W_](?:[\w./:@+-]*\w)?|_\w+", re.UNICODE)
#: Marks of a value: a digit, or a special character or capital inside it.
_VALUE = re.compile(r"\d|[\w][_/.]|_\w|[a-z][A-Z]")
_PART = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![a-z])", re.UNICODE)


@dataclass(frozen=True, slots=True)
class TextMarks:
    """The identifying parts of a text: values, and word prefixes."""

    values: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()

    def __or__(self, other: "TextMarks") -> "TextMarks":
        return TextMarks(self.values | other.values, self.words | other.words)

    def __sub__(self, other: "TextMarks") -> "TextMarks":
        return TextMarks(self.values - other.values, self.words - other.words)

    def __and__(self, other: "TextMarks") -> "TextMarks":
        return TextMarks(self.values & other.values, self.words & other.words)


@dataclass(frozen=True, slots=True)
class SaidText:
    """The content of one step; `words` are whole words by prefix."""

    text: str
    read_marks: TextMarks
    words: Mapping[str, str]


def read_said(text: str) -> SaidText:
    """Return a step in comparable form."""
    text = text[:READ_CHARS]
    words = _words(text)
    return SaidText(text, TextMarks(_values(text), frozenset(words)), words)


def read_marks(text: str) -> TextMarks:
    """Return the marks of a text."""
    return read_said(text).marks


def _values(text: str) -> frozenset[str]:
    return frozenset(
        token.lower() for token in _TOKEN.findall(text) if len(token) > 1 and _VALUE.search(token)
    )


def _words(text: str) -> dict[str, str]:
    """Return a text's words, including those inside identifiers, by prefix."""
    evidence_of = (part.lower() for token in _TOKEN.findall(text) for part in _PART.findall(token))
    return {
        word[:_STEM]: word
        for word in evidence_of
        if len(word) >= _LEAST_WORD and word not in fts.STOP_WORDS
    }


def evidence_of(
    ids: Collection[str],
    text: str,
    own: TextMarks,
    step: SaidText,
    before: TextMarks,
    is_rare: Callable[[str], bool],
) -> Used | None:
    """Return the evidence that a step used a text, None without any.

    `ids` name the text and `own` are its marks; `before` are marks from earlier steps. `is_rare` is called with a
    value, a whole word, or consecutive words.
    """
    if any(len(one) >= LEAST_MARK and one in step.text for one in ids):
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


def _is_quoted(
    text: str, read_said: str, shared: TextMarks, is_rare: Callable[[str], bool]
) -> bool:
    """Return whether both contain a run of words that other sessions lack, which excludes greetings."""
    runs = set(_runs(text))
    quoted = {run for run in _runs(read_said) if run in runs and _is_new(run, shared)}
    return any(is_rare(" ".join(run)) for run in quoted)


def _runs(text: str) -> Iterable[tuple[str, ...]]:
    words = [token.lower() for token in _TOKEN.findall(text)]
    return zip(*(words[start:] for start in range(QUOTED_WORDS)), strict=False)


def _is_new(run: tuple[str, ...], shared: TextMarks) -> bool:
    new = sum(word in shared.values or word[:_STEM] in shared.words for word in run)
    return new >= QUOTED_NEW
