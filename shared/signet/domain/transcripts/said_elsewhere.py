"""What people say beside their messages, as Claude Code logs it: answers, refusals, what they type while it works.

Answers to the agent's questions and the reason for a refusal are results of tools there, a message that comes while the
agent works is an attachment, and a plan is what a tool is called with. Pure.
"""

import re
from collections.abc import Iterator, Mapping

#: The tools that put something before the user: questions, and the plan that they approve.
_ASK, _PLAN = "AskUserQuestion", "ExitPlanMode"
#: Who serves the tools of this name writes their results, and could write a refusal there. So could what a command
#: prints before it fails, in versions before the second: since then "Exit code" stands in front of it.
_FOREIGN, _SHELL, _FIRST = "mcp__", "Bash", re.compile(r"[01]\.")
#: A refusal with a reason; the reason ends before what Claude Code adds for the model.
_REFUSED = re.compile(
    r"The user doesn't want to (?:proceed with this tool use|take this action)\b.*?the user said:\s*"
    r"(?P<reason>.*?)(?:\n\s*Note: The user's next message\b.*)?",
    re.DOTALL,
)
#: What Claude Code says itself where the user wants to talk about the questions.
_CLARIFIES = "The user wants to clarify these questions."
#: Calls that wait for their result. An interrupted call gets none.
MOST_OPEN = 1_000
_PAIR = re.compile(r'"([^"]+)"="([^"]*)"')


class Reader:
    """Reads the lines of one log in their order: a result names its call, and the call names the tool."""

    def __init__(self) -> None:
        self._tools: dict[str, str] = {}

    def said(self, record: Mapping[str, object]) -> Iterator[tuple[bool, str]]:
        """Yield what a line says beside its message, as whether the user said it, and the words."""
        yield from _typed_meanwhile(record)
        message = record.get("message")
        content = message.get("content") if isinstance(message, Mapping) else None
        for part in content if isinstance(content, list) else ():
            if not isinstance(part, Mapping):
                continue
            if part.get("type") == "tool_use":
                yield from self._called(part)
            elif part.get("type") == "tool_result":
                yield from self._came_back(part, record)

    def _called(self, part: Mapping[str, object]) -> Iterator[tuple[bool, str]]:
        name, asked = str(part.get("name")), part.get("input")
        self._tools[str(part.get("id"))] = name
        if len(self._tools) > MOST_OPEN:
            del self._tools[next(iter(self._tools))]
        plan = asked.get("plan") if isinstance(asked, Mapping) else None
        if name == _PLAN and isinstance(plan, str):
            yield False, plan

    def _came_back(
        self, part: Mapping[str, object], record: Mapping[str, object]
    ) -> Iterator[tuple[bool, str]]:
        tool = self._tools.pop(str(part.get("tool_use_id")), _FOREIGN)
        is_old = _FIRST.match(str(record.get("version", "0."))) is not None
        if tool.startswith(_FOREIGN) or (tool == _SHELL and is_old):
            return
        text = "\n".join(_texts(part.get("content")))
        refused = _REFUSED.fullmatch(text) if part.get("is_error") is True else None
        if refused and not refused["reason"].startswith(_CLARIFIES):
            yield True, refused["reason"]
        if tool == _ASK and not refused:
            for question, answer in _answers(text, record.get("toolUseResult")):
                yield False, question
                yield True, answer


def _typed_meanwhile(record: Mapping[str, object]) -> Iterator[tuple[bool, str]]:
    """Yield a message that the user typed while the agent worked; programs queue messages there, too."""
    typed = record.get("attachment") if record.get("type") == "attachment" else None
    if not isinstance(typed, Mapping) or typed.get("type") != "queued_command":
        return
    origin = typed.get("origin")
    is_human = not isinstance(origin, Mapping) or origin.get("kind", "human") == "human"
    if is_human and typed.get("commandMode", "prompt") == "prompt":
        yield True, "\n".join(_texts(typed.get("prompt")))


def _answers(text: str, result: object) -> Iterator[tuple[str, str]]:
    """Yield questions and their answers; older versions log them as text only."""
    told = result.get("answers") if isinstance(result, Mapping) else None
    pairs = told.items() if isinstance(told, Mapping) else _PAIR.findall(text)
    for question, answer in pairs:
        words = ", ".join(map(str, answer)) if isinstance(answer, list) else str(answer)
        if words.strip():
            yield str(question), words


def _texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for part in content if isinstance(content, list) else ():
        if isinstance(part, str):
            yield part
        elif isinstance(part, Mapping) and isinstance(text := part.get("text"), str):
            yield text
