"""Extract the topic of a user's prompt, and word the injected lines. Pure."""

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
from signet.text import controls, patterns

MOST_TERMS = 12
READ_CHARS = 20_000
MOST_ITEMS = 5
ITEM_CHARS = 160
#: A table, a configuration or a piece of code is useless in part.
LINES_CHARS = 400
LEAST_TERM = 3
#: Share of a memory's words in a text above which the text already contains the memory.
SAID_SHARE = 0.8
#: Below this importance a memory is injected only on request (HK-53).
LEAST_IMPORTANCE = 0.3

#: The wrapper that chat gateways put around a message: a heading that marks the rest as untrusted, and its JSON object.
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
#: A word, also followed by a version, and a version alone: `python3.11`, `v3.4.0`.
_WORD = re.compile(r"(?<!\d)v?\d+(?:\.\d+)+|[^\W\d_][\w']*(?:\.\d+)*")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass(frozen=True, slots=True)
class PromptLine:
    """A memory as a line of the injected block."""

    id: str
    line: str


def cleaned(raw: str) -> str:
    """Return a person's message, without wrappers of chat gateways and harnesses."""
    text = _EXTERNAL.sub(" ", records.without_injected(raw))
    while (header := _HEADER.search(text)) is not None:
        end = _end_of_json(text, header.end())
        block = _FENCE.match(text, end)
        text = f"{text[: header.start()]}\n{text[block.end() if block else end :]}"
    return _MENTION.sub(" ", text).strip()


def terms(message: str, assistant: str = "") -> list[str]:
    """Return search words from the message, and as many from the previous answer (HK-50)."""
    own = _terms(message)[:MOST_TERMS]
    more = [one for one in _terms(assistant) if one not in own]
    return [*own, *more[: max(2, len(own))]][:MOST_TERMS]


def compact(content: str, asked: Sequence[str]) -> str:
    """Return a short memory whole, else its sentence with most of the query words (HK-54)."""
    line = one_line(content)
    if len(line) <= ITEM_CHARS or ("\n" in content and len(content) <= LINES_CHARS):
        return content
    sentences = [found for one in _SENTENCE.split(content) if (found := one_line(one))]
    best = max(sentences, key=lambda one: sum(term in one.lower() for term in asked), default=line)
    return best if len(best) <= ITEM_CHARS else f"{best[: ITEM_CHARS - 3].rstrip()}..."


def selected(
    items: Iterable[PromptLine], *, chars: int, most: int = MOST_ITEMS
) -> list[PromptLine]:
    """Return the lines that fit, best first; skips one that does not fit."""
    taken: list[PromptLine] = []
    for item in items:
        if len(taken) == most:
            break
        if len(item.line) + 1 <= chars:
            chars -= len(item.line) + 1
            taken.append(item)
    return taken


#: Words that do not change the meaning of a repeated message.
_IDLE = frozenset("user assistant done ok okay noted sure finished it i".split())


def words(text: str) -> frozenset[str]:
    """Return the content words of a text, for comparison."""
    found = _terms(text)
    return frozenset(found if text.isascii() else script.cut_all(found))


def every_word(text: str) -> frozenset[str]:
    """Return all words and numbers of a text, without speaker names and mere acknowledgements."""
    return frozenset(fts.words(text)) - _IDLE


def is_said(content: str, said: Collection[str]) -> bool:
    """Return whether nearly all words of a memory are among these."""
    own = words(content)
    return bool(own) and len(own.intersection(said)) >= SAID_SHARE * len(own)


def status(count: int, engine: str) -> str:
    """Return the line above the results (HK-56), without the query, which is the prompt itself."""
    return f"[signet:recall | results={count} | engine={engine}]"


def feedback(session_key: str, memory_ids: Sequence[str]) -> str:
    """Return the line that lets an agent rate the memories (HK-57); the tool memory_feedback explains how."""
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
    """Return the end of the JSON value that begins here; the end of its line if it is broken."""
    import json

    try:
        return json.JSONDecoder().raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        end = text.find("\n", start)
        return len(text) if end < 0 else end


#: Signs that look like structure are removed from names that others chose (HK-35).
_STRUCTURE = re.compile(r"[\r\n*#\[\]<>`]+")
#: From this age on, days are not counted.
OLD_DAYS = 7


