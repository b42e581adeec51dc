"""What was put into a session by programs: recalled memories, reminders of the harness, echoes of commands.

Nobody has said it. What recall put there is in the store already; read again as news, it would confirm itself.
Known by its marks and taken out before anything is read from a text.
"""

import re

_TAG = (
    r"(system-reminder|local-command-[a-z]+|command-[a-z]+|bash-[a-z]+|environment_context"
    r"|user_instructions|task-notification|hook_context|session_context|ide_[a-z]+|user-prompt-submit-hook|session-start-hook"
    r"|signet-[a-z]+|memory-feedback|relevant-memories|tool_(?:result|output|response)|function_results?)"
)
#: What stands around what somebody did say, in Cursor.
_WRAPPING = re.compile(r"</?user_query>\n?")
_OPENING = re.compile(rf"<{_TAG}\b")
#: The line above recalled memories, and the list below it, each with its day (HK-56); in a memory, whose text is one
#: line, the items follow each other.
_HEAD = r"\[signet:recall\b[^\n]{0,1000}?\bengine=[\w-]+\]"
_DAY = r"\((?:[A-Z][a-z]{2} \d|\d{4}-)[^()\n]*\)(?=\s|\Z)"
_RECALLED = re.compile(
    rf"(?:^[ \t]*|(?<=: )){_HEAD}[ \t]*(?:\n[ \t]*)?(?:\n[ \t]*- [^\n]*)+|{_HEAD}(?: - [^\n]{{0,2000}}?{_DAY})*",
    re.MULTILINE,
)
#: What a session begins with: from its first line to where somebody speaks (HK-30).
_BEGINNING = re.compile(
    r"(?:^|(?<=: ))[ \t]*\[memory active \| [^\]\n]{0,200}\].*?"
    r"(?=^[ \t]*[*_#> ]*(?:user|human|assistant|ai)[*_ ]*(?:\([\dTZ:-]{20}\))?:|\Z)",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
#: What Claude Code logs as a message where the user stops it.
_STOPPED = re.compile(r"^[ \t]*\[Request interrupted by user[^\]\n]{0,40}\][ \t]*$", re.MULTILINE)
#: The instructions of a repository, as Codex puts them before the first prompt.
_AGENTS = re.compile(
    r"^# AGENTS\.md instructions[^\n]*\n+<INSTRUCTIONS>.*?(?:</INSTRUCTIONS>|\Z)",
    re.MULTILINE | re.DOTALL,
)
#: The files that a prompt of Gemini CLI names with @.
_FILES = re.compile(
    r"^--- Content from referenced files ---$.*?(?:^--- End of content ---$|\Z)",
    re.MULTILINE | re.DOTALL,
)
#: What every one of these begins with. A text without any of it is left alone, at the cost of one fast search.
_MARK = re.compile(
    rf"<{_TAG}\b|\[signet:recall|\[memory active|\[Request interrupted by user|# AGENTS\.md instr"
    r"|^--- Content from referenced files ---$",
    re.MULTILINE,
)


def without(text: str) -> str:
    """Return a text without what programs put into it."""
    if "<" in text:
        text = _WRAPPING.sub("", text)
    if not ("<" in text or "[" in text or "--- C" in text) or _MARK.search(text) is None:
        return text
    text = _AGENTS.sub("", _untagged(_FILES.sub("", text)))
    return _STOPPED.sub("", _BEGINNING.sub("", _RECALLED.sub("", text)))


def _untagged(text: str) -> str:
    """Return a text without blocks between tags: those of harnesses, and those that enclose what Signet gives them.

    One that begins a line and is never closed was cut. Linear in the text, which may name a tag any number of times.
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
