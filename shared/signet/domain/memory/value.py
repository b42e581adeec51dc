"""What a text says, whoever writes it down: the form by which a forgotten value is known again.

Two texts of the same value differ in case, punctuation, markup, an introduction ("Note that …", "User: …"), in person
("I prefer tabs", "The user prefers tabs"), contraction ("don't", "do not") and the `s` at the end of a word. Order,
numbers, signs of currency and comparison, and every denial count. Measured: docs/decisions/0040.
"""

import hashlib
import re
import unicodedata
from dataclasses import dataclass

from signet.domain.memory import normalize, prefixes

#: A sentence of fewer words says too little to be known again by itself ("That works.").
SENTENCE_WORDS = 4

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_SPEAKER = re.compile(r"(?<!\s)\s*+(?:user|human|me)\s*+:", re.IGNORECASE)
_TOKEN = re.compile(
    r"(?:(?<!\S)[-+])?\d+(?:[.,:/-]\d+)*|[^\W\d_][\w]*(?:'\w+)?(?:\+\+|#(?!\w))?|\w+|[^\w\s]"
)
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'"})
#: Symbols that say something: comparison, currency, percent; emoji are known by their category.
_SIGNS = frozenset("<>=≤≥≠±%&")
_PERSON = {
    **dict.fromkeys(("i", "me", "myself"), ("user",)),
    **dict.fromkeys(("my", "mine", "user's", "users'"), ("user's",)),
    **dict.fromkeys(("we", "us", "ourselves"), ("team",)),
    **dict.fromkeys(("our", "ours", "team's"), ("team's",)),
    **dict.fromkeys(("am", "is", "are"), ("be",)),
    **dict.fromkeys(("has", "have"), ("have",)),
    **dict.fromkeys(("does", "do"), ("do",)),
    "was": ("were",),
    "cannot": ("can", "not"),
    "can't": ("can", "not"),
    "won't": ("will", "not"),
    **dict.fromkeys(("a", "an", "the"), ()),
}
_CONTRACTED = {"'m": "be", "'re": "be", "'ve": "have", "'ll": "will"}
_NOT = "n't"
#: Without this many letters an `s` belongs to the word: "js", "gas".
_PLURAL_LETTERS = 4
#: Introductions, as words of this form.
_OPENINGS = tuple(
    tuple(opening.split())
    for opening in (
        "please",
        "remember that",
        "remember",
        "reminder",
        "note that",
        "note",
        "noted",
        "important",
        "fact",
        "fyi",
        "btw",
        "by way",
        "also",
        "actually",
        "keep in mind that",
        "keep in mind",
        "for record",
        "it be known that",
        "it turn out that",
        "user say that",
        "user said that",
        "user said",
        "user mentioned that",
        "user mentioned",
        "user stated that",
        "user stated",
        "user told team that",
        "user told user that",
        "according to user",
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """The hashes of a text and of its sentences; a text of one sentence has none beside its own."""

    whole: str
    sentences: tuple[str, ...] = ()

    @property
    def hashes(self) -> tuple[str, ...]:
        """Return all of them, that of the whole first."""
        return (self.whole, *self.sentences)


def of(text: str) -> Value:
    """Return the hashes by which what a text says is known again. Pure."""
    said = [words for part in _SENTENCE_END.split(text) if (words := _words(part))]
    whole = [word for words in said for word in words] or [normalize.canonical(text)]
    several = said if len(said) > 1 else ()
    return Value(
        whole=_hash(whole),
        sentences=tuple(
            dict.fromkeys(_hash(words) for words in several if len(words) >= SENTENCE_WORDS)
        ),
    )


def _words(sentence: str) -> list[str]:
    """Return the words of a sentence as they are compared."""
    plain = unicodedata.normalize("NFKC", sentence).translate(_APOSTROPHES)
    plain = prefixes.parse(_SPEAKER.sub("", plain, count=1)).content.casefold()
    found = [word for token in _TOKEN.findall(plain) for word in _compared(token)]
    while opening := next((one for one in _OPENINGS if tuple(found[: len(one)]) == one), None):
        found = found[len(opening) :]
    return found


def _compared(token: str) -> tuple[str, ...]:
    if not (token[0].isalnum() or len(token) > 1):
        is_sign = token in _SIGNS or unicodedata.category(token) in ("Sc", "So")
        return (token,) if is_sign else ()
    if token in _PERSON:
        return _PERSON[token]
    if token.endswith(_NOT):
        return (*_compared(token.removesuffix(_NOT)), "not")
    for ending, word in _CONTRACTED.items():
        if token.endswith(ending):
            return (*_compared(token.removesuffix(ending)), word)
    is_plural = len(token) >= _PLURAL_LETTERS and token.endswith("s") and not token.endswith("ss")
    return (token[:-1] if is_plural and token.isalpha() else token,)


def _hash(words: list[str]) -> str:
    return hashlib.sha256(" ".join(words).encode("utf-8", "replace")).hexdigest()