def today(local: datetime) -> str:
    """Return the line with the date, without the time: it stays the same all day, so that prompt caches work."""
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
    """Return the day a memory was saved, preceded by the day of its event if different."""
    if not event_at or clock.local_day(event_at) == clock.local_day(saved_at):
        return day(saved_at)
    return f"happened {day(event_at)}, saved {day(saved_at)}"


def ago(instant: datetime, now: datetime) -> str:
    """Return the age of a day as `today`, `yesterday`, `3 days ago`, `7+ days ago`, in the zone of `now`."""
    days = (now.date() - instant.astimezone(now.tzinfo).date()).days
    if days >= OLD_DAYS:
        return f"{OLD_DAYS}+ days ago"
    return f"{days} days ago" if days > 1 else "yesterday" if days == 1 else "today"


def comparable(*texts: str) -> str:
    """Join texts for substring comparison, ignoring line breaks and case."""
    return "\n".join(one_line(text).lower() for text in texts)


def plain(text: str) -> str:
    """Return a name without hidden characters and signs that look like structure."""
    return _STRUCTURE.sub("", controls.clean(text)).strip()


def one_line(text: str) -> str:
    return " ".join(text.split())


def cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most].rstrip()}\n[truncated]"


#: The suffix of a single turn's name, behind the name of its source (`recall/turns.py`).
_TURN = re.compile(r"#\d+\.\d+$")

#: Marks in a session's record that the block was explained to it.
EXPLAINED = "explained"


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptQuery:
    """A request for context. `key` is the session, `given` the items that it has received.

    `chars` limits the whole block, `line_chars` the memories shown as lines.
    """

    agent_id: str
    message: str
    terms: Sequence[str]
    chars: int
    line_chars: int
    key: str | None = None
    #: Where the session works; None for a program that asks about every project.
    here: Here | None = None
    given: Collection[str] = ()
    #: The only project allowed, and the scope of memories.
    only: str | None = None
    scope: str | None = None
    #: The number of memories shown as lines, the score that the best of them needs (None: the setting for prompts), and
    #: whether they are shown whole.
    limit: int = MOST_ITEMS
    min_score: float | None = None
    is_whole: bool = False
    #: Answer as of this time; None for now.
    as_of: datetime | None = None
    #: Inject only rules, so that the session can be compared with others.
    is_held_out: bool = False

    @property
    def is_first(self) -> bool:
        """Return whether the session has received no earlier work yet."""
        return is_first_context(self.given)

    @property
    def explains(self) -> bool:
        """Return whether to explain the block: not explained yet, and the explanation takes at most half of the budget.

        Without a budget for earlier work, that of memories counts.
        """
        frame = len(fence.enclosed(["-"], is_first=True))
        return EXPLAINED not in self.given and (not self.chars or self.chars >= 2 * frame)

    @property
    def episodes(self) -> frozenset[str]:
        """Return the names of the sources that the session has seen parts of."""
        return frozenset(
            _TURN.sub("", one.removeprefix("episode:"))
            for one in self.given
            if one.startswith("episode:")
        )

    def knows(self, match: Match) -> bool:
        """Return whether the session received the whole source, or the chunk that matches the message."""
        whole = f"episode:{match.source.name}"
        here = match.source.part(match.position, 0).removesuffix("0")
        return whole in self.given or any(one.startswith(here) for one in self.given)

    @property
    def project(self) -> str | None:
        """Return the project that earlier work must belong to: empty for no project, None for any."""
        return self.only or (self.here.project if self.here else None)

    def reader(self, tx: ReadTx) -> Reader:
        return agents.reader(tx, self.agent_id, scope=self.scope, here=self.here)


def is_first_context(given: Collection[str]) -> bool:
    """Return whether a session has received no episodes yet."""
    return not any(one.startswith("episode:") for one in given)


def is_only_mask(text: str) -> bool:
    """Return whether a text states nothing but a mask: `my password is [masked: password]`."""
    return "[masked: " in text and _ONLY_MASK.fullmatch(text.strip()) is not None


#: Up to eight words, and a mask as their last one, or as their first one: `… is the database password`.
_ONLY_MASK = patterns.lazy(
    r"(?:[^\s\[]{1,40} ){0,8}?(?:[^\s\[]{0,40}\[masked: [^\[\]\n]{1,40}\][^\w\s]{0,4} ?){1,4}"
    r"|[\W_]{0,4}\[masked: [^\[\]\n]{1,40}\][^\w\s]{0,4}(?: [^\s\[]{1,40}){1,8}"
)
