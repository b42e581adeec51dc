"""Find the words of a question in a text as the full-text index does: stems, split tokens, character pairs (REC-40).

Places are [start, end) in Unicode code points, as Python counts: in JavaScript, index `Array.from(text)`. A range never
ends inside a visible sign (an accent, a joined emoji, a flag).
"""

import re
import threading
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from signet.db import fts, script
from signet.db.driver import Connection, sqlite

Range = tuple[int, int]

_TOKEN = re.compile(
    rf"(?P<run>[{script.RANGES}]+)|(?P<picture>{script.PICTURE})|\d+|(?:(?![{script.RANGES}])[^\W\d_]|[\u0300-\u036f])+"
)
#: Signs that belong to the one before: accents of all scripts, joiners with the next sign, selectors, skin tones.
_JOINED = re.compile(
    r"(?:[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0903\u093a-\u094f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
    r"\u20d0-\u20f0\u3099\u309a\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]|\u200d.)+",
    re.DOTALL,
)
#: A stem shares at least this many letters with each of its words.
_SAME = 2


class _Token(NamedTuple):
    start: int
    end: int
    word: str
    is_run: bool


class _Wanted(NamedTuple):
    """Query terms: stems, beginnings, sequences of stems, and pairs of characters without spaces."""

    stems: frozenset[str]
    beginnings: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...]
    pairs: tuple[str, ...]
    letters: frozenset[str]


def ranges(text: str, terms: Sequence[str]) -> list[Range]:
    """Return the places of a query's terms (`fts.content_words`) in a text, in order, without overlap."""
    wanted = _wanted(tuple(terms))
    tokens = list(_tokens(text))
    found: list[Range] = []
    for at, one in enumerate(tokens):
        if one.is_run:
            found += _pairs(one, wanted.pairs)
        elif one.word[:_SAME] in wanted.letters:
            is_one = one.word.startswith(wanted.beginnings) or stem(one.word) in wanted.stems
            found += [(one.start, one.end)] if is_one else []
            for phrase in wanted.phrases:
                some = tokens[at : at + len(phrase)]
                if phrase == tuple(stem(token.word) for token in some):
                    found.append((one.start, some[-1].end))
    return _merged(text, found)


def window(text: str, places: Sequence[Range], chars: int) -> Range:
    """Return the part of a text, of at most `chars`, with most of these places; in whole words if possible."""
    if len(text) <= chars:
        return 0, len(text)
    most = max(
        (
            (sum(start <= a and b <= start + chars * 3 // 4 for a, b in places), -start)
            for start, _ in places
        ),
        default=(0, 0),
    )
    start = max(0, min(-most[1] - chars // 4, len(text) - chars))
    if start:
        blank = text.find(" ", start, start + chars // 8)
        start = blank + 1 if blank >= 0 else start
    end = min(len(text), start + chars)
    if end < len(text):
        blank = text.rfind(" ", end - chars // 8, end)
        end = blank if blank > start else end
    return start, end


@lru_cache(16_384)
def stem(word: str) -> str:
    """Return a folded word as the index stems it (`porter unicode61`)."""
    with _lock:
        table = _table()
        table.execute("DELETE FROM one")
        table.execute("INSERT INTO one VALUES (?)", (word,))
        row = table.execute("SELECT term FROM stems").fetchone()
    return str(row[0]) if row else word


_lock = threading.Lock()


@cache
def _table() -> Connection:
    table: Connection = sqlite.connect(":memory:", check_same_thread=False, isolation_level=None)
    table.execute("CREATE VIRTUAL TABLE one USING fts5(word, tokenize = 'porter unicode61')")
    table.execute("CREATE VIRTUAL TABLE stems USING fts5vocab(one, row)")
    return table


@lru_cache(256)
def _wanted(terms: tuple[str, ...]) -> _Wanted:
    stems, beginnings, phrases, pairs = (
        set[str](),
        list[str](),
        list[tuple[str, ...]](),
        list[str](),
    )
    for term in terms:
        start, star, whole = term.partition("*")
        if star:
            beginnings.append(fts.folded(start))
        tokens = list(_tokens(whole or start))
        words = tuple(stem(one.word) for one in tokens)
        if any(one.is_run for one in tokens):
            pairs.append(fts.folded(whole or start))
        elif len(words) == 1:
            stems.add(words[0])
        elif words:
            phrases.append(words)
    first = {one[:_SAME] for one in (*stems, *beginnings, *(phrase[0] for phrase in phrases))}
    # A stem of one letter, or of a letter and the suffixes of other forms.
    return _Wanted(
        frozenset(stems), tuple(beginnings), tuple(phrases), tuple(pairs), frozenset(first)
    )


def _tokens(text: str) -> Iterator[_Token]:
    for one in _TOKEN.finditer(text):
        yield _Token(one.start(), one.end(), fts.folded(one[0]), one.lastgroup == "run")


def _pairs(run: _Token, pairs: Sequence[str]) -> Iterator[Range]:
    for pair in pairs:
        at = run.word.find(pair)
        if at >= 0 and len(run.word) != run.end - run.start:  # half-width marks were joined
            yield run.start, run.end
        while at >= 0:
            yield run.start + at, min(run.end, run.start + at + len(pair))
            at = run.word.find(pair, at + 1)


def _merged(text: str, found: Sequence[Range]) -> list[Range]:
    merged: list[Range] = []
    for start, end in sorted(found):
        if joined := _JOINED.match(text, end):
            end = joined.end()
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
