"""Markdown as sections, cut verbatim into pieces that can each be a memory. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from signet.domain.memory import chunks

#: A piece is shorter than what `remember` would cut itself, because its own cuts do not know headings.
PIECE_CHARS = 600

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_COMMENT, _COMMENT_END = "<!--", "-->"
_TRAIL = " › "


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A text of a section: the line where the section starts, the headings above it, its heading put in front."""

    line: int
    section: str
    content: str


@dataclass(slots=True)
class _Section:
    line: int
    heading: str
    trail: tuple[str, ...]
    lines: list[str]


def pieces(text: str, *, first_line: int = 1) -> Iterator[Piece]:
    """Yield the pieces of a file in order; a heading without text under it yields none."""
    for section in _sections(_without_comments(text), first_line):
        for piece in chunks.split("\n".join(section.lines), PIECE_CHARS):
            if any(map(str.isalnum, piece)):
                yield Piece(
                    line=section.line,
                    section=_TRAIL.join(section.trail),
                    content=f"{section.heading}\n\n{piece}" if section.heading else piece,
                )


def _sections(text: str, first_line: int) -> Iterator[_Section]:
    section = _Section(first_line, "", (), [])
    levels: list[tuple[int, str]] = []
    fence = ""
    for number, line in enumerate(text.split("\n"), first_line):
        mark = _FENCE.match(line)
        if mark and (not fence or line.strip().startswith(fence)):
            fence = "" if fence else mark[1]
        heading = None if fence else _HEADING.fullmatch(line)
        if heading is None:
            section.lines.append(line)
            continue
        yield section
        level = len(heading[1])
        levels = [one for one in levels if one[0] < level] + [(level, _title(heading[2]))]
        trail = tuple(name for _, name in levels if name)
        section = _Section(number, line.strip() if levels[-1][1] else "", trail, [])
    yield section


def _title(text: str) -> str:
    """Return a heading without the marks that may close it (`## Title ##`)."""
    title = text.strip(" \t")
    bare = title.rstrip("#")
    return bare.rstrip(" \t") if bare.endswith((" ", "\t")) or not bare else title


def _without_comments(text: str) -> str:
    """Return the text without comments, whose line breaks stay so that lines keep their numbers."""
    parts, at = [], 0
    while (start := text.find(_COMMENT, at)) >= 0:
        end = text.find(_COMMENT_END, start)
        if end < 0:
            break
        parts += [text[at:start], "\n" * text.count("\n", start, end)]
        at = end + len(_COMMENT_END)
    return "".join(parts) + text[at:]
