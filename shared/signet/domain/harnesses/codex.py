"""Codex: hooks in `~/.codex/hooks.json`, the MCP server in `~/.codex/config.toml`, skills as links.

An earlier product wrapped the program itself; its script and its lines in shell files go.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from signet.domain.harnesses import programs, tomledit
from signet.domain.harnesses.hooks import Hooked
from signet.domain.harnesses.models import Patch, Problem, Site, Wishes, gone_if_ours
from signet.domain.harnesses.shells import Shell

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


class Codex(Hooked):
    """The connector of Codex."""

    id = "codex"
    name = "Codex"
    #: Five seconds more than the hook itself waits (HN-60). `Stop` ends a turn, which its input says, so that the
    #: session goes on (see domain/transcripts/merge.py).
    events = (
        ("SessionStart", "session-start", 20),
        ("UserPromptSubmit", "user-prompt-submit", 10),
        ("Stop", "session-end", 65),
    )
    windows_shell = Shell.CMD
    arguments = "-H codex"

    def config_path(self, site: Site) -> Path:
        """Return its settings."""
        return site.home / ".codex" / "config.toml"

    def entry_path(self, site: Site) -> Path:
        """Return its hooks."""
        return site.home / ".codex" / "hooks.json"

    def patches(self, site: Site, wishes: Wishes) -> list[Patch]:
        """Return hooks, servers and what an earlier product left."""
        server, env = {"command": site.signet_mcp}, {"env": {"SIGNET_HARNESS": self.id}}
        return [
            self.hooks(site),
            Patch(
                path=self.config_path(site),
                put=lambda text: tomledit.put(text, _SERVERS, _SERVER, server, new=env),
                take=lambda text, _: tomledit.drop(text, _SERVERS, _SERVER),
            ),
            *_leftovers(site),
        ]

    def skills(self, site: Site) -> Path | None:
        """Return its folder of skills."""
        return site.home / ".codex" / "skills"

    def validation(self, site: Site) -> Sequence[str] | None:
        """Return the command that reads all of its settings, in half a second."""
        return ("codex", "mcp", "list")

    def faults(self, site: Site) -> list[Problem]:
        """Return what is wrong with its hooks, that they are switched off, and a server that is gone."""
        config, found = self.config_path(site), super().faults(site)
        if _hooks_are_off(config):
            found.append(Problem(path=config, text="hooks are disabled"))
        server = _table(_table(_settings(config), _SERVERS), _SERVER)
        return found + programs.server_problems(config, server.get("command"))

    def warnings(self, site: Site, wishes: Wishes) -> list[str]:
        """Return that its hooks are disabled."""
        config = self.config_path(site)
        return [f"{config}: [features] disables hooks"] if _hooks_are_off(config) else []


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
        found.append(Patch(path=wrapper, put=gone_if_ours, is_final=True))
    return found


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
