"""Codex: hooks in `~/.codex/hooks.json`, the MCP server in `~/.codex/config.toml`, skills as links.

An earlier product wrapped the program itself; its script and its lines in shell files go.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from signet.domain.harnesses import hooks, jsonedit, programs, tomledit
from signet.domain.harnesses.claude_code import event_problems
from signet.domain.harnesses.jsontext import ConfigUnreadable
from signet.domain.harnesses.models import Before, Patch, Problem, Site, Wishes

#: Event, our hook, seconds: five more than the hook itself waits (HN-60). `Stop` ends a turn, which its input
#: says, so that the session goes on (see domain/transcripts/merge.py).
EVENTS = (
    ("SessionStart", "session-start", 20),
    ("UserPromptSubmit", "user-prompt-submit", 10),
    ("Stop", "session-end", 65),
)
_SERVERS, _SERVER = "mcp_servers", "signet"
_SHELLS = (
    ".bashrc",
    ".bash_profile",
    ".profile",
    ".zshrc",
    ".zprofile",
    ".config/fish/config.fish",
)
_BLOCK = re.compile(
    r"^# >>> signet codex >>>[^\n]*\n.*?^# <<< signet codex <<<[^\n]*(?:\n|\Z)", re.M | re.S
)


class Codex:
    """The connector of Codex."""

    id = "codex"
    name = "Codex"

    def config_path(self, site: Site) -> Path:
        """Return its settings."""
        return site.home / ".codex" / "config.toml"

    def refusal(self, site: Site) -> str | None:
        """Return None: nothing is needed."""
        return None

    def patches(self, site: Site, wishes: Wishes) -> list[Patch]:
        """Return hooks, servers and what an earlier product left."""
        return [
            Patch(
                path=self._hooks_path(site),
                put=lambda text: _with_hooks(text, site),
                take=_without_hooks,
                renew=lambda text: _with_hooks(text, site, adds=False),
                empty=jsonedit.EMPTY,
            ),
            Patch(
                path=self.config_path(site),
                put=lambda text: _with_server(text, site),
                take=lambda text, before: tomledit.drop(text, _SERVERS, _SERVER),
            ),
            *_leftovers(site),
        ]

    def skills(self, site: Site) -> Path | None:
        """Return its folder of skills."""
        return site.home / ".codex" / "skills"

    def validation(self, site: Site) -> Sequence[str] | None:
        """Return the command that reads all of its settings, in half a second."""
        return ("codex", "mcp", "list")

    def is_installed(self, site: Site) -> bool:
        """Return whether a session's start calls us."""
        try:
            return bool(hooks.commands(self._hooks_path(site).read_text("utf-8"), "SessionStart"))
        except (OSError, ValueError, ConfigUnreadable):
            return False

    def problems(self, site: Site) -> list[Problem]:
        """Return events that do not call us, programs that are gone, hooks that are switched off."""
        if not self.is_installed(site):
            return []
        path = self._hooks_path(site)
        found = event_problems(path, path.read_text("utf-8"), [event for event, _, _ in EVENTS])
        config = self.config_path(site)
        if _hooks_are_off(config):
            found.append(Problem(path=config, text="hooks are disabled"))
        server = _table(_table(_settings(config), _SERVERS), _SERVER)
        return found + programs.server_problems(config, server.get("command"))

    def warnings(self, site: Site, wishes: Wishes) -> list[str]:
        """Return that its hooks are disabled."""
        config = self.config_path(site)
        return [f"{config}: [features] disables hooks"] if _hooks_are_off(config) else []

    def _hooks_path(self, site: Site) -> Path:
        return site.home / ".codex" / "hooks.json"


def _with_hooks(text: str, site: Site, *, adds: bool = True) -> str:
    wanted = {
        event: hooks.handler(site.signet, name, "-H codex", seconds)
        for event, name, seconds in EVENTS
    }
    return hooks.put(text, wanted, adds=adds)


def _without_hooks(text: str, before: Before) -> str:
    return hooks.take(text, [event for event, _, _ in EVENTS])


def _with_server(text: str, site: Site) -> str:
    env = {"env": {"SIGNET_HARNESS": Codex.id}}
    return tomledit.put(text, _SERVERS, _SERVER, {"command": site.signet_mcp}, new=env)


def _leftovers(site: Site) -> list[Patch]:
    """Return the wrapper and the lines of shell files that put it in front."""
    wrapper = site.home / ".config" / "signet" / "bin" / "codex"
    shells = [site.home / name for name in _SHELLS]
    found = [
        Patch(path=path, put=lambda text: _BLOCK.sub("", text), is_final=True)
        for path in shells
        if path.is_file()
    ]
    if wrapper.is_file():
        found.append(Patch(path=wrapper, put=_without_wrapper, is_final=True))
    return found


def _without_wrapper(text: str) -> str | None:
    return None if "signet" in text.lower() else text


def _hooks_are_off(path: Path) -> bool:
    features = _table(_settings(path), "features")
    return any(features.get(key) is False for key in ("hooks", "codex_hooks"))


def _settings(path: Path) -> Mapping[str, object]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}


def _table(settings: Mapping[str, object], name: str) -> Mapping[str, object]:
    found = settings.get(name)
    return found if isinstance(found, dict) else {}
