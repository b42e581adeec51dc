"""The JSON of each harness on a hook's stdin, and the JSON that it reads from stdout.

`hook_table.py` has the common fields, this module the special ones. Forms were seen with Codex 0.169, Gemini CLI 0.61
and Copilot CLI 1.0; those of Cursor, Windsurf and VS Code follow their documentation.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

#: Other harnesses that run hooks from Claude Code's settings: their own field, and the file of our hooks there.
_READERS = {"cursor_version": ".cursor/hooks.json", "timestamp": ".copilot/hooks/signet.json"}

#: Where `signet harness install` writes the hooks of harnesses that also have a plugin.
_INSTALLED = {
    "claude-code": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "copilot": ".copilot/hooks/signet.json",
    "cursor": ".cursor/hooks.json",
    "gemini-cli": ".gemini/settings.json",
}
_OURS = "hook session-start"


def spoken(said: Mapping[str, object]) -> Mapping[str, object]:
    """Return the input with nested fields moved to the top: the first folder, the event's details."""
    found = dict(said)
    details, roots = said.get("tool_info"), said.get("workspace_roots")
    if isinstance(details, Mapping):  # Windsurf
        found = {**details, **found}
    if isinstance(roots, list) and roots:  # Cursor
        found["workspace_root"] = roots[0]
    return found


def event_of(said: Mapping[str, object]) -> str | None:
    """Return the harness's name of the event, if given."""
    found = said.get("hook_event_name") or said.get("hookEventName")
    return found if isinstance(found, str) else None


def reason_of(harness: str, reason: object) -> object:
    """Return why a session ended, in the daemon's terms; a cleared session is not kept.

    Except in Claude Code and Gemini CLI, where people clear a conversation to start the next one and its decisions
    still apply.
    """
    is_next = harness in ("claude-code", "gemini-cli") and reason == "clear"
    return "new_session" if is_next else reason


def answered(harness: str, event: str, text: str) -> str:
    """Return a context text in the form that the harness reads at an event.

    Claude Code and unknown harnesses take it unchanged. Codex parses output that begins with a bracket as JSON and
    rejects anything else.
    """
    inner = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}
    forms: Mapping[str, Mapping[str, object]] = {
        "codex": inner,
        "gemini-cli": inner,
        "cursor": {"continue": True, "additional_context": text},
        "copilot": {"additionalContext": text, **inner},
    }
    return json.dumps(forms[harness], ensure_ascii=False) if harness in forms else text


def repeats(harness: str, said: Mapping[str, object], home: Path) -> bool:
    """Return whether a hook from Claude Code's settings runs in a harness that also runs our own hooks.

    Cursor and VS Code run both; without their own hooks, these serve them.
    """
    if harness != "claude-code" or "/.claude/" in str(said.get("transcript_path")).replace(
        "\\", "/"
    ):
        return False
    return _holds_ours(home, next((_READERS[mark] for mark in _READERS if mark in said), None))


def is_installed(harness: str, home: Path) -> bool:
    """Return whether the harness also runs our hooks without the plugin; then the plugin's do nothing."""
    return _holds_ours(home, _INSTALLED.get(harness))


def _holds_ours(home: Path, place: str | None) -> bool:
    try:
        return place is not None and _OURS in (home / place).read_text("utf-8")
    except (OSError, ValueError):
        return False


#: Spellings of each field in different harnesses.
SPELLINGS: Mapping[str, tuple[str, ...]] = {
    "sessionKey": (
        *("session_key", "sessionKey", "session_id", "sessionId"),
        *("conversation_id", "trajectory_id"),
    ),
    "project": ("cwd", "project", "workspace", "workspace_root"),
    "cwd": ("cwd", "workspace_root"),
    "agentId": ("agent_id", "agentId"),
    "context": ("context",),
    "userPrompt": ("prompt", "user_prompt", "userPrompt", "message"),
    "lastAssistantMessage": (
        *("last_assistant_message", "lastAssistantMessage", "assistant_message"),
        *("assistantMessage", "last_message", "lastMessage"),
    ),
    "transcriptPath": ("transcript_path", "transcriptPath"),
    "transcript": ("transcript",),
    # Without a reason, the event that ends a turn is the reason: Codex sends `Stop`.
    "reason": ("reason", "hook_event_name", "hookEventName", "agent_action_name"),
    "sessionContext": ("session_context", "sessionContext"),
    "messageCount": ("message_count", "messageCount"),
    "summary": ("summary",),
    "content": ("content",),
}


class Hook(NamedTuple):
    """One command: its flags and their fields, the fields read from stdin, and the output."""

    help: str
    flags: Mapping[str, str] = MappingProxyType({})
    reads: tuple[str, ...] = ()
    needs: str | None = None
    prints: str | None = None
    #: The environment variable with its time limit.
    patience: str = "SIGNET_FETCH_TIMEOUT"
    is_spooled: bool = False
    #: A harness waits for it, so it must never fail.
    is_lifecycle: bool = False


HOOKS: Mapping[str, Hook] = {
    "session-start": Hook(
        help="Print the context for a new session.",
        flags={"--project": "project", "--agent-id": "agentId", "--context": "context"},
        reads=("sessionKey", "project", "agentId", "context"),
        prints="inject",
        patience="SIGNET_SESSION_START_TIMEOUT",
        is_lifecycle=True,
    ),
    "user-prompt-submit": Hook(
        help="Print memories that are relevant to a prompt.",
        flags={"--project": "project"},
        reads=("sessionKey", "project", "userPrompt", "lastAssistantMessage", "transcriptPath"),
        prints="inject",
        patience="SIGNET_PROMPT_SUBMIT_TIMEOUT",
        is_lifecycle=True,
    ),
    "session-end": Hook(
        help="Submit the transcript of a session that ends.",
        flags={"--project": "cwd"},
        reads=("sessionKey", "cwd", "transcriptPath", "transcript", "reason"),
        is_spooled=True,
        is_lifecycle=True,
    ),
    "pre-compaction": Hook(
        help="Print one line for the summary before compaction.",
        flags={"--project": "project", "--message-count": "messageCount"},
        reads=("sessionKey", "project", "sessionContext", "messageCount"),
        prints="note",
        is_lifecycle=True,
    ),
    "compaction-complete": Hook(
        help="Save the summary made by compaction.",
        flags={"--summary": "summary", "-s": "summary"},
        reads=("sessionKey", "project", "summary"),
        needs="summary",
        is_spooled=True,
    ),
    "synthesis": Hook(help="Print the prompt that generates MEMORY.md.", prints="prompt"),
    "synthesis-complete": Hook(
        help="Replace MEMORY.md with a generated text.",
        flags={"--content": "content", "-c": "content"},
        needs="content",
    ),
}
