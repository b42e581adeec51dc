"""Reading transcripts of any harness as turns: who said what, without tools and metadata.

Known forms: JSON lines of Claude Code, Codex and OpenAI-style logs; `User:` and `Assistant:` text or Markdown; a
dialogue of named speakers; anything else is one note. Never raises: a line that is not understood is skipped.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from signet.domain.graph import lexicon
from signet.domain.sessions import injected

USER = "user"
ASSISTANT = "assistant"
#: Text that nobody says: notes, documents, a bare memory.
NOTE = "note"

#: A text is a log, or a dialogue, when at least this share of its lines has the form.
FORM_SHARE = 0.6

_ROLES = {"user": USER, "human": USER, "assistant": ASSISTANT, "ai": ASSISTANT, "model": ASSISTANT}
_ROLES |= {"claude": ASSISTANT, "codex": ASSISTANT, "agent": ASSISTANT, "agent_message": ASSISTANT}
_ROLES |= {"user_message": USER}

_WHO = r"(user|human|assistant|ai|claude|codex|agent|system|tool)"
_LABEL = re.compile(
    rf"^[ \t]{{0,3}}(?:[*_>]{{1,3}}[ \t]*|#{{1,6}}[ \t]+)?{_WHO}[ \t]*[*_]{{0,3}}:[*_]{{0,3}}[ \t]*"
    rf"|^[ \t]{{0,3}}(?:#{{1,6}}[ \t]+|[*_]{{2}}){_WHO}[*_]{{0,2}}[ \t]*$"
    r"|(?<=[.!?…)\]`\"'”] )(?-i:(User|Human|Assistant)): +",  # a transcript stored as one line
    re.IGNORECASE | re.MULTILINE,
)
_SPEAKER = re.compile(r"([^\W\d_][\w'’-]*(?: [^\W\d_][\w'’.-]*){0,2}): +(\S.*)")
#: What tells somebody who speaks from a label: `Ana: I bake` and `Ana: Nice!`, but `Kafka: three brokers`.
_SPOKEN = re.compile(r"\b(?:I|my|we|our)\b|\bI['’]|[!?]", re.IGNORECASE)

#: A line break inside of a paragraph, as opposed to one before a blank line, a list item, a heading or a table.
_WRAPPED = re.compile(r"(?<=\S)\n[ \t]*(?=[^\s*+•#>|-])(?!\d+[.)] )")


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side said; `role` is `user`, `assistant`, `note` or the name of a speaker."""

    role: str
    text: str


def parse(text: str) -> list[Turn]:
    """Return the turns of a transcript in order, never with an empty text."""
    records = _records(text)
    if records is not None:
        return list(_logged(records))
    said = injected.without(text)
    if _LABEL.search(said):
        return list(_labelled(said))
    return _dialogue(said) or _whole(said)


def normalize(text: str) -> str:
    """Return a JSON log as `User:` and `Assistant:` lines, any other text as it is (PIP-35).

    Either way without what programs put into the session.
    """
    records = _records(text)
    if records is None:
        return injected.without(text)
    return written(_logged(records))


def logged(lines: Iterable[str]) -> Iterator[Turn]:
    """Yield the turns of a log of Claude Code as its lines are read: a log may be larger than memory is."""
    loaded = (_load(text) for line in lines if (text := line.strip()))
    return _logged(record for record in loaded if isinstance(record, dict))


def written(turns: Iterable[Turn]) -> str:
    """Return turns as `User:` and `Assistant:` lines."""
    return "\n".join(f"{turn.role.capitalize()}: {_joined(turn.text)}" for turn in turns)


def _joined(text: str) -> str:
    """Return a message with its prose on one line; code, lists, headings and paragraphs keep their lines."""
    if "\n" not in text:
        return text
    parts = text.split("```")
    parts[::2] = [_WRAPPED.sub(" ", prose) for prose in parts[::2]]
    return "```".join(parts)


def _records(text: str) -> list[dict[str, object]] | None:
    """Return the JSON objects among the lines, or None when the text is no log."""
    lines = [line for raw in text.split("\n") if (line := raw.strip())]
    if sum(line[0] == "{" for line in lines) < FORM_SHARE * max(len(lines), 1):
        return None
    found = [record for line in lines if isinstance(record := _load(line), dict)]
    if len(found) < FORM_SHARE * len(lines):
        return None
    if any(record.get("type") == "event_msg" for record in found):
        # Codex logs what is said twice; its items also hold the instructions that nobody typed.
        return [record for record in found if record.get("type") != "response_item"]
    return found


def _load(line: str) -> object:
    if line[0] != "{":
        return None
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _turn(record: dict[str, object]) -> Turn | None:
    """Return what one log line says, None when it is a tool call, metadata or a harness's own words."""
    if record.get("isMeta") or record.get("isSidechain"):
        return None
    inner = record
    for name in ("message", "payload", "item"):
        part = record.get(name)
        if part and isinstance(part, dict):
            inner = part
            break
    role = inner.get("role") or inner.get("speaker") or inner.get("type") or record.get("type")
    known = _ROLES.get(role) if isinstance(role, str) else None
    if known is None:
        return None
    content = inner.get("content") or inner.get("text") or inner.get("message")
    told = content if isinstance(content, str) else "\n".join(_texts(content))
    said = injected.without(told).strip()
    return Turn(known, said) if said else None


def _texts(content: object) -> Iterator[str]:
    """Yield the spoken parts of a message; tool calls, results and thoughts are not spoken."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in content:
            if isinstance(part, str):
                yield part
            elif isinstance(part, dict) and part.get("type") in (
                "text",
                "input_text",
                "output_text",
            ):
                yield from _texts(part.get("text"))


def _logged(records: Iterable[dict[str, object]]) -> Iterator[Turn]:
    """Yield the turns of a log, without one that repeats the one before: Codex logs as event and as item."""
    last = None
    for turn in map(_turn, records):
        if turn and turn != last:
            yield turn
            last = turn


def _labelled(text: str) -> Iterator[Turn]:
    labels = list(_LABEL.finditer(text))
    yield from _whole(text[: labels[0].start()])
    ends = [label.start() for label in labels[1:]] + [len(text)]
    for label, end in zip(labels, ends, strict=True):
        role = _ROLES.get(label[label.lastindex or 0].lower())
        if role:
            yield from _whole(text[label.end() : end], role)


def _dialogue(text: str) -> list[Turn]:
    """Return the turns of named speakers, nothing when the text is no dialogue."""
    lines = [line for raw in text.split("\n") if (line := raw.strip())]
    labels = [_speaker(line) for line in lines]
    said = [label for label in labels if label]
    speakers = {label[1] for label in said}
    is_one_voice = len(said) == 1 and labels[0] is not None
    is_talk = len(said) >= max(FORM_SHARE * len(lines), 2 * len(speakers) - 1)
    if not (is_one_voice or is_talk) or not any(_SPOKEN.search(label[2]) for label in said):
        return []
    turns: list[Turn] = []
    for line, label in zip(lines, labels, strict=True):
        if label:
            turns.append(Turn(label[1], label[2]))
        elif turns:
            turns[-1] = Turn(turns[-1].role, f"{turns[-1].text}\n{line}")
    return turns


def _speaker(line: str) -> re.Match[str] | None:
    label = _SPEAKER.fullmatch(line)
    return label if label and _is_person(label[1]) else None


def _is_person(label: str) -> bool:
    parts = label.split()
    return all(part[0].isupper() and part.lower() not in lexicon.PLAIN for part in parts)


def _whole(text: str, role: str = NOTE) -> list[Turn]:
    said = text.strip()
    return [Turn(role, said)] if said else []
