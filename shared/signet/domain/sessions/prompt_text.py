"""What a person's prompt is about, and how what it brings to mind is told. Pure."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from signet import ids
from signet.db import fts, script
from signet.domain.sessions import wording
from signet.domain.transcripts import records

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
class Item:
    """One memory that a prompt brings to mind, as it is told."""

    id: str
    line: str


def cleaned(raw: str) -> str:
    """Return what a person wrote, without what chat gateways and harnesses put around it."""
    text = _EXTERNAL.sub(" ", records.without_injected(raw))
    while (header := _HEADER.search(text)) is not None:
        end = _end_of_json(text, header.end())
        fence = _FENCE.match(text, end)
        text = f"{text[: header.start()]}\n{text[fence.end() if fence else end :]}"
    return _MENTION.sub(" ", text).strip()


def terms(message: str, assistant: str = "") -> list[str]:
    """Return what to look for: words of the message, and of the answer before it as many again (HK-50)."""
    own = _terms(message)[:MOST_TERMS]
    more = [one for one in _terms(assistant) if one not in own]
    return [*own, *more[: max(2, len(own))]][:MOST_TERMS]


def compact(content: str, asked: Sequence[str]) -> str:
    """Return a short memory whole, else its sentence with most of the asked words (HK-54)."""
    line = wording.one_line(content)
    if len(line) <= ITEM_CHARS or ("\n" in content and len(content) <= LINES_CHARS):
        return content
    sentences = [found for one in _SENTENCE.split(content) if (found := wording.one_line(one))]
    best = max(sentences, key=lambda one: sum(term in one.lower() for term in asked), default=line)
    return best if len(best) <= ITEM_CHARS else f"{best[: ITEM_CHARS - 3].rstrip()}..."


def selected(items: Iterable[Item], *, chars: int, most: int = MOST_ITEMS) -> list[Item]:
    """Return those that fit, best first; one that does not fit is skipped."""
    taken: list[Item] = []
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
