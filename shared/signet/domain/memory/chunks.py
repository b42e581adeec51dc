"""Splitting a memory that is too long: between paragraphs, lines, sentences or words (MEM-11)."""

import re
import unicodedata
from collections.abc import Iterator

from signet.db import script

#: What parts a text, the widest first. The indentation of a line stays with the line.
_PARTS = (re.compile(r"\n(?:[^\S\n]*\n)+"), re.compile(r"\n"), re.compile(r"(?<=[.!?])\s+"))
#: Letters of flags, two for each; and how many joined characters are kept together.
_FLAGS, _MOST_JOINED = "".join(map(chr, range(0x1F1E6, 0x1F200))), 40
_BLANK = re.compile(r"\s")
#: Where a text without blanks can be cut: behind a comma or a stop, and in scripts that have no blanks.
_JOINT = re.compile(rf"[,;|&。、，；！？](?!\d)|[{script.RANGES}](?=[{script.RANGES}])")


def split(text: str, target: int) -> list[str]:
    """Return trimmed pieces of at most `target` characters, in order, verbatim.

    A sentence or a word between one and two targets long stays whole.
    """
    pieces: list[str] = []
    first = last = 0
    for start, end in _spans(text, 0, len(text), target, _PARTS):
        if last > first and end - first > target:
            pieces.append(text[first:last])
            first = start
        last = end
    pieces.append(text[first:last])
    return [trimmed for raw in pieces if (trimmed := raw.strip())]


def _spans(
    text: str, start: int, end: int, target: int, parts: tuple[re.Pattern[str], ...]
) -> Iterator[tuple[int, int]]:
    """Yield where the parts of a stretch begin and end; a part that fits is not parted again."""
    if end - start <= target or (not parts and end - start <= 2 * target):
        yield start, end
    elif not parts:
        yield from _cut(text, start, end, target)
    else:
        for gap in parts[0].finditer(text, start, end):
            yield from _spans(text, start, gap.start(), target, parts[1:])
            start = gap.end()
        yield from _spans(text, start, end, target, parts[1:])


def _cut(text: str, start: int, end: int, target: int) -> Iterator[tuple[int, int]]:
    """Yield stretches that end behind a word, else behind a comma; only a word beyond two targets is cut."""
    while end - start > target:
        at = _last(_BLANK, text, start, start + target + 1) or _last(
            _JOINT, text, start, start + target
        )
        if not at:
            found = _BLANK.search(text, start + target, min(end, start + 2 * target))
            rest = end - start <= 2 * target
            at = found.end() if found else end if rest else _whole(text, start, start + target)
        yield start, at
        start = at
    yield start, end


def _last(pattern: re.Pattern[str], text: str, start: int, end: int) -> int | None:
    """Return the end of the last match, None for none behind the first character."""
    ends = [match.end() for match in pattern.finditer(text, start + 1, end)]
    return ends[-1] if ends else None


def _whole(text: str, start: int, at: int) -> int:
    """Return the last place up to `at` that parts no letter from its marks, no emoji and no flag."""
    for place in range(at, max(start, at - _MOST_JOINED), -1):
        before = text[start:place] if text[place] in _FLAGS else ""
        is_half = (len(before) - len(before.rstrip(_FLAGS))) % 2
        if not (is_half or _is_joined(text[place]) or text[place - 1] == "\u200d"):
            return place
    return at


def _is_joined(character: str) -> bool:
    """Return whether a character belongs to the one before: a mark, a joiner, the skin of an emoji."""
    is_skin = "\U0001f3fb" <= character <= "\U0001f3ff"
    return is_skin or unicodedata.category(character) in ("Mn", "Mc", "Me", "Cf")
