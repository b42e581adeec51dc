"""Lines of tools that a person searches for later: an agent's commands, their errors, and names in short outputs.

A transcript has them as quoted lines of a speaker `Tool`, before the answer that follows. Only the index of passages
reads them (episodes/index.py): they are no one's words, so no fact, rule, title or summary comes from them. Commands
that only read, and the output of commands that print files, are left out.
"""

import re
from collections.abc import Iterable, Iterator

from signet.domain.transcripts import steps
from signet.text import patterns

#: The longest line, lines before one answer, and errors of one command.
LINE_CHARS, MOST_LINES, MOST_ERRORS = 200, 8, 3
#: The longest output of which lines with names, such as `24FR0021` or `bad_schema`, are kept, and how many of them.
SHORT_CHARS, MOST_NAMED = 800, 4
#: Characters of an output that are searched, at its beginning and at its end.
_READ_CHARS = 10_000
#: What precedes a line, and a command.
_QUOTE, _PROMPT = "> ", "$ "
_SHELL = re.compile(r"bash|shell|exec|terminal|command", re.IGNORECASE)
_FOLDER = patterns.lazy(r"^\s*(?:(?:(?:cd|export)\s+\S+\s*(?:&&|;)|\w+=\S*)\s*)*")
#: Commands that only read, and those whose output are texts rather than messages.
_READS = patterns.lazy(
    r"(?:sudo\s+)?(?:ls|cat|head|tail|grep|rg|find|sed\s+-n|awk|wc|pwd|cd|echo|printf|which|type|tree|less|file|stat|du"
    r"|df|ps|env|date|sleep|true|test|journalctl|\w+\s+logs?"
    r"|git\s+(?:-C\s+\S+\s+)?(?:status|diff|log|show|branch|blame|grep|ls-files|rev-parse|remote))(?:\s|$)"
)
_PRINTS = patterns.lazy(
    r"(?:sudo\s+)?(?:ls|cat|head|grep|rg|find|sed|awk|tree|less|git\s+(?:diff|log|show|blame|grep))(?:\s|$)"
)
_LOG = patterns.lazy(r"\blogs?\b", re.IGNORECASE)
_ERROR = patterns.lazy(
    r"(?:error|exception)\b|\b(?:errno|fail(?:ed|ure|s)?|fatal|panic|denied|refused|rejected|cannot|could ?n[o']t|can't"
    r"|unable to|not found|no such|invalid|timed? ?out|abort(?:ed)?|unexpected|conflict)\b"
    r"|\b(?-i:ERR|E)[-_!]?(?-i:[A-Z_]{0,40})\d{2}|\bexit (?:code|status) [1-9]",
    re.IGNORECASE,
)
_NAME = patterns.lazy(
    r"(?<!\S)(?=\S*[A-Za-z])(?=\S*(?:\d|\w[-_.]\w))(?=\S*(?:[A-Z]|\d|_))[\w.-]{6,60}(?!\S)"
)
#: Claude Code's text of a call that the user refused; the reason in it is the user's message (records.py).
_REFUSED = "The user doesn't want to "
#: Lines that report that there was no error.
_NONE = patterns.lazy(
    r"\b(?:0|no|without) (?:errors?|fail\w*|warnings?)\b|\bPASS(?:ED)?\b", re.IGNORECASE
)


class ToolLines:
    """Collects the lines of a log's tools, each once, until an answer follows."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._waiting: list[str] = []
        self._printing: set[str] = set()

    def add(self, record: dict[str, object]) -> None:
        """Read a record of a log. A subagent's are not read, as its messages are not."""
        for part in () if record.get("isSidechain") else steps.parts(record):
            id = steps.id_of(part)
            if part.get("type") in steps.CALLS:
                name = str(part.get("name") or part.get("tool") or part.get("type"))
                self._call(name, id, steps.command(part))
            if part.get("type") in steps.RESULTS:
                self._result(id, steps.answered(part))

    def _call(self, name: str, id: str, command: str) -> None:
        if name.startswith(steps.OWN) or not _SHELL.search(name) or not command:
            self._printing.add(id)
            return
        line = _FOLDER.sub("", next((one for one in command.splitlines() if one.strip()), ""))
        if _PRINTS.match(line) and not _LOG.search(line):
            self._printing.add(id)
        self._add([] if _READS.match(line) else [_PROMPT + line])

    def _result(self, id: str, text: str) -> None:
        if id in self._printing or text.startswith(_REFUSED):
            self._printing.discard(id)
            return
        is_long = len(text) > 2 * _READ_CHARS
        ends = f"{text[:_READ_CHARS]}\n{text[-_READ_CHARS:]}" if is_long else text
        self._add(_worth(ends, MOST_ERRORS))

    def _add(self, lines: Iterable[str]) -> None:
        for line in lines:
            told = " ".join(line.split())[:LINE_CHARS]
            if told not in self._seen and len(self._waiting) < MOST_LINES:
                self._seen.add(told)
                self._waiting.append(told)

    def take(self) -> str:
        """Return the collected lines, quoted, and forget them; empty for none."""
        text = "\n".join(_QUOTE + line for line in self._waiting)
        self._waiting.clear()
        return text


def _is_error(line: str) -> bool:
    """Return whether a line reports an error; one without a blank is data."""
    return " " in line and bool(_ERROR.search(line)) and not _NONE.search(line)


def worth(text: str) -> str:
    """Return the lines of a transcript's tool turn that the index takes, quoted."""
    return "\n".join(f"{_QUOTE}{line[:LINE_CHARS]}" for line in _worth(text, MOST_LINES))


def _worth(text: str, most: int) -> Iterator[str]:
    """Yield commands after a `$`, at most `most` errors, and some lines with names of a short output."""
    named = MOST_NAMED if len(text) <= SHORT_CHARS else 0
    for raw in text.splitlines():
        line = raw.strip().removeprefix(_QUOTE.strip()).strip()
        if line.startswith(_PROMPT):
            command = line.removeprefix(_PROMPT)
            named = 0 if _PRINTS.match(command) else named
            if not _READS.match(command):
                yield line
        elif most and _is_error(line[:LINE_CHARS]):
            most -= 1
            yield line
        elif named and _NAME.search(line[:LINE_CHARS]):
            named -= 1
            yield line
