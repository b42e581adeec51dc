"""Format one memory of a list: its text, then one line of facts."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from signet import clock, ids
from signet.cli import output
from signet.cli.output import Ink

#: Lines of a memory in a list on a terminal.
CONTENT_LINES = 3
#: Characters of an ID to show. IDs are time-ordered; this many distinguish memories of the same millisecond.
ID_CHARS = 18


@dataclass(frozen=True, slots=True, kw_only=True)
class ListEntry:
    """One memory of a list; `score` from 0 to 1 for search results, `facts` for the second line.

    The day shown is that of its event, if there is one.
    """

    id: str
    content: str
    created_at: str
    event_at: str | None = None
    score: float | None = None
    pinned: bool = False
    tags: str | Sequence[str] | None = None
    facts: tuple[str, ...] = ()


def lines(entry: ListEntry, ink: Ink, *, full: bool = False) -> Iterator[str]:
    """Yield the lines of one memory, wrapped to the terminal and truncated unless `full`.

    Off a terminal all lines of the content are shown, unchanged.
    """
    saved = clock.local_day(entry.created_at)
    date = clock.local_day(entry.event_at) or saved
    score = "" if entry.score is None else f"[{entry.score * 100:.0f}%]"
    star = "★" if entry.pinned else ""
    head = [ink.dim(date), ink.good(score), ink.warn(star)]
    indent = sum(len(part) + 1 for part in (date, score, star) if part)
    text = output.paragraphs(entry.content, indent)
    if len(text) > CONTENT_LINES and not full and output.is_live(sys.stdout):
        # Leave space for the truncation mark.
        room = output.width() - indent - 2
        text = text[: CONTENT_LINES - 1] + output.wrapped(text[CONTENT_LINES - 1], room)[:1]
        text[-1] += " …"
    tags = f"[{tags_text(entry.tags)}]" if entry.tags else ""
    if (
        tags
        and output.is_live(sys.stdout)
        and indent + output.cells(text[-1] + tags) >= output.width()
    ):
        text.append(ink.dim(tags))
    elif tags:
        text[-1] += f" {ink.dim(tags)}"
    yield " ".join([*filter(None, head), text[0]])
    for line in text[1:]:
        yield (" " * indent + line).rstrip()
    facts = " · ".join(
        [*([f"saved {saved}"] if saved != date else []), *entry.facts, ids.short(entry.id)]
    )
    for line in output.wrapped(facts, output.width() - 2):
        yield ink.dim(f"  {line}")


def tags_text(tags: str | Sequence[str]) -> str:
    """Return tags separated by commas, from a list or a text."""
    return output.plain(tags if isinstance(tags, str) else ",".join(tags))
