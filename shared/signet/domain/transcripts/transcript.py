"""Parse transcripts of any harness into turns: speakers and messages, without tools and metadata.

Known forms: JSON lines of harnesses and OpenAI-style logs; `User:` and `Assistant:` text or Markdown; a dialogue of
named speakers; anything else is one note. Never raises: an unknown line is skipped. A message keeps its logged time:
`User (2026-11-22T19:02:00Z): …`.
"""

import io
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import islice

from signet import clock
from signet.domain.graph import lexicon
from signet.domain.transcripts import records as injected_text
from signet.text import json_text

USER = "user"
ASSISTANT = "assistant"
#: The commands and errors of tools (tool_lines.py); only who asks for them gets them.
TOOL = "tool"
#: Text without a speaker: notes, documents, a bare memory.
NOTE = "note"

#: A text is a log or a dialogue if at least this share of its lines has the form; a log is judged by its first lines.
FORM_SHARE = 0.6
HEAD_LINES, HEAD_CHARS = 1_000, 4 * 1_048_576

Record = dict[str, object]
#: Returns the lines of a log from the first one at each call. A log may be larger than memory.
Lines = Callable[[], Iterable[str]]

_ROLES = {"user": USER, "human": USER, "assistant": ASSISTANT, "ai": ASSISTANT, "model": ASSISTANT}
_ROLES |= {"claude": ASSISTANT, "codex": ASSISTANT, "agent": ASSISTANT, "agent_message": ASSISTANT}
_ROLES |= {"user_message": USER, "UserMessage": USER, "AgentMessage": ASSISTANT}
# Gemini CLI, Copilot, Windsurf.
_ROLES |= {"gemini": ASSISTANT, "user.message": USER, "assistant.message": ASSISTANT}
_ROLES |= {"user_input": USER, "planner_response": ASSISTANT}

_WHO = r"(user|human|assistant|ai|claude|codex|agent|system|tool)"
_AT = r"\((\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)\)"
_LABEL = re.compile(
    rf"^[ \t]{{0,3}}(?:[*_>]{{1,3}}[ \t]*|#{{1,6}}[ \t]+)?{_WHO}(?: {_AT})?[ \t]*[*_]{{0,3}}:[*_]{{0,3}}[ \t]*"
    rf"|^[ \t]{{0,3}}(?:#{{1,6}}[ \t]+|[*_]{{2}}){_WHO}[*_]{{0,2}}[ \t]*$"
    r"|(?<=[.!?…)\]`\"'”] )(?-i:(User|Human|Assistant)): +",  # a transcript stored as one line
    re.IGNORECASE | re.MULTILINE,
)
_SPEAKER = re.compile(r"([^\W\d_][\w'’-]*(?: [^\W\d_][\w'’.-]*){0,2}): +(\S.*)")
#: Distinguishes a speaker from a label: `Ana: I bake` and `Ana: Nice!`, but `Kafka: three brokers`.
_SPOKEN = re.compile(r"\b(?:I|my|we|our)\b|\bI['’]|[!?]", re.IGNORECASE)

#: Codex logs events, and items as the model receives and sends them.
_EVENT, _ITEM = "event_msg", "response_item"
_VERSION, _FIRST_WITH_EVENTS = re.compile(r"(\d+)\.(\d+)"), (0, 42)
_CONTENTS = ("content", "text", "message", "user_response", "response")
_SPOKEN_PARTS = ("text", "Text", "input_text", "output_text")
#: Fields with the time of a record; a number larger than this is in milliseconds since 1970.
_TIMES = ("timestamp", "createdAt", "created_at", "time")
_LEAST_MS = 100_000_000_000

_FENCE = re.compile(r"^[ \t]*+(?:```|~~~)", re.MULTILINE)
#: A line break inside a paragraph, as opposed to one before a blank line, a list item, a heading or a table.
_WRAPPED = re.compile(r"(?<=\S)\n[ \t]*(?=[^\s*+•#>|-])(?!\d+[.)] )")


