"""Codex: hooks in `~/.codex/hooks.json`, the MCP server in `~/.codex/config.toml`, skills as links.

An earlier product wrapped the program itself; its script and its lines in shell files go.
"""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from signet.domain.harnesses import hooks, programs, tomledit
from signet.domain.harnesses.hooks import Hooked
from signet.domain.harnesses.jsontext import ConfigUnreadable
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
#: Codex runs new hooks only after a person has seen them.
APPROVAL = "Codex runs these hooks only after you approve them: start codex and press t"
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_EMPTY_STATE = re.compile(r"^\[hooks\.state\][ \t]*\n(?=\s*(?:\[|\Z))", re.M)
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
        ("SessionEnd", "session-end", 65),
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
        trusted = _keys(self, site)
        server, env = {"command": site.signet_mcp}, {"env": {"SIGNET_HARNESS": self.id}}
        return [
            self.hooks(site),
            Patch(
                path=self.config_path(site),
                put=lambda text: tomledit.put(text, _SERVERS, _SERVER, server, new=env),
                take=lambda text, _: _distrusted(tomledit.drop(text, _SERVERS, _SERVER), trusted),
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

    def notices(self, site: Site) -> list[str]:
        """Return that its hooks wait for a person's approval, and that its own memories are on."""
        settings, found = _settings(self.config_path(site)), []
        if {*_keys(self, site)} - _trusted(settings):
            found.append(APPROVAL)
        notes = site.home / ".codex" / "memories"
        is_on = _table(settings, "features").get("memories")
        if is_on or (is_on is None and next(notes.glob("*.md"), None)):
            found.append(
                "its own memories are on, too; to switch them off: codex features disable memories"
            )
        return found

    def warnings(self, site: Site, wishes: Wishes) -> list[str]:
        """Return that its hooks are disabled, or wait for a person's approval."""
        config = self.config_path(site)
        disabled = [f"{config}: [features] disables hooks"] if _hooks_are_off(config) else []
        waits = {*_keys(self, site)} - _trusted(_settings(config))
        return disabled + ([APPROVAL] if waits or not self.entry_path(site).is_file() else [])


def _keys(codex: Codex, site: Site) -> list[str]:
    """Return the names under which Codex notes that our hooks are trusted: file, event, group and place in it."""
    path = codex.entry_path(site)
    try:
        text = path.read_text("utf-8")
        places = [
            (event, group, place)
            for event, *_ in codex.events
            for group, place in hooks.places(text, event)
        ]
    except (OSError, ValueError, ConfigUnreadable):
        return []
    return [
        f"{path}:{_CAPITAL.sub('_', event).lower()}:{group}:{place}"
        for event, group, place in places
    ]


def _trusted(settings: Mapping[str, object]) -> set[str]:
    states = _table(_table(settings, "hooks"), "state")
    return {key for key, one in states.items() if isinstance(one, dict) and one.get("trusted_hash")}


def _distrusted(text: str, keys: Sequence[str]) -> str:
    """Take out what Codex noted of our hooks; a text with another form of that table is returned unchanged."""
    left = text
    for key in keys:
        left = _state_of(key).sub("", left)
    if not _table(_table(tomledit.read(left), "hooks"), "state"):
        left = _EMPTY_STATE.sub("", left)
    found, wanted = tomledit.read(left), tomledit.read(text)
    states = _table(_table(wanted, "hooks"), "state")
    others = {key: one for key, one in states.items() if key not in keys}
    return left if _table(_table(found, "hooks"), "state") == others else text


def _state_of(key: str) -> re.Pattern[str]:
    """Return the table of a hook, with a blank line before it."""
    quoted = "|".join((re.escape(json.dumps(key, ensure_ascii=False)), re.escape(f"'{key}'")))
    table = rf"\[hooks\.state\.(?:{quoted})\][^\n]*(?:\n|\Z)(?:[^\[\n][^\n]*(?:\n|\Z))*"
    return re.compile(rf"(?:(?<=\n)\n)?^{table}", re.M)


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
