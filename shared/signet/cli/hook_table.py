"""The hook commands: flags, fields read from the harness, and output."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

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
        "last_assistant_message",
        "lastAssistantMessage",
        "assistant_message",
        "assistantMessage",
        "last_message",
        "lastMessage",
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
