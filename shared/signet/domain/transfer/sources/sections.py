"""Markdown as sections of plain text, cut into pieces that can each be a memory. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from signet.domain.memory import chunks, prefixes

#: A piece is shorter than what `remember` would cut itself, because its own cuts do not know headings.
PIECE_CHARS = 600

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
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
    trail: tuple[str, ...]
    lines: list[str]


def pieces(text: str, *, first_line: int = 1) -> Iterator[Piece]:
    """Yield the pieces of a file in order; a heading without text under it yields none."""
    for section in _sections(_without_comments(text), first_line):
        heading = section.trail[-1] if section.trail else ""
        lead = f"{heading} " if heading.endswith((".", "!", "?", ":")) else f"{heading}. "
        for packed in _packed(_blocks(section.lines)):
            content = lead + packed if heading else packed
            # A heading `Critical: frost` is no wish to pin.
            is_plain = prefixes.parse(content).content == content
            yield Piece(
                line=section.line,
                section=_TRAIL.join(section.trail),
                content=content if is_plain else f"· {content}",
            )


def _sections(text: str, first_line: int) -> Iterator[_Section]:
    section = _Section(first_line, (), [])
    levels: list[tuple[int, str]] = []
    fence = ""
    for number, line in enumerate(text.splitlines(), first_line):
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
        section = _Section(number, tuple(name for _, name in levels if name), [])
    yield section


def _blocks(lines: list[str]) -> Iterator[str]:
    """Yield paragraphs, and each item of a list, as one line that ends like a sentence."""
    block: list[str] = []
    for line in [*lines, ""]:
        item = _ITEM.match(line)
        is_fence = _FENCE.match(line) is not None
        if (not line.strip() or item or is_fence) and block:
            yield _closed(" ".join(" ".join(block).split()))
            block = []
        text = "" if is_fence else (line[item.end() :] if item else line).strip()
        if text and set(text) - set("-*_= |:"):
            block.append(text)


def _closed(block: str) -> str:
    return block if block.endswith((".", "!", "?", "…", ":", ";", ",")) else f"{block}."


def _packed(blocks: Iterator[str]) -> Iterator[str]:
    """Yield blocks joined up to the length of a piece, longer ones cut where sentences end."""
    piece = ""
    for block in blocks:
        if piece and len(piece) + 1 + len(block) > PIECE_CHARS:
            yield from chunks.split(piece, PIECE_CHARS)
            piece = block
        else:
            piece = f"{piece} {block}" if piece else block
    if piece:
        yield from chunks.split(piece, PIECE_CHARS)


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
