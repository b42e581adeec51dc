"""Cutting a long session into parts that one request can carry, where somebody begins to speak (PIP-38)."""

import re

#: A part ends at the first turn that begins after this length; one turn of `LONGEST` times that is cut.
PART_CHARS = 20_000
LONGEST = 3

#: Who speaks in what harnesses log. Where they do, `Note: …` in an answer begins no turn: what follows it would be read
#: as the user's words.
_ROLE = re.compile(r"^(?=(?:User|Human|Assistant|AI)(?: \([^)\n]*\))?:\s)", re.MULTILINE)
_TURN = re.compile(r"^(?=\S[^\n:]{0,40}: )", re.MULTILINE)


def parts(text: str, size: int = PART_CHARS) -> list[str]:
    """Return the parts of a text in order; together they are the whole text."""
    if len(text) <= size:
        return [text]
    cuts, start = [0], 0
    places = [turn.start() for turn in _ROLE.finditer(text)]
    for place in places if len(places) > 1 else [turn.start() for turn in _TURN.finditer(text)]:
        start = _cut_hard(text, cuts, start, place, LONGEST * size)
        if place - start >= size:
            cuts.append(place)
            start = place
    _cut_hard(text, cuts, start, len(text), LONGEST * size)
    pieces = (text[a:b] for a, b in zip(cuts, [*cuts[1:], len(text)], strict=True))
    return [piece for piece in pieces if piece.strip()]


def _cut_hard(text: str, cuts: list[int], start: int, place: int, most: int) -> int:
    """Cut a piece of more than `most` characters before `place`, between words; return where the last part begins."""
    while place - start > most:
        end = start + most
        between = max(text.rfind(mark, start + most // 2, end) for mark in "\n ")
        start = between + 1 if between > 0 else end
        cuts.append(start)
    return start
