"""The JSON that each harness gives a hook on stdin, and the JSON that it reads from its stdout.

What most of them say alike is in `hook_table.py`; here is what only some do. The forms were seen with Codex 0.169,
Gemini CLI 0.61 and Copilot CLI 1.0; those of Cursor, Windsurf and VS Code are from their documentation.
"""

import json
from collections.abc import Mapping
from pathlib import Path

#: A hook of Claude Code's settings that another harness runs, by what only that harness says, and where our own hooks
#: of that harness are.
_READERS = {"cursor_version": ".cursor/hooks.json", "timestamp": ".copilot/hooks/signet.json"}

#: Where `signet harness install` puts the hooks of a harness for which there is a plugin, too.
_INSTALLED = {
    "claude-code": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "copilot": ".copilot/hooks/signet.json",
    "cursor": ".cursor/hooks.json",
    "gemini-cli": ".gemini/settings.json",
}
_OURS = "hook session-start"


def spoken(said: Mapping[str, object]) -> Mapping[str, object]:
    """Return what a harness says with the fields that some put deeper: the first folder, the details of an event."""
    found = dict(said)
    details, roots = said.get("tool_info"), said.get("workspace_roots")
    if isinstance(details, Mapping):  # Windsurf
        found = {**details, **found}
    if isinstance(roots, list) and roots:  # Cursor
        found["workspace_root"] = roots[0]
    return found


def event_of(said: Mapping[str, object]) -> str | None:
    """Return what a harness calls the event, where it says so."""
    found = said.get("hook_event_name") or said.get("hookEventName")
    return found if isinstance(found, str) else None


def reason_of(harness: str, reason: object) -> object:
    """Return why a session ended, as the daemon knows it: of one that is cleared it keeps nothing.

    In Claude Code and Gemini CLI people clear the talk to begin the next one, and what they decided stands.
    """
    is_next = harness in ("claude-code", "gemini-cli") and reason == "clear"
    return "new_session" if is_next else reason


def answered(harness: str, event: str, text: str) -> str:
    """Return a text that becomes context of the model in the form that the harness reads at an event.

    Claude Code and what is not known take it as it stands; Codex takes output that begins with a bracket for JSON and
    rejects what is none.
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
    """Return whether a hook of Claude Code's settings is run by a harness that runs our own hooks too.

    Cursor and VS Code also run those; without hooks of their own, they are served by these.
    """
    if harness != "claude-code" or "/.claude/" in str(said.get("transcript_path")).replace(
        "\\", "/"
    ):
        return False
    return _holds_ours(home, next((_READERS[mark] for mark in _READERS if mark in said), None))


def is_installed(harness: str, home: Path) -> bool:
    """Return whether a harness runs our hooks without its plugin, too; then the plugin's do nothing."""
    return _holds_ours(home, _INSTALLED.get(harness))


def _holds_ours(home: Path, place: str | None) -> bool:
    try:
        return place is not None and _OURS in (home / place).read_text("utf-8")
    except (OSError, ValueError):
        return False
