"""Claude Code: hooks in `~/.claude/settings.json`, the MCP server in `~/.claude.json`, skills as links."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from signet.domain.harnesses import hooks, jsonedit, programs
from signet.domain.harnesses.jsontext import ConfigUnreadable, Json
from signet.domain.harnesses.models import Before, Patch, Problem, Site, Wishes

#: Event, our hook, and how many seconds the harness waits for it (HN-40).
EVENTS = (
    ("SessionStart", "session-start", 15),
    ("UserPromptSubmit", "user-prompt-submit", 5),
    ("PreCompact", "pre-compaction", 10),
    ("SessionEnd", "session-end", 60),
)
#: An event that never existed, which earlier products wrote.
_STALE = ("PreCompaction",)
_ARGUMENTS = '-H claude-code --project "$(pwd)"'
_SERVER = ("mcpServers", "signet")


class ClaudeCode:
    """The connector of Claude Code."""

    id = "claude-code"
    name = "Claude Code"

    def config_path(self, site: Site) -> Path:
        """Return its settings."""
        return site.home / ".claude" / "settings.json"

    def refusal(self, site: Site) -> str | None:
        """Return None: nothing is needed."""
        return None

    def patches(self, site: Site, wishes: Wishes) -> list[Patch]:
        """Return settings and servers."""
        return [
            Patch(
                path=self.config_path(site),
                put=lambda text: _with_hooks(text, site),
                take=_without_hooks,
                renew=lambda text: _with_hooks(text, site, adds=False),
                empty=jsonedit.EMPTY,
            ),
            Patch(
                path=_state(site),
                put=lambda text: _with_server(text, site),
                take=_without_server,
                empty=jsonedit.EMPTY,
            ),
        ]

    def skills(self, site: Site) -> Path | None:
        """Return its folder of skills."""
        return site.home / ".claude" / "skills"

    def validation(self, site: Site) -> Sequence[str] | None:
        """Return None: its commands that read settings also write some, and start every MCP server."""
        return None

    def is_installed(self, site: Site) -> bool:
        """Return whether a session's start calls us (HN-42)."""
        try:
            return bool(hooks.commands(self.config_path(site).read_text("utf-8"), "SessionStart"))
        except (OSError, ValueError, ConfigUnreadable):
            return False

    def problems(self, site: Site) -> list[Problem]:
        """Return events that do not call us, and programs that are gone."""
        if not self.is_installed(site):
            return []
        path = self.config_path(site)
        text = path.read_text("utf-8")
        found = event_problems(path, text, [event for event, _, _ in EVENTS])
        found += [Problem(path=path, text=why) for why in _ignored(text)]
        return found + programs.server_problems(_state(site), _server_program(_state(site)))

    def warnings(self, site: Site, wishes: Wishes) -> list[str]:
        """Return why Claude Code would not read the settings that were written."""
        path = self.config_path(site)
        return (
            [f"{path}: {why}" for why in _ignored(path.read_text("utf-8"))]
            if path.is_file()
            else []
        )


def _ignored(text: str) -> list[str]:
    """Return why Claude Code ignores a settings file without a word, if it does (seen with 2.1.197)."""
    try:
        json.loads(text or "{}")
    except ValueError:
        return ["Claude Code ignores a file with comments or trailing commas; remove them"]
    return []


def _state(site: Site) -> Path:
    return site.home / ".claude.json"


def _server_program(path: Path) -> object:
    try:
        return jsonedit.get(path.read_text("utf-8"), (*_SERVER, "command"))
    except (OSError, ValueError, ConfigUnreadable):
        return None


def event_problems(path: Path, text: str, events: list[str]) -> list[Problem]:
    """Return what is wrong with our commands at these events."""
    found = []
    for event in events:
        ours = hooks.commands(text, event)
        if not ours:
            found.append(Problem(path=path, text=f"no Signet hook for {event}"))
        told = {why for one in ours if (why := hooks.problem(one)) is not None}
        found += [Problem(path=path, text=f"{event}: {why}") for why in sorted(told)]
    return found


def _with_hooks(text: str, site: Site, *, adds: bool = True) -> str:
    wanted = {
        event: hooks.handler(site.signet, name, _ARGUMENTS, seconds)
        for event, name, seconds in EVENTS
    }
    return hooks.put(text, wanted, stale=_STALE, adds=adds)


def _with_server(text: str, site: Site) -> str:
    server: Mapping[str, Json] = {
        "type": "stdio",
        "command": site.signet_mcp,
        "args": [],
        "env": {"SIGNET_HARNESS": ClaudeCode.id},
    }
    return jsonedit.ensure(text, _SERVER, server, ("type", "command"))


def _without_hooks(text: str, before: Before) -> str:
    return hooks.take(text, (*(event for event, _, _ in EVENTS), *_STALE))


def _without_server(text: str, before: Before) -> str:
    left = jsonedit.drop(text, _SERVER)
    return text if left == text else jsonedit.prune(left, _SERVER[:-1])
