"""Tokenize text with an uncased BERT model's word pieces.

Gives the IDs of the `tokenizers` package's BERT pipeline: clean, separate CJK characters, strip accents, lower-case,
separate punctuation, then the longest known piece first. Two deliberate differences: marker words (`[CLS]`, `[SEP]`,
...) in a user's text are plain text, and characters newer than that package's Unicode tables (2015) follow this
Python's tables.
"""

import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

#: The model's maximum, including both markers (sentence_bert_config.json).
MAX_TOKENS = 256
#: A longer word is one unknown piece (BERT's own limit).
MAX_WORD_CHARACTERS = 100
#: Maximum text length to read: it contains MAX_TOKENS pieces of any ordinary text many times over, and bounds the
#: cost of megabytes.
MAX_CHARACTERS = 32_768

_WHITE = frozenset({"Zs", "Zl", "Zp"})
_DROPPED = frozenset({"Cc", "Cf", "Co", "Cs"})
_ASCII_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_CJK = (
    range(0x4E00, 0xA000),
    range(0x3400, 0x4DC0),
    range(0x20000, 0x2A6E0),
    range(0x2A700, 0x2B740),
    range(0x2B740, 0x2B820),
    range(0x2B920, 0x2CEB0),
    range(0xF900, 0xFB00),
    range(0x2F800, 0x2FA20),
)


class _Cleaned(dict[int, str]):
    """Maps each character before decomposition; filled on demand."""

    def __missing__(self, code: int) -> str:
        self[code] = value = _clean(code)
        return value


class _Parted(dict[int, str]):
    """Maps each character for a cased model; filled on demand."""

    def __missing__(self, code: int) -> str:
        self[code] = value = f" {chr(code)} " if _is_punctuation(chr(code)) else chr(code)
        return value


class _Folded(dict[int, str]):
    """Maps each decomposed character; filled on demand."""

    def __missing__(self, code: int) -> str:
        self[code] = value = _fold(chr(code))
        return value


def _clean(code: int) -> str:
    character = chr(code)
    category = unicodedata.category(character)
    if character in "\t\n\r" or category in _WHITE:
        return " "
    if code == 0xFFFD or category in _DROPPED:
        return ""
    return f" {character} " if any(code in block for block in _CJK) else character


def _fold(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Mn":
        return ""
    if _is_punctuation(character):
        return f" {character} "
    return character.lower()


def _is_punctuation(character: str) -> bool:
    return character in _ASCII_PUNCTUATION or unicodedata.category(character).startswith("P")


class WordPiece:
    """The vocabulary of one model; thread-safe."""

    def __init__(
        self,
        vocabulary: Mapping[str, int],
        *,
        is_cased: bool = False,
        max_tokens: int = MAX_TOKENS,
    ) -> None:
        self._ids = vocabulary
        self._unknown = vocabulary["[UNK]"]
        self._start = vocabulary["[CLS]"]
        self._end = vocabulary["[SEP]"]
        self._cleaned = _Cleaned()
        self._folded = _Parted() if is_cased else _Folded()
        self._form: Literal["NFC", "NFD"] = "NFC" if is_cased else "NFD"
        self._max_tokens = max_tokens

    def encode(self, text: str) -> list[int]:
        """Return the IDs of one text, including markers, at most the model's maximum."""
        ids = [self._start]
        for _, pieces in self.words(text):
            ids += pieces
        return [*ids[: self._max_tokens - 1], self._end]

    def words(self, text: str) -> list[tuple[str, list[int]]]:
        """Return the words of one text with the IDs of their pieces, up to the model's maximum."""
        cleaned = text[:MAX_CHARACTERS].translate(self._cleaned)
        words = unicodedata.normalize(self._form, cleaned).translate(self._folded).split()
        found: list[tuple[str, list[int]]] = []
        count = 1
        for word in words:
            found.append((word, self._pieces(word)))
            count += len(found[-1][1])
            if count >= self._max_tokens:
                break
        return found

    def _pieces(self, word: str) -> list[int]:
        known = self._ids.get(word)
        if known is not None:
            return [known]
        if len(word) > MAX_WORD_CHARACTERS:
            return [self._unknown]
        pieces: list[int] = []
        start = 0
        while start < len(word):
            found = self._longest(word, start)
            if found is None:
                return [self._unknown]
            piece, start = found
            pieces.append(piece)
        return pieces

    def _longest(self, word: str, start: int) -> tuple[int, int] | None:
        prefix = "##" if start else ""
        for end in range(len(word), start, -1):
            piece = self._ids.get(prefix + word[start:end])
            if piece is not None:
                return piece, end
        return None


def read(path: Path) -> WordPiece:
    """Return the tokenizer of a `vocab.txt`: one piece per line, the line number is the ID.

    Raises OSError, UnicodeDecodeError, KeyError for a missing marker.
    """
    return WordPiece(vocabulary(path))


def vocabulary(path: Path) -> dict[str, int]:
    """Return the pieces of a `vocab.txt` and their IDs; raises OSError, UnicodeDecodeError."""
    pieces = path.read_text("utf-8").removesuffix("\n").split("\n")
    return {piece: number for number, piece in enumerate(pieces)}
