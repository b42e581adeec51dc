"""The steps of a session's log in order: messages, tool calls with their input, and results.

Transcripts contain only the messages (`transcript.py`). The steps are stored until a job has found which injected items
a session used (`injections/trace.py`). Messages are hashes here, because their texts are in the transcript; of tool
results only the words new to the session are stored. Pure.
"""

import contextlib
import hashlib
import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from signet.domain.transcripts import transcript
from signet.domain.transcripts.transcript import Turn
from signet.text import json_text

#: Characters stored of one call, read of one result, and stored of all results; then the newest steps of a session.
CALL_CHARS, READ_CHARS = 8_000, 20_000
RESULT_CHARS = 200_000
MOST_CHARS = 1_000_000
#: Characters of a message that are hashed, and hex digits of the hash.
_MESSAGE_CHARS = 500
#: About how many characters a stored step adds to its text.
_STEP_CHARS = 20
_HASH_CHARS = 16
#: The names of a tool call and its result in logs, and the fields with its input and its output.
CALLS = frozenset(
    (
        "tool_use function_call custom_tool_call local_shell_call command_execution tool-call "
        "toolCall tool"
    ).split()
)
RESULTS = frozenset(
    (
        "tool_result function_call_output custom_tool_call_output tool-result toolResult tool "
        "command_execution"
    ).split()
)
_TOOLS = CALLS | RESULTS
_ASKED = ("input", "arguments", "args", "action", "command")
_ANSWERED = ("content", "output", "aggregated_output", "result")
_COMMANDS = ("command", "cmd", "script")
_IDS = ("tool_use_id", "call_id", "id", "callID", "toolCallId")
#: Copilot stores steps in `data`: a message with its calls, or a result.
_MESSAGE, _DONE = "assistant.message", "tool.execution_complete"
#: Tools that change files, by a part of their names; the field that names a file, and a line of a patch.
_CHANGES = re.compile(r"edit|write|replace|patch|create|notebook|multi_edit", re.IGNORECASE)
_NO_FILES = re.compile(r"todo|memory|plan|task", re.IGNORECASE)
_FILE = re.compile(
    r"(?:(?:target|absolute|notebook|file)_?)?(?:file|path)|file_?name", re.IGNORECASE
)
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update) File: (\S[^\n]*)", re.MULTILINE)
#: Files stored per session, and the longest path.
MOST_FILES, PATH_CHARS = 40, 400
#: Our own tools: their input and output is memory itself, not a use of it.
OWN = ("mcp__signet", "mcp_signet", "signet", "memory_")


class StepType(StrEnum):
    """The type of a step; the strings are stored."""

    USER = "user"
    ASSISTANT = "assistant"
    CALL = "call"
    RESULT = "result"


@dataclass(frozen=True, slots=True)
class Step:
    """One step. `text` is the input of the tool `name`, the new words of a result, or the hash of a message."""

    type: StepType
    text: str
    name: str = ""


def hash_of(message: str) -> str:
    """Return the hash of a message, which ignores line breaks: transcripts change them."""
    line = " ".join(message[: 4 * _MESSAGE_CHARS].split())[:_MESSAGE_CHARS]
    return hashlib.sha256(line.encode("utf-8", "replace")).hexdigest()[:_HASH_CHARS]


def of_turn(turn: Turn) -> Step | None:
    """Return a message's step, None for other roles than user and assistant."""
    if turn.role not in (transcript.USER, transcript.ASSISTANT):
        return None
    return Step(StepType(turn.role), hash_of(turn.text))


class Recorder:
    """Collects the steps of a log, record by record; keeps only the newest."""

    def __init__(self, clean: Callable[[str], str] = str) -> None:
        """`clean` masks secrets, before a text is cut, split or written as JSON, which would hide parts of them."""
        self._clean = clean
        self._newest: deque[Step] = deque()
        self._size = 0
        self._seen: set[str] = set()
        self._own: set[str] = set()
        self._room = RESULT_CHARS
        self._last: Step | None = None
        self._files: dict[str, None] = {}

    @property
    def files(self) -> list[str]:
        """The changed files, the last one last."""
        return list(self._files)[-MOST_FILES:]

    def add(self, record: dict[str, object], turns: Iterable[Turn]) -> None:
        for step in self._steps(record, turns):
            self._newest.append(step)
            self._size += len(step.text) + _STEP_CHARS
            while self._size > MOST_CHARS:
                self._size -= len(self._newest.popleft().text) + _STEP_CHARS

    def written(self) -> str:
        """Return the steps in stored form, one per line."""
        return "\n".join(map(self._line, self._newest))

    def _line(self, step: Step) -> str:
        text = self._clean(step.text)[:CALL_CHARS] if step.type is StepType.CALL else step.text
        return json.dumps([step.type, text, step.name], ensure_ascii=False)

    def _steps(self, record: dict[str, object], turns: Iterable[Turn]) -> Iterator[Step]:
        # A prompt precedes the tool calls, and an answer's text precedes the calls that follow it.
        for said in map(of_turn, turns):
            if said and said != self._last:
                yield said
                self._last = said
        if record.get("isSidechain"):  # a subagent, which received no memories
            return
        for part in parts(record):
            type_, name = part.get("type"), str(part.get("name") or part.get("tool") or "")
            if type_ in CALLS and (asked := _field(part, _ASKED)):
                if name.startswith(OWN):
                    self._own.add(id_of(part))
                    continue
                for path in _changed(name, part, asked):
                    self._files.pop(path, None)
                    self._files[path] = None
                yield Step(StepType.CALL, asked[: 2 * CALL_CHARS], name)
            is_read = type_ in RESULTS and self._room > 0 and id_of(part) not in self._own
            if is_read and (text := self._news(answered(part))):
                yield Step(StepType.RESULT, text)

    def _news(self, answered: str) -> str:
        """Return the words of a result that are new in the session."""
        answered = answered[: 2 * READ_CHARS]
        if self._seen.issuperset(answered.split()):
            return ""
        words = dict.fromkeys(self._clean(answered)[:READ_CHARS].split())
        new = [word for word in words if word not in self._seen]
        self._seen.update(new)
        text = " ".join(new)[: self._room]
        self._room -= len(text)
        return text


