"""Records of harness logs: parts that harnesses add to messages, record types, and messages typed during a turn."""

import re
from collections.abc import Iterator, Mapping

from signet.text import patterns

_TAG = (
    r"(system-reminder|local-command-[a-z]+|command-[a-z]+|bash-[a-z]+|environment_context"
    r"|user_instructions|task-notification|hook_context|session_context|ide_[a-z]+|user-prompt-submit-hook|session-start-hook"
    r"|signet-[a-z]+|memory-feedback|relevant-memories|tool_(?:result|output|response)|function_results?)"
)
#: Tags around a user's message, in Cursor.
_WRAPPING = patterns.lazy(r"</?user_query>\n?")
_OPENING = patterns.lazy(rf"<{_TAG}\b")
#: The line above recalled memories, and the list below it, with days (HK-56); in a memory, whose text is one line, the
#: items follow each other.
_HEAD = r"\[signet:recall\b[^\n]{0,1000}?\bengine=[\w-]+\]"
_DAY = r"\((?:[A-Z][a-z]{2} \d|\d{4}-)[^()\n]*\)(?=\s|\Z)"
_RECALLED = patterns.lazy(
    rf"(?:^[ \t]*|(?<=: )){_HEAD}[ \t]*(?:\n[ \t]*)?(?:\n[ \t]*- [^\n]*)+|{_HEAD}(?: - [^\n]{{0,2000}}?{_DAY})*",
    re.MULTILINE,
)
#: The start text of a session: from its first line to the first speaker (HK-30).
_BEGINNING = patterns.lazy(
    r"(?:^|(?<=: ))[ \t]*\[memory active \| [^\]\n]{0,200}\].*?"
    r"(?=^[ \t]*[*_#> ]*(?:user|human|assistant|ai)[*_ ]*(?:\([\dTZ:-]{20}\))?:|\Z)",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
#: Claude Code logs this as a message when the user interrupts it.
_STOPPED = patterns.lazy(
    r"^[ \t]*\[Request interrupted by user[^\]\n]{0,40}\][ \t]*$", re.MULTILINE
)
#: The instructions of a repository, as Codex puts them before the first prompt.
_AGENTS = patterns.lazy(
    r"^# AGENTS\.md instructions[^\n]*\n+<INSTRUCTIONS>.*?(?:</INSTRUCTIONS>|\Z)",
    re.MULTILINE | re.DOTALL,
)
#: The files that a prompt of Gemini CLI names with @.
_FILES = patterns.lazy(
    r"^--- Content from referenced files ---$.*?(?:^--- End of content ---$|\Z)",
    re.MULTILINE | re.DOTALL,
)
#: The beginnings of all these. A text without one of them is not read further, which costs one fast search.
_MARK = patterns.lazy(
    rf"<{_TAG}\b|\[signet:recall|\[memory active|\[Request interrupted by user|# AGENTS\.md instr"
    r"|^--- Content from referenced files ---$",
    re.MULTILINE,
)


def without_injected(text: str) -> str:
    """Remove text that programs injected into a session."""
    if "<" in text:
        text = _WRAPPING.sub("", text)
    if not ("<" in text or "[" in text or "--- C" in text) or _MARK.search(text) is None:
        return text
    text = _AGENTS.sub("", _untagged(_FILES.sub("", text)))
    return _STOPPED.sub("", _BEGINNING.sub("", _RECALLED.sub("", text)))


def _untagged(text: str) -> str:
    """Remove tagged blocks of harnesses and of Signet.

    An unclosed block at the start of a line ends the text. Linear, however often a tag occurs.
    """
    kept: list[str] = []
    start = at = sign = 0
    unclosed: set[str] = set()
    while tag := _OPENING.search(text, at):
        at = tag.end()
        sign = sign if sign >= at else text.find(">", at)
        if sign < 0:
            break
        end = -1 if tag[1] in unclosed else text.find(f"</{tag[1]}>", sign)
        if end >= 0:
            kept.append(text[start : tag.start()])
            start = at = end + len(tag[1]) + 3
            continue
        unclosed.add(tag[1])
        before = tag.start()
        while before > start and text[before - 1] in " \t":
            before -= 1
        if before == 0 or text[before - 1] == "\n":
            return "".join((*kept, text[start:before]))
    return "".join((*kept, text[start:]))


#: Types of records with one message, by program. Some harnesses use the role as the type.
MESSAGES = frozenset(
    {
        # Claude Code, Gemini CLI and chat exports
        *("user", "human", "assistant", "ai", "model", "agent"),
        "gemini",
        *("event_msg", "response_item", "item.completed"),  # Codex
        *("user_message", "agent_message", "UserMessage", "AgentMessage"),
        "message",  # OpenClaw
        *("user.message", "assistant.message"),  # GitHub Copilot
        *("user_input", "planner_response"),  # Windsurf
    }
)
#: Record types of Claude Code, whose records all name the session.
_CLAUDE_CODE, _CLAUDE_CODE_MARK = frozenset({"user", "assistant"}), "sessionId"
#: Beginnings of compaction summaries, and requests for one: logs do not always mark these.
_SUMMARIES = (
    "This session is being continued from a previous conversation that ran out of context",  # Claude Code
    "Another language model started to solve this problem and produced a summary",  # Codex
    "You are performing a CONTEXT CHECKPOINT COMPACTION",
    "You were originally given instructions from a user over one or more turns. Here were the user messages:",
    "<state_snapshot>",  # Gemini CLI
    "The conversation history before this point was compacted into the following summary",  # OpenClaw
    "[Previous conversation summary]",  # Cursor
)
#: The fields of a record that may hold a message.
_PARTS = ("message", "payload", "item", "data")
_ROLES = frozenset({"user", "assistant"})
#: Names of types and versions come from outside, so their length is limited.
_TYPE_CHARS = 64


def holds_message(record: Mapping[str, object]) -> bool:
    """Return whether a record's type holds messages; records without a type may."""
    kind = record.get("type")
    known = _CLAUDE_CODE if _CLAUDE_CODE_MARK in record and "message" in record else MESSAGES
    return not kind or (isinstance(kind, str) and kind in known)


def is_summary(message: str) -> bool:
    """Return whether a user message is the summary of a compacted context."""
    return message.startswith(_SUMMARIES)


def unknown_type(record: Mapping[str, object]) -> str | None:
    """Return the type of a record that looks like a message but is of an unknown type."""
    if holds_message(record) or not any(_has_role(record.get(name)) for name in _PARTS):
        return None
    return str(record["type"])[:_TYPE_CHARS]


def program_version(record: Mapping[str, object]) -> str | None:
    found = record.get("version")
    for name in ("payload", "data"):
        part = record.get(name)
        if not found and isinstance(part, Mapping):
            found = part.get("cli_version") or part.get("copilotVersion")
    return found[:_TYPE_CHARS] if isinstance(found, str) else None


def _has_role(part: object) -> bool:
    return isinstance(part, Mapping) and part.get("role") in _ROLES and bool(part.get("content"))


#: The tools that put something before the user: questions, and the plan that they approve.
_ASK, _PLAN = "AskUserQuestion", "ExitPlanMode"
#: Tools of these names are served by others, which write the results and could imitate a refusal. So could the output
#: of a failing command, in versions before the second; since then "Exit code" precedes it.
_FOREIGN, _SHELL, _FIRST = "mcp__", "Bash", patterns.lazy(r"[01]\.")
#: A refusal with a reason; the reason ends before what Claude Code adds for the model.
_REFUSED = patterns.lazy(
    r"The user doesn't want to (?:proceed with this tool use|take this action)\b.*?the user said:\s*"
    r"(?P<reason>.*?)(?:\n\s*Note: The user's next message\b.*)?",
    re.DOTALL,
)
#: Claude Code's text when the user wants to discuss the questions.
_CLARIFIES = "The user wants to clarify these questions."
#: Calls that wait for their result. An interrupted call gets none.
MOST_OPEN = 1_000
_PAIR = patterns.lazy(r'"([^"]+)"="([^"]*)"')


class AsideReader:
    """Reads the lines of one log in order, because a result refers to an earlier call, which names the tool."""

    def __init__(self) -> None:
        self._tools: dict[str, str] = {}

    def said(self, record: Mapping[str, object]) -> Iterator[tuple[bool, str]]:
        """Yield the words outside of a record's message, and whether the user said them."""
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
    """Yield a message that the user (not a program) queued while the agent worked."""
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
