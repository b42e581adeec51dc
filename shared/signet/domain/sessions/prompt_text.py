"""What a person's prompt is about, and how what it brings to mind is told. Pure."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from signet import clock, ids
from signet.db import ReadTx, fts, script
from signet.db.visibility import Here, Reader
from signet.domain.agents import registry as agents
from signet.domain.episodes import fence
from signet.domain.episodes.models import Match
from signet.domain.transcripts import records
from signet.text import controls

MOST_TERMS = 12
READ_CHARS = 20_000
MOST_ITEMS = 5
ITEM_CHARS = 160
#: A table, a configuration or a piece of code means nothing in part.
LINES_CHARS = 400
LEAST_TERM = 3
#: Share of a memory's words that stand in a text which says it already.
SAID_SHARE = 0.8
#: Below this a memory does not matter enough to come unasked (HK-53).
LEAST_IMPORTANCE = 0.3

#: What chat gateways put around a message: a heading that marks what follows as not trusted, and its JSON object.
_HEADER = re.compile(
    r"^[^\n{}]{0,40}(?:conversation info|sender|chat history since last reply|untrusted context)[^\n{}]{0,80}:[ \t]*\n+"
    r"(?:```\w*\s*)?(?=[{\[])",
    re.IGNORECASE | re.MULTILINE,
)
_EXTERNAL = re.compile(
    r"<<<EXTERNAL_UNTRUSTED_CONTENT.*?(?:<<<END_EXTERNAL_UNTRUSTED_CONTENT[^>\n]*>>>|\Z)", re.DOTALL
)
_MENTION = re.compile(r"<[@#][!&]?\d+>")
_FENCE = re.compile(r"\s*```[ \t]*\n?")
_HYPHENED = re.compile(r"(?<![\w-])[^\W_]\w*(?:-\w+)+(?![\w-])")
#: A word, also with a version behind it, and a version alone: `python3.11`, `v3.4.0`.
_WORD = re.compile(r"(?<!\d)v?\d+(?:\.\d+)+|[^\W\d_][\w']*(?:\.\d+)*")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass(frozen=True, slots=True)
class PromptLine:
    """One memory that a prompt brings to mind, as it is told."""

    id: str
    line: str


def cleaned(raw: str) -> str:
    """Return what a person wrote, without what chat gateways and harnesses put around it."""
    text = _EXTERNAL.sub(" ", records.without_injected(raw))
    while (header := _HEADER.search(text)) is not None:
        end = _end_of_json(text, header.end())
        block = _FENCE.match(text, end)
        text = f"{text[: header.start()]}\n{text[block.end() if block else end :]}"
    return _MENTION.sub(" ", text).strip()


def terms(message: str, assistant: str = "") -> list[str]:
    """Return what to look for: words of the message, and of the answer before it as many again (HK-50)."""
    own = _terms(message)[:MOST_TERMS]
    more = [one for one in _terms(assistant) if one not in own]
    return [*own, *more[: max(2, len(own))]][:MOST_TERMS]


def compact(content: str, asked: Sequence[str]) -> str:
    """Return a short memory whole, else its sentence with most of the asked words (HK-54)."""
    line = one_line(content)
    if len(line) <= ITEM_CHARS or ("\n" in content and len(content) <= LINES_CHARS):
        return content
    sentences = [found for one in _SENTENCE.split(content) if (found := one_line(one))]
    best = max(sentences, key=lambda one: sum(term in one.lower() for term in asked), default=line)
    return best if len(best) <= ITEM_CHARS else f"{best[: ITEM_CHARS - 3].rstrip()}..."


def selected(
    items: Iterable[PromptLine], *, chars: int, most: int = MOST_ITEMS
) -> list[PromptLine]:
    """Return those that fit, best first; one that does not fit is skipped."""
    taken: list[PromptLine] = []
    for item in items:
        if len(taken) == most:
            break
        if len(item.line) + 1 <= chars:
            chars -= len(item.line) + 1
            taken.append(item)
    return taken


#: Words that add nothing to a message that was repeated.
_IDLE = frozenset("user assistant done ok okay noted sure finished it i".split())


def words(text: str) -> frozenset[str]:
    """Return the words of a text by which it is seen what it says."""
    found = _terms(text)
    return frozenset(found if text.isascii() else script.cut_all(found))


def every_word(text: str) -> frozenset[str]:
    """Return all words and numbers of a text, without names of speakers and what only acknowledges."""
    return frozenset(fts.words(text)) - _IDLE


def is_said(content: str, said: Collection[str]) -> bool:
    """Return whether nearly all words of a memory are among these."""
    own = words(content)
    return bool(own) and len(own.intersection(said)) >= SAID_SHARE * len(own)


def status(count: int, engine: str) -> str:
    """Return the line above what recall has found (HK-56), without the query, which is the prompt itself."""
    return f"[signet:recall | results={count} | engine={engine}]"


def feedback(session_key: str, memory_ids: Sequence[str]) -> str:
    """Return the line that lets an agent rate what was told (HK-57); the tool memory_feedback says how."""
    rated = ",".join(map(ids.short, memory_ids))
    return f"\n<memory-feedback>session_key={session_key} ids={rated}</memory-feedback>"


def _terms(text: str) -> list[str]:
    text = text[:READ_CHARS].lower()
    names = _HYPHENED.findall(text)
    words = [found.strip("'") for found in _WORD.findall(_HYPHENED.sub(" ", text))]
    kept = [
        one
        for one in words
        if (len(one) >= LEAST_TERM or script.has_runs(one))
        and one not in fts.STOP_WORDS
        and one.partition("'")[0] not in fts.STOP_WORDS
    ]
    return list(dict.fromkeys([*names, *kept]))


def _end_of_json(text: str, start: int) -> int:
    """Return where the JSON value that begins here ends; the end of its line when it is broken."""
    import json

    try:
        return json.JSONDecoder().raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        end = text.find("\n", start)
        return len(text) if end < 0 else end


#: What a reader could take for structure is taken out of names that others chose (HK-35).
_STRUCTURE = re.compile(r"[\r\n*#\[\]<>`]+")
#: From this age on, days are not counted.
OLD_DAYS = 7


def today(local: datetime) -> str:
    """Return the line with the date, without the time: the same all day, so that prompt caches hold."""
    zone = f" ({local.tzname()})" if local.tzname() else ""
    return f"Today is {local:%A, %B} {local.day}, {local.year}{zone}."


def day(stored: str) -> str:
    """Return the local day of a stored instant as `May 1, 2026`, else the text itself."""
    found = clock.parsed(stored)
    if found is None:
        return stored[:10]
    here = clock.local(found)
    return f"{here:%b} {here.day}, {here.year}"


def days(saved_at: str, event_at: str | None) -> str:
    """Return the day on which a memory was saved, behind that of its event if it is another."""
    if not event_at or clock.local_day(event_at) == clock.local_day(saved_at):
        return day(saved_at)
    return f"happened {day(event_at)}, saved {day(saved_at)}"


def ago(instant: datetime, now: datetime) -> str:
    """Return how long ago a day was as `today`, `yesterday`, `3 days ago`, `7+ days ago`, in the zone of `now`."""
    days = (now.date() - instant.astimezone(now.tzinfo).date()).days
    if days >= OLD_DAYS:
        return f"{OLD_DAYS}+ days ago"
    return f"{days} days ago" if days > 1 else "yesterday" if days == 1 else "today"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural for all but one: `1 memory`, `2 memories`."""
    several = f"{noun.removesuffix('y')}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {noun if number == 1 else several}"