def read(stored: str) -> list[Step]:
    """Parse the output of `written`."""
    found = (json.loads(line) for line in stored.split("\n") if line)
    return [Step(StepType(type_), text, name) for type_, text, name in found]


def parts(record: dict[str, object]) -> Iterator[dict[str, object]]:
    """Yield the parts of a log line that may be calls or results of any harness."""
    message = record.get("message")
    is_plain = isinstance(message, dict) and isinstance(message.get("content"), str)
    waiting: list[object] = [] if is_plain else [record]
    while waiting:
        one = waiting.pop(0)
        if isinstance(one, list):
            waiting.extend(one)
        elif isinstance(one, dict):
            if str(one.get("type")) in _TOOLS:
                state = one.get("state")
                yield {**state, **one} if isinstance(state, dict) else one
            else:
                data = one.get("data") if one.get("type") in (_MESSAGE, _DONE) else None
                if isinstance(data, dict):
                    waiting += [{**data, "type": "tool_result"} if one["type"] == _DONE else data]
                waiting += [
                    one[name]
                    for name in ("message", "payload", "item", "content", "parts")
                    if name in one
                ]
                calls = one.get("toolCalls") or one.get("toolRequests")  # Gemini CLI, Copilot
                for call in calls if isinstance(calls, list) else ():
                    waiting += [{**call, "type": "tool"}] if isinstance(call, dict) else []


def _field(part: dict[str, object], names: Iterable[str]) -> str:
    """Return the first non-empty field as text."""
    value = next((part[name] for name in names if part.get(name)), "")
    if isinstance(value, str) and value.startswith("{"):  # Codex writes arguments as JSON
        with contextlib.suppress(ValueError, RecursionError):
            value = json.loads(value)
    return "\n".join(_strings(value))


def id_of(part: dict[str, object]) -> str:
    """Return the ID that connects a tool call with its result."""
    return str(next((part[name] for name in _IDS if part.get(name)), None))


def answered(part: dict[str, object]) -> str:
    """Return the text of a tool's result."""
    return _field(part, _ANSWERED)


def command(part: dict[str, object]) -> str:
    """Return the command that a tool call runs, empty for none."""
    given: object = next((part[field] for field in _ASKED if part.get(field)), None)
    if isinstance(given, str) and given.startswith("{"):  # Codex writes arguments as JSON
        given = json_text.an_object(given)
    if isinstance(given, dict):
        given = next((given[field] for field in _COMMANDS if given.get(field)), None)
    if isinstance(given, list):  # ["bash", "-lc", "make test"]
        given = given[-1] if str(given[0]).endswith("sh") else " ".join(map(str, given))
    return given if isinstance(given, str) else ""


def _changed(name: str, part: dict[str, object], asked: str) -> list[str]:
    """Return the paths of the files that a tool call changes."""
    if "*** " in asked and (patched := _PATCHED.findall(asked)):
        return [path.strip()[:PATH_CHARS] for path in patched]
    if not _CHANGES.search(name) or _NO_FILES.search(name):
        return []
    given = next((part[field] for field in _ASKED if part.get(field)), None)
    if isinstance(given, str):
        given = json_text.an_object(given)
    named = given.items() if isinstance(given, dict) else ()
    paths = (value for field, value in named if _FILE.fullmatch(field))
    return [path for path in paths if isinstance(path, str) and 0 < len(path) <= PATH_CHARS][:1]


def _strings(value: object) -> Iterator[str]:
    """Yield the texts and numbers of a JSON value, in order."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            waiting.extend(value for name, value in reversed(one.items()) if name != "type")
        elif isinstance(one, list):
            waiting.extend(reversed(one))
        elif isinstance(one, int | float) and not isinstance(one, bool):
            yield str(one)
