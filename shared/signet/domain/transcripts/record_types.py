"""The types of log records that hold messages; a record of any other type is never read as somebody's words.

Harnesses add record types without notice: Claude Code has repeated its API requests as `api-request-blob` since autumn
2026, and their texts (summaries, skills, command files) looked like messages of the user. So this is a list of what is
known to hold messages, and `unknown` names the rest.
"""

from collections.abc import Mapping

#: Types of records that hold one message, by who writes them. Some harnesses name the role as the type.
MESSAGES = frozenset(
    {
        *(
            "user",
            "human",
            "assistant",
            "ai",
            "model",
            "agent",
        ),  # Claude Code, Gemini CLI and chat exports
        "gemini",
        *("event_msg", "response_item", "item.completed"),  # Codex
        *("user_message", "agent_message", "UserMessage", "AgentMessage"),
        "message",  # OpenClaw
        *("user.message", "assistant.message"),  # GitHub Copilot
        *("user_input", "planner_response"),  # Windsurf
    }
)
#: Those of Claude Code; each of its records names the session.
_CLAUDE_CODE, _CLAUDE_CODE_MARK = frozenset({"user", "assistant"}), "sessionId"
#: How harnesses begin the summary of a compacted context, and the request for it: logs do not always mark these.
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
#: Names of types and versions come from outside.
_TYPE_CHARS = 64


def holds_message(record: Mapping[str, object]) -> bool:
    """Return whether a record is of a type that holds a message; one without a type is."""
    kind = record.get("type")
    known = _CLAUDE_CODE if _CLAUDE_CODE_MARK in record and "message" in record else MESSAGES
    return not kind or (isinstance(kind, str) and kind in known)


def is_summary(message: str) -> bool:
    """Return whether a message in the user's name is the summary of a compacted context."""
    return message.startswith(_SUMMARIES)


def unknown(record: Mapping[str, object]) -> str | None:
    """Return the type of a record that looks like a message and is of no known type."""
    if holds_message(record) or not any(_has_role(record.get(name)) for name in _PARTS):
        return None
    return str(record["type"])[:_TYPE_CHARS]


def version(record: Mapping[str, object]) -> str | None:
    """Return the version of the program that wrote a record, where it states one."""
    found = record.get("version")
    for name in ("payload", "data"):
        part = record.get(name)
        if not found and isinstance(part, Mapping):
            found = part.get("cli_version") or part.get("copilotVersion")
    return found[:_TYPE_CHARS] if isinstance(found, str) else None


def _has_role(part: object) -> bool:
    return isinstance(part, Mapping) and part.get("role") in _ROLES and bool(part.get("content"))