def comparable(*texts: str) -> str:
    """Return texts as one in which another, made comparable too, stands whatever its line breaks and capitals."""
    return "\n".join(one_line(text).lower() for text in texts)


def plain(text: str) -> str:
    """Return a name without anything that is hidden or could be read as structure."""
    return _STRUCTURE.sub("", controls.clean(text)).strip()


def one_line(text: str) -> str:
    """Return a text in one line."""
    return " ".join(text.split())


def cut(text: str, most: int) -> str:
    """Return a text with what goes beyond its budget cut off, which is said."""
    return text if len(text) <= most else f"{text[:most].rstrip()}\n[truncated]"


#: What the name of a single turn has behind that of its source (`recall/turns.py`).
_TURN = re.compile(r"#\d+\.\d+$")

#: By this a session knows that it was told what the block is.
EXPLAINED = "explained"


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptQuery:
    """Who asks for the context of what. `given` is what its session was given before; `key` is that session.

    `chars` bounds the whole block, `line_chars` the memories in it that are told in a line each.
    """

    agent_id: str
    message: str
    terms: Sequence[str]
    chars: int
    line_chars: int
    key: str | None = None
    #: Where the session works; None for a program that asks for every project.
    here: Here | None = None
    given: Collection[str] = ()
    #: A project that everything must be of, and the scope of memories.
    only: str | None = None
    scope: str | None = None
    #: Most memories in lines of their own, the score that the best of them must have (None: as set for prompts), and
    #: whether they are told whole.
    limit: int = MOST_ITEMS
    min_score: float | None = None
    is_whole: bool = False
    #: The memories of that time; None for those of now.
    as_of: datetime | None = None
    #: Nothing but rules is told, so that the session can be compared with others.
    is_held_out: bool = False

    @property
    def is_first(self) -> bool:
        """Return whether the session was given no earlier work yet."""
        return is_first_context(self.given)

    @property
    def explains(self) -> bool:
        """Return whether the session was not told yet what the block is, and saying it takes at most half of the room.

        Without room for earlier work memories have their own.
        """
        frame = len(fence.enclosed(["-"], is_first=True))
        return EXPLAINED not in self.given and (not self.chars or self.chars >= 2 * frame)

    @property
    def episodes(self) -> frozenset[str]:
        """Return the names of the sources of which the session was told something."""
        return frozenset(
            _TURN.sub("", one.removeprefix("episode:"))
            for one in self.given
            if one.startswith("episode:")
        )

    def knows(self, match: Match) -> bool:
        """Return whether the session was told the whole source, or of the chunk that the message is about."""
        whole = f"episode:{match.source.name}"
        here = match.source.part(match.position, 0).removesuffix("0")
        return whole in self.given or any(one.startswith(here) for one in self.given)

    @property
    def project(self) -> str | None:
        """Return the project that earlier work must be of, empty for work outside of one, None for any."""
        return self.only or (self.here.project if self.here else None)

    def reader(self, tx: ReadTx) -> Reader:
        """Return who reads for the question."""
        return agents.reader(tx, self.agent_id, scope=self.scope, here=self.here)


def is_first_context(given: Collection[str]) -> bool:
    """Return whether a session was given no episodes yet."""
    return not any(one.startswith("episode:") for one in given)
