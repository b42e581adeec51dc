"""Cutting a long session into parts that one request can carry, where somebody begins to speak (PIP-38)."""

import re

#: A part is closed at the first turn that begins behind this length, and cut hard at the second.
PART_CHARS = 20_000
MOST_CHARS = 60_000

#: Who speaks in what harnesses log. Where they do, `Note: …` in an answer begins no turn: what follows it would be read
#: as the user's words.
_ROLE = re.compile(r"^(?=(?:User|Human|Assistant|AI)(?: \([^)\n]*\))?:\s)", re.MULTILINE)
_TURN = re.compile(r"^(?=\S[^\n:]{0,40}: )", re.MULTILINE)


def parts(text: str) -> list[str]:
    """Return the parts of a text in order; together they are the whole text."""
    if len(text) <= PART_CHARS:
        return [text]
    cuts, start = [0], 0
    places = [turn.start() for turn in _ROLE.finditer(text)]
    for place in places if len(places) > 1 else [turn.start() for turn in _TURN.finditer(text)]:
        start = _cut_hard(cuts, start, place)
        if place - start >= PART_CHARS:
            cuts.append(place)
            start = place
    _cut_hard(cuts, start, len(text))
    pieces = (text[a:b] for a, b in zip(cuts, [*cuts[1:], len(text)], strict=True))
    return [piece for piece in pieces if piece.strip()]


def _cut_hard(cuts: list[int], start: int, place: int) -> int:
    """Cut what is too long before `place`; return where the last part begins."""
    while place - start > MOST_CHARS:
        start += MOST_CHARS
        cuts.append(start)
    return start