#: The time of a message, as `written` puts it after the speaker.
_STAMP = re.compile(rf"^(?:User|Assistant|Tool) {_AT}:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Turn:
    """One message; `role` is `user`, `assistant`, `note` or the name of a speaker.

    `at` is its time in whole seconds of UTC, if known; turns with different times are equal.
    """

    role: str
    text: str
    at: str | None = field(default=None, compare=False)


def parse(text: str, *, with_tools: bool = False) -> list[Turn]:
    """Return the turns of a transcript in order; none is empty. `with_tools` adds those of tools (TOOL)."""
    log = records(partial(io.StringIO, text))
    if log is not None:
        return list(_logged(log))
    said = _own_turns(text)
    if _LABEL.search(said):
        return list(_labelled(said, with_tools=with_tools))
    return _dialogue(said) or _whole(said)


def normalize(text: str) -> str:
    """Return a JSON log as `User:` and `Assistant:` lines with times, any other text unchanged (PIP-35).

    Injected text is removed from both, and what tools printed.
    """
    log = records(partial(io.StringIO, text))
    return _without_tools(_own_turns(text)) if log is None else written(_logged(log))


def _without_tools(text: str) -> str:
    kept, end, is_tool = [], 0, False
    for label in _LABEL.finditer(text):
        if not is_tool:
            kept.append(text[end : label.start()])
        end, is_tool = label.start(), _said(label).lower() == TOOL
    return "".join([*kept, "" if is_tool else text[end:]])


def logged(lines: Iterable[str]) -> Iterator[Turn]:
    """Yield the turns of a Claude Code log while its lines are read."""
    loaded = (_load(text) for line in lines if (text := line.strip()))
    return _logged(record for record in loaded if isinstance(record, dict))


def written(turns: Iterable[Turn]) -> str:
    """Return turns as `User:` and `Assistant:` lines, with their times if known."""
    return "\n".join(f"{_label(turn)}: {_unlabelled(_joined(turn.text))}" for turn in turns)


def spoken(text: str) -> tuple[datetime, datetime] | None:
    """Return the times of the first and last message of a written transcript, if they have any."""
    first = _STAMP.match(text)
    start = max(text.rfind("\nUser ("), text.rfind("\nAssistant ("))
    last = _STAMP.match(text, start + 1)
    if first is None or last is None:
        return None
    try:
        return clock.parse(first[1]), clock.parse(last[1])
    except ValueError:  # digits that are not a date
        return None


def retimed(text: str, offset: timedelta, now: datetime) -> str:
    """Shift the message times of a written transcript by `offset`, at most to `now`."""

    def moved(label: re.Match[str]) -> str:
        at = clock.parsed(label[1])
        if at is None:
            return label[0]
        new = min(clock.shifted(at, offset), now).strftime("%Y-%m-%dT%H:%M:%SZ")
        return label[0].replace(label[1], new, 1)

    return _STAMP.sub(moved, text)


def untimed(text: str) -> str:
    """Return a written transcript without message times, as transcripts were stored before."""
    return _STAMP.sub(lambda label: f"{label[0].partition(' ')[0]}:", text)


def _unlabelled(text: str) -> str:
    """Quote labels inside a message, so that no part of it reads as another turn."""
    return _LABEL.sub(_unlabel, text) if _LABEL.search(text) else text


def _own_turns(text: str) -> str:
    """Return a plain transcript in which no tool output or code block reads as a turn.

    The agent answers a tool, so a user label right after tool output is part of that output.
    """
    text = injected_text.without_injected(text)
    parts: list[str] = []
    end = 0
    is_tool = False
    fences = [fence.start() for fence in _FENCE.finditer(text)]
    for label in _LABEL.finditer(text):
        said = _said(label).lower()
        before = bisect_left(fences, label.start())
        in_code = before % 2 == 1 and before < len(fences)
        if in_code or (is_tool and _ROLES.get(said) != ASSISTANT):
            parts += (text[end : label.start()], _unlabel(label))
            end = label.end()
        else:
            is_tool = said == "tool"
    return "".join([*parts, text[end:]])


def _said(label: re.Match[str]) -> str:
    return label[1] or label[3] or label[4]


def _unlabel(found: re.Match[str]) -> str:
    said = _said(found)
    return f"{'' if found[4] else '- '}“{said}”: "


def _label(turn: Turn) -> str:
    who = turn.role.capitalize()
    return who if turn.at is None else f"{who} ({turn.at})"


def _joined(text: str) -> str:
    """Return a message with its prose on one line; code, lists, headings and paragraphs keep their lines."""
    if "\n" not in text:
        return text
    parts = text.split("```")
    parts[::2] = [_WRAPPED.sub(" ", prose) for prose in parts[::2]]
    return "```".join(parts)


def records(log: Lines) -> Iterator[Record] | None:
    """Return an iterator of the JSON objects of a log, or None for another text."""
    head = _head(log())
    if sum(line[0] == "{" for line in head) < FORM_SHARE * max(len(head), 1):
        return None
    found = [record for line in head if isinstance(record := _load(line), dict)]
    # A program that is still writing may have written half of the last line.
    is_half = len(found) > 0 and head[-1][0] == "{" and _load(head[-1]) is None
    if len(found) < FORM_SHARE * (len(head) - is_half):
        return None
    in_events = _roles_in_events(log, found)
    every = (_load(line) for line in _filled(log()))
    return (
        one
        for one in every
        if isinstance(one, dict) and (one.get("type") != _ITEM or _role(one) not in in_events)
    )


def _head(lines: Iterable[str]) -> list[str]:
    found, chars = [], 0
    for line in islice(_filled(lines), HEAD_LINES):
        found.append(line)
        if (chars := chars + len(line)) > HEAD_CHARS:
            break
    return found


def _filled(lines: Iterable[str]) -> Iterator[str]:
    """Yield the non-blank lines, without a byte-order mark."""
    return (line for raw in lines if (line := raw.lstrip("\ufeff").strip()))


def _roles_in_events(log: Lines, head: Sequence[Record]) -> set[str]:
    """Return the roles that speak in a Codex log's events; its items repeat these and contain instructions."""
    found: set[str] = set()
    if not any(one.get("type") in (_ITEM, _EVENT, "session_meta") for one in head):
        return found
    if any(_writes_events(one) for one in head):
        found.add(USER)  # also while no event has been written yet
    for line in _filled(log()):
        if _EVENT in line and isinstance(one := _load(line), dict) and one.get("type") == _EVENT:
            found |= {turn.role} if (turn := turn_of(one)) else set()
            if len(found) == len((USER, ASSISTANT)):
                break
    return found


def _writes_events(record: dict[str, object]) -> bool:
    """Return whether a Codex log (0.42 and later) has user messages as events."""
    meta = record.get("payload") if record.get("type") == "session_meta" else None
    version = _VERSION.match(str(meta.get("cli_version"))) if isinstance(meta, dict) else None
    return version is not None and (int(version[1]), int(version[2])) >= _FIRST_WITH_EVENTS


def _load(line: str) -> object:
    return json_text.value(line) if line[0] == "{" else None


def turns_of(record: dict[str, object], reader: injected_text.AsideReader) -> Iterator[Turn]:
    """Yield the message of a log line, and words in tool calls and results; `reader` has read the lines before."""
    if turn := turn_of(record):
        yield turn
    if _is_aside(record):
        return
    for is_user, told in reader.said(record):
        if said := injected_text.without_injected(told).strip():
            yield Turn(USER if is_user else ASSISTANT, said, time_of(record))


def turn_of(record: dict[str, object]) -> Turn | None:
    """Return the message of a log line; None for metadata and a harness's own text."""
    if _is_aside(record) or not injected_text.holds_message(record):
        return None
    said = _message(record)
    is_summary = said and said.role == USER and injected_text.is_summary(said.text)
    return None if is_summary else said


def refused(log: Lines) -> Iterator[Turn]:
    """Yield the texts of records that are not messages; earlier readers stored some of them."""
    for line in _filled(log()):
        record = _load(line)
        if not isinstance(record, dict):
            continue
        if (record.get("type") == _ITEM or not turn_of(record)) and (turn := _message(record)):
            yield turn


def _message(record: Record) -> Turn | None:
    inner = _inner(record)
    known = _role(record)
    if known is None:
        return None
    content = inner.get("content") or next(filter(None, map(inner.get, _CONTENTS)), None)
    told = content if isinstance(content, str) else "\n".join(_texts(content))
    said = injected_text.without_injected(told).strip()
    return Turn(known, said, time_of(record) or time_of(inner)) if said else None


def _is_aside(record: dict[str, object]) -> bool:
    get = record.get  # as a loop it takes five times as long, of every record
    return bool(get("isMeta") or get("isSidechain") or get("isCompactSummary"))


def _inner(record: dict[str, object]) -> dict[str, object]:
    """Return the part of a log line with the message; Codex puts items into the payload of an event."""
    for name in ("message", "payload", "item", "data", "user_input", "planner_response"):
        part = record.get(name)
        if part and isinstance(part, dict):
            return _inner(part) if name == "payload" else part
    return record


def _role(record: dict[str, object]) -> str | None:
    inner = _inner(record)
    said = inner.get("role") or inner.get("speaker") or inner.get("type")
    role = said or record.get("type") or record.get("role")
    return _ROLES.get(role) if isinstance(role, str) else None


def time_of(record: dict[str, object]) -> str | None:
    """Return the time of a log line: ISO-8601, or seconds or milliseconds since 1970."""
    said = next((record[name] for name in _TIMES if record.get(name)), None)
    if isinstance(said, dict):
        said = said.get("created")
    try:
        instant = clock.given(said)
    except (ValueError, OverflowError, OSError):
        return None
    return f"{instant.isoformat(timespec='seconds')[:19]}Z"


def _texts(content: object) -> Iterator[str]:
    """Yield the text parts of a message, without tool calls, results and thoughts."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in content:
            if isinstance(part, str):
                yield part
            elif isinstance(part, dict) and part.get("type", "text") in _SPOKEN_PARTS:
                yield from _texts(part.get("text"))


def _logged(records: Iterable[dict[str, object]]) -> Iterator[Turn]:
    """Yield the turns of a log without repetitions: Codex logs each as an event and as an item."""
    reader, last = injected_text.AsideReader(), None
    for record in records:
        for turn in turns_of(record, reader):
            if turn != last:
                yield turn
                last = turn


def _labelled(text: str, *, with_tools: bool) -> Iterator[Turn]:
    labels = list(_LABEL.finditer(text))
    yield from _whole(text[: labels[0].start()])
    ends = [label.start() for label in labels[1:]] + [len(text)]
    for label, end in zip(labels, ends, strict=True):
        said = _said(label).lower()
        role = said if with_tools and said == TOOL else _ROLES.get(said)
        if role:
            yield from _whole(text[label.end() : end], role, label[2])


def _dialogue(text: str) -> list[Turn]:
    """Return the turns of named speakers; empty for another text."""
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


def _whole(text: str, role: str = NOTE, at: str | None = None) -> list[Turn]:
    said = text.strip()
    return [Turn(role, said, at)] if said else []
