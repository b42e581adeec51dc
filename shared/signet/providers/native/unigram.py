"""Cut text into the pieces of a Unigram vocabulary, as multilingual models (XLM-RoBERTa, E5) were trained on. Pure.

Gives the ids of the `tokenizers` package's pipeline for them: NFKC, spaces as `▁` in front of each word, then the
cutting whose pieces are likeliest together. What no piece covers is one unknown piece.
"""

import unicodedata
from collections.abc import Sequence

from signet.providers.native.wordpiece import MAX_CHARACTERS

#: How much less likely than the least likely piece a character is that no piece covers (SentencePiece's own).
_UNKNOWN_PENALTY = 10.0
_SPACE = "▁"
_DROPPED = frozenset({"Cc", "Cf", "Cs"})


class Unigram:
    """The vocabulary of one model; may be used by several threads at once."""

    def __init__(
        self,
        vocabulary: Sequence[tuple[str, float]],
        *,
        unknown: int,
        start: int,
        end: int,
        max_tokens: int,
    ) -> None:
        self._ids = {piece: number for number, (piece, _) in enumerate(vocabulary)}
        self._scores = [score for _, score in vocabulary]
        self._longest = max(map(len, self._ids), default=1)
        self._unknown, self._start, self._end = unknown, start, end
        self._unknown_score = min(self._scores, default=0.0) - _UNKNOWN_PENALTY
        self._max_tokens = max_tokens

    def encode(self, text: str) -> list[int]:
        """Return the ids of one text, markers included, at most so many as the model reads."""
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

    def _pieces(self, word: str) -> list[int]:
        """Return the likeliest cutting of one word (Viterbi)."""
        best: list[tuple[float, int, int]] = [(0.0, 0, -1)]  # score, where the piece begins, its id
        for end in range(1, len(word) + 1):
            found = (best[end - 1][0] + self._unknown_score, end - 1, self._unknown)
            for begin in range(max(0, end - self._longest), end):
                number = self._ids.get(word[begin:end])
                if number is not None and number != self._unknown:
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
        return ids[::-1]
