"""Languages other than English: stop words and inflection endings. Pure.

The index stems English words only (`porter`). A query word in another language is searched by its beginning instead:
`Mieten` as `miet*`, which also finds `Miete`. The endings are deliberately few: bm25 ranks, so a beginning that matches
one word too many costs little, and one that is too long finds nothing.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from signet import resources


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """One language: `stops` are lower-case stop words of questions.

    `endings` are tried in order; one is removed if at least `least` letters remain.
    """

    name: str
    stops: frozenset[str]
    endings: tuple[str, ...]
    least: int = 4

    def beginning(self, word: str) -> str:
        """Return the beginning that a word shares with its other forms, the word itself if no ending matches."""
        for ending in self.endings:
            if word.endswith(ending) and len(word) - len(ending) >= self.least:
                return word[: -len(ending)]
        return word


def _language(name: str, stops: str, endings: str, least: int = 4) -> Language:
    plain = {unaccented(word) for word in stops.split()}
    longest = sorted(endings.split(), key=len, reverse=True)
    return Language(
        name=name, stops=frozenset(stops.split()) | plain, endings=tuple(longest), least=least
    )


class _Plain(dict[int, str]):
    """Maps each character to its form without marks, computed on first use."""

    def __missing__(self, code: int) -> str:
        parts = unicodedata.normalize("NFD", chr(code))
        self[code] = "".join(part for part in parts if not unicodedata.combining(part))
        return self[code]


_PLAIN = _Plain()


def unaccented(word: str) -> str:
    """Return a word without the marks of its letters."""
    return word if word.isascii() else word.translate(_PLAIN)


_FILE = resources.table(__file__)
GERMAN, FRENCH, SPANISH, ITALIAN, DUTCH, PORTUGUESE, POLISH, RUSSIAN = (
    _language(name.title(), **words) for name, words in _FILE.items() if isinstance(words, dict)
)
#: The reflexive suffix of a Russian verb follows its ending.
_REFLEXIVE = ("ся", "сь")

BY_SPACES = (GERMAN, FRENCH, SPANISH, ITALIAN, DUTCH, PORTUGUESE, POLISH)

#: Pairs of characters that occur in questions about anything.
PAIRS = frozenset(_FILE["pairs"].split())

#: Stop words in a question of any language.
SAY_NOTHING = PAIRS | RUSSIAN.stops

#: Short words that begin a question and are not English, and longer ones that are also English words or names.
_OPENERS = frozenset(("wer", "wie", "wem", "wen", "qui", "que", "où"))
_ENGLISH_TOO = frozenset(_FILE["english_too"].split())

_CYRILLIC = re.compile(r"[а-я]+")
#: French inversion of verb and subject in a question.
_INVERTED = re.compile(
    r"-(?:t-)?(?:ils?|elles?|on|je|tu|nous|vous|ce|moi|toi|les?|la|lui|leur|y|en)$"
)
_LETTERS = re.compile(r"[^\W\d_]+")


def language_of(words: Sequence[str], english: frozenset[str]) -> Language | None:
    """Return the language of a question by its stop words, None for English and unknown ones.

    A single stop word decides only if the question begins with it and it is not also an English word or name: "Wann
    Geburtstag?", but neither "the die was cast" nor "car insurance".
    """
    if not words:
        return None
    held = [len(one.stops.intersection(words)) for one in BY_SPACES]
    most = max(held)
    best = BY_SPACES[held.index(most)]
    if most <= len(english.intersection(words)):
        return None
    return best if most > 1 or (words[0] in best.stops and _opens(words[0])) else None


def _opens(word: str) -> bool:
    return word in _OPENERS or (len(word) > 3 and word not in _ENGLISH_TOO)


def is_russian(word: str) -> bool:
    """Return whether a lower-case word has only Cyrillic letters."""
    return _CYRILLIC.fullmatch(word) is not None


def bare(words: Sequence[str], language: Language | None) -> Sequence[str]:
    """Remove pronouns that a question adds to a verb: `préfère-t-elle` becomes `préfère`."""
    return [_INVERTED.sub("", word) for word in words] if language is FRENCH else words


def beginnings(words: Sequence[str], language: Language | None) -> Sequence[str]:
    """Return the search terms for words: see `beginning`; English ones stay."""
    if language is None and "".join(words).isascii():
        return words
    return [beginning(word, language) for word in words]


def beginning(word: str, language: Language | None) -> str:
    """Return the search term for a word: the word, preceded by its beginning and `*` if it has an inflection ending."""
    if is_russian(word):
        plain = next(
            (word[:-2] for end in _REFLEXIVE if word.endswith(end) and len(word) > 5), word
        )
        found = RUSSIAN.beginning(plain)
    elif language and _LETTERS.fullmatch(word):
        plain = unaccented(word)
        found = language.beginning(plain)
    else:
        return word
    # The index stems English: it would turn a final y into i, and miss it.
    return f"{found}*{word}" if len(found) >= 3 and not found.endswith("y") else word
