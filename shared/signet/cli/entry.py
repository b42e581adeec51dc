"""Format one memory of a list: its text, then one line of facts."""

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from signet import clock, ids
from signet.cli import output
from signet.cli.output import Ink
from signet.text import patterns

#: Lines of a memory in a list on a terminal.
CONTENT_LINES = 3
#: Characters of an ID to show. IDs are time-ordered; this many distinguish memories of the same millisecond.
ID_CHARS = 18


#: Colours of scores: from this share on an answer is likely, and below the second one it is unlikely.
LIKELY, UNLIKELY = 0.7, 0.4
_SPEAKER = patterns.lazy(r"^(?:… )?(?:User|Assistant):")


class ListEntry(NamedTuple):
    """One memory or passage of a list; `score` from 0 to 1 for search results, `facts` for the last line.

    The day shown is that of its event, if there is one. `highlights` are [start, end) places in `content`. A passage
    has the `title` of its session, and is shown in twice as many lines.
    """

    id: str
    content: str
    created_at: str
    event_at: str | None = None
    score: float | None = None
    pinned: bool = False
    tags: str | Sequence[str] | None = None
    facts: tuple[str, ...] = ()
    highlights: Sequence[Sequence[int]] = ()
    title: str | None = None


def lines(entry: ListEntry, ink: Ink, *, full: bool = False) -> Iterator[str]:
    """Yield the lines of one memory, wrapped to the terminal and cut around its highlights unless `full`.

    Off a terminal all lines of the content are shown, unchanged.
    """
    saved = clock.local_day(entry.created_at)
    date = clock.local_day(entry.event_at) or saved
    score = "" if entry.score is None else f"[{entry.score * 100:.0f}%]"
    star = "★" if entry.pinned else ""
    head = [ink.dim(date), _colour(entry.score, ink)(score), ink.warn(star)]
    indent = sum(len(part) + 1 for part in (date, score, star) if part)
    content = output.with_marks(entry.content, entry.highlights) if ink.on else entry.content
    if entry.title:
        content = content.removeprefix("[…]\n")
    text = output.paragraphs(content, indent)
    if not full and output.is_live(sys.stdout):
        text = _around(text, CONTENT_LINES * (2 if entry.title else 1), output.width() - indent - 4)
    text = [_SPEAKER.sub(lambda who: ink.name(who[0]), line) for line in ink.marked(text)]
    if entry.title:
        text.insert(0, ink.bold(output.short(entry.title, output.width() - indent)))
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


def _colour(score: float | None, ink: Ink) -> Callable[[str], str]:
    likely = score is None or score >= LIKELY
    return ink.good if likely else ink.warn if score and score >= UNLIKELY else ink.dim


def _around(text: list[str], most: int, room: int) -> list[str]:
    """Return the lines with most highlights, with a mark where others are left out."""
    if len(text) <= most:
        return text
    marks = [line.count(output.MARKS[0]) for line in text]
    first = max(range(len(text) - most + 1), key=lambda at: (sum(marks[at : at + most]), -at))
    kept = text[first : first + most]
    if first:
        kept[0] = f"… {output.wrapped(kept[0], room)[0]}"
    if first + most < len(text):
        kept[-1] = f"{output.wrapped(kept[-1], room)[0]} …"
    return kept


def tags_text(tags: str | Sequence[str]) -> str:
    """Return tags separated by commas, from a list or a text."""
    return output.plain(tags if isinstance(tags, str) else ",".join(tags))
