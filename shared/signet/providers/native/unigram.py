"""Tokenize text with a Unigram vocabulary, as used by multilingual models (XLM-RoBERTa, E5).

Gives the IDs of the `tokenizers` library's pipeline for them: NFKC, spaces as `▁` before each word, then the most
likely segmentation. Text outside the vocabulary is one unknown piece.

The vocabulary is a memory-mapped file that `write` makes when a model is added. With the 250,000 pieces of E5 the
`tokenizers` library takes 280 MB in each process and 1.3 s per load, `sentencepiece` 35 MB and 0.8 s: longer than a
question waits for its vector (decision 56).
"""

import mmap
import struct
import unicodedata
import zlib
from array import array
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from pathlib import Path

from signet.files import replace_file

#: The vocabulary file in a model's folder.
FILE = "unigram.bin"
#: Penalty of a character outside the vocabulary, relative to the least likely piece (SentencePiece's value).
_UNKNOWN_PENALTY = 10.0
_SPACE = "▁"
#: Maximum text length to read: it contains any model's tokens many times over, and bounds the cost of megabytes.
MAX_CHARACTERS = 32_768
_DROPPED = frozenset({"Cc", "Cf", "Cs"})
#: Words whose pieces are remembered, under 1 MB.
_REMEMBERED = 4_096
_MAGIC = b"SIGNETU1"
#: Pieces, slots, the longest piece in characters, the ids of unknown, start and end, the lowest score.
_HEAD = struct.Struct("<8s6If")


def write(
    path: Path, vocabulary: Sequence[tuple[str, float]], *, unknown: int, start: int, end: int
) -> None:
    """Write a vocabulary as a hash table (linear probing by zlib.crc32): slots, checksums, offsets, scores, pieces."""
    pieces = [piece.encode("utf-8", "surrogatepass") for piece, _ in vocabulary]
    count = 1 << (2 * len(pieces)).bit_length()
    slots, hashes, offsets = array("I", bytes(4 * count)), array("I"), array("I", [0])
    for number, piece in enumerate(pieces):
        hashes.append(zlib.crc32(piece))
        offsets.append(offsets[-1] + len(piece))
        slot = hashes[-1] & count - 1
        while slots[slot]:
            slot = slot + 1 & count - 1
        slots[slot] = number + 1
    scores = array("f", (score for _, score in vocabulary))
    longest = max((len(piece) for piece, _ in vocabulary), default=1)
    least = min(scores, default=0.0)
    head = _HEAD.pack(_MAGIC, len(pieces), count, longest, unknown, start, end, least)
    parts = (slots, hashes, offsets, scores)
    replace_file(path, b"".join([head, *(part.tobytes() for part in parts), *pieces]))


class Unigram:
    """The vocabulary of one model; thread-safe."""

    def __init__(self, path: Path, *, max_tokens: int) -> None:
        """Raises OSError, and ValueError for an invalid file."""
        with path.open("rb") as file:
            whole = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        try:
            magic, pieces, count, self._longest, *markers, least = _HEAD.unpack_from(whole)
        except struct.error as error:
            raise ValueError(f"{path.name} is cut off") from error
        if magic != _MAGIC:
            raise ValueError(f"{path.name} is no vocabulary")
        self._unknown, self._start, self._end = markers
        self._unknown_score = least - _UNKNOWN_PENALTY
        self._mask = count - 1
        ends = list(accumulate((count, pieces, pieces + 1, pieces), initial=_HEAD.size // 4))
        slots, hashes, offsets, scores = (
            whole[4 * begin : 4 * end] for begin, end in pairwise(ends)
        )
        self._slots, self._hashes = slots.cast("I"), hashes.cast("I")
        self._offsets, self._scores = offsets.cast("I"), scores.cast("f")
        self._text = whole[4 * ends[-1] :]
        self._max_tokens = max_tokens
        self._pieces = lru_cache(_REMEMBERED)(self._cut)

    def encode(self, text: str) -> list[int]:
        """Return the IDs of one text, including markers, at most the model's maximum."""
        plain = unicodedata.normalize("NFKC", text[:MAX_CHARACTERS])
        clean = "".join(
            sign for sign in plain if sign.isspace() or unicodedata.category(sign) not in _DROPPED
        )
        ids = [self._start]
        for word in clean.split():
            ids += self._pieces(_SPACE + word)
            if len(ids) >= self._max_tokens:
                break
        return [*ids[: self._max_tokens - 1], self._end]

    def _number(self, piece: str) -> int | None:
        raw = piece.encode()
        wanted = zlib.crc32(raw)
        slot = wanted & self._mask
        while found := self._slots[slot]:
            number = found - 1
            if (
                self._hashes[number] == wanted
                and self._text[self._offsets[number] : self._offsets[found]] == raw
            ):
                return number if number != self._unknown else None
            slot = slot + 1 & self._mask
        return None

    def _cut(self, word: str) -> tuple[int, ...]:
        """Return the most likely segmentation of one word (Viterbi)."""
        best: list[tuple[float, int, int]] = [(0.0, 0, -1)]  # score, start of the piece, its ID
        for end in range(1, len(word) + 1):
            found = (best[end - 1][0] + self._unknown_score, end - 1, self._unknown)
            for begin in range(max(0, end - self._longest), end):
                number = self._number(word[begin:end])
                if number is not None:
                    score = best[begin][0] + self._scores[number]
                    if score > found[0]:
                        found = (score, begin, number)
            best.append(found)
        ids: list[int] = []
        end = len(word)
        while end:
            _, begin, number = best[end]
            if number != self._unknown or not ids or ids[-1] != self._unknown:
                ids.append(number)
            end = begin
        return tuple(reversed(ids))
