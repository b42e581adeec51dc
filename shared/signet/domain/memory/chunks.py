"""Splitting a memory that is too long into pieces that end where sentences end (MEM-11)."""

import re

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def split(text: str, target: int) -> list[str]:
    """Return trimmed pieces of at most `target` characters, in order.

    A sentence between one and two targets long stays whole; a longer one is cut every `target` characters.
    """
    pieces: list[str] = []
    piece = ""
    for sentence in _SENTENCE_END.split(text.strip()):
        joined = f"{piece} {sentence}" if piece else sentence
        if len(joined) <= target:
            piece = joined
            continue
        pieces.append(piece)
        if len(sentence) > 2 * target:
            pieces.extend(sentence[i : i + target] for i in range(0, len(sentence), target))
            piece = ""
        else:
            piece = sentence
    pieces.append(piece)
    return [trimmed for raw in pieces if (trimmed := raw.strip())]
