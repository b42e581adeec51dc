"""Cutting a document into overlapping windows (DOC-3). Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

#: A line of Markdown that says what the lines below it are about.
_HEADING = re.compile(r"(#{1,6})[ \t]+(\S.*)")
_FENCE = ("```", "~~~")
#: A heading is cut here; six levels still leave most of a chunk to its text.
HEADING_CHARS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class _Heading:
    place: int
    level: int
    title: str


def windows(text: str, size: int, overlap: int) -> list[str]:
    """Return windows of at most `size` characters, each sharing `overlap` with the one before; blank ones left out.

    The last window ends where the text ends. The overlap is kept to half a window, so that every step gets on.
    """
    return [window for _, window in _windows(text, size, overlap)]


def sections(text: str, size: int, overlap: int) -> list[str]:
    """Return the same windows of a Markdown text, each after the headings it stands under: `Guide › Setup: …`."""
    found: list[str] = []
    path: list[_Heading] = []
    headings = _headings(text)
    ahead = next(headings, None)
    for start, window in _windows(text, size, overlap):
        first = start + len(window) - len(window.lstrip())
        while ahead and ahead.place < first:
            path = [*_above(path, ahead), ahead]
            ahead = next(headings, None)
        # What the window itself begins with need not be said twice.
        above = _above(path, ahead) if ahead and ahead.place == first else path
        titles = " › ".join(heading.title for heading in above)
        found.append(f"{titles}: {window}" if titles else window)
    return found


def _windows(text: str, size: int, overlap: int) -> Iterator[tuple[int, str]]:
    step = size - min(overlap, size // 2)
    last = max(len(text) - size, 0)
    for start in range(0, last + step, step):
        window = text[start : start + size]
        if window.strip():
            yield start, window


def _above(path: list[_Heading], heading: _Heading) -> list[_Heading]:
    """Return the headings of a path that also stand above this one."""
    return [outer for outer in path if outer.level < heading.level]


def _headings(text: str) -> Iterator[_Heading]:
    """Yield each heading outside of code."""
    place, fence = 0, ""
    for line in text.splitlines(keepends=True):
        mark = line.lstrip()[:3]
        if mark in _FENCE and fence in ("", mark):
            fence = "" if fence else mark
        elif not fence and (found := _HEADING.match(line)):
            title = found[2].rstrip().rstrip("#").rstrip()
            yield _Heading(place=place, level=len(found[1]), title=title[:HEADING_CHARS])
        place += len(line)
