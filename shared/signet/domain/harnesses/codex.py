"""Codex: hooks in `~/.codex/hooks.json`, the MCP server in `~/.codex/config.toml`, skills as links.

An edit of TOML adds or removes one table and leaves the rest unchanged. The result is parsed and compared with the
intended one; where a text cannot be changed so, as with an inline table, ConfigUnreadable is raised. The wrapper script
of an earlier product and its lines in shell files are removed.
"""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from signet.domain.harnesses import entries, programs
from signet.domain.harnesses.entries import Hooked
from signet.domain.harnesses.jsonedit import ConfigUnreadable
from signet.domain.harnesses.models import (
    PLUGIN,
    ConnectOptions,
    FilePatch,
    Problem,
    Site,
    gone_if_ours,
)
from signet.domain.harnesses.programs import Shell

Tree = dict[str, object]
_NONE: Mapping[str, Mapping[str, str]] = {}

#: Comments and blank lines between tables belong to the next one.
_NEXT = re.compile(r"^(?:[ \t]*+(?:#[^\n]*+)?\r?\n)+(?:[ \t]*+\[)?|^[ \t]*+\[", re.M)


def read_toml(text: str) -> Tree:
    """Return the parsed text; raises ConfigUnreadable with the line of the first mistake."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigUnreadable(str(error)) from error


def put_table(
    text: str,
    group: str,
    name: str,
    values: Mapping[str, str],
    *,
    new: Mapping[str, Mapping[str, str]] = _NONE,
) -> str:
    """Make the table `[group.name]` hold these values; a text whose table already does is unchanged.

    `new` are tables of texts that are added when the table has to be written.
    """
    tree = read_toml(text)
    tables = _tables(tree, group)
    found = tables.get(name)
    if isinstance(found, dict) and {**found, **values} == found:
        return text
    left = drop_table(text, group, name)
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [f"[{group}.{name}]", *_members(values)]
    lines += [f"{key} = {{ {', '.join(_members(one))} }}" for key, one in new.items()]
    gap = "" if not left.strip() else newline if left.endswith("\n") else newline * 2
    wanted = {**tree, group: {**tables, name: {**values, **new}}}
    return _checked(left + gap + newline.join(lines) + newline, group, wanted)


def drop_table(text: str, group: str, name: str) -> str:
    """Remove the table `[group.name]` and the tables in it; a text without it is unchanged."""
    tree = read_toml(text)
    tables = _tables(tree, group)
    if name not in tables:
        return text
    key = rf"[\"']?{group}[\"']?[ \t]*\.[ \t]*[\"']?{name}[\"']?"
    head = re.compile(rf"^[ \t]*\[[ \t]*{key}[ \t]*(?:\.[^\]\n]*)?\][^\n]*(?:\n|\Z)", re.M)
    while found := head.search(text):
        places = _NEXT.finditer(text, found.end())
        after = next((place for place in places if place[0].endswith("[")), None)
        if after is None:
            kept = text[: found.start()]
            end = kept.find("\n", len(kept.rstrip())) + 1
            text = kept[:end] or kept
        else:
            text = text[: found.start()] + text[after.start() :].lstrip("\r\n")
    others = {key: one for key, one in tables.items() if key != name}
    return _checked(text, group, {**tree, group: others})


def _tables(tree: Tree, group: str) -> Tree:
    found = tree.get(group, {})
    if not isinstance(found, dict):
        raise ConfigUnreadable(f"{group} is not a table")
    return found


def _checked(text: str, group: str, wanted: Tree) -> str:
    try:
        found = read_toml(text)
    except ConfigUnreadable:
        found = {}
    if {group: {}, **found} != wanted:
        raise ConfigUnreadable(f"{group} cannot be changed safely; please edit it by hand")
    return text


def _members(values: Mapping[str, str]) -> list[str]:
    return [f"{key} = {_quoted(one)}" for key, one in values.items()]


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


_SERVERS, _SERVER = "mcp_servers", "signet"
_SHELLS = ".bashrc .bash_profile .profile .zshrc .zprofile .config/fish/config.fish".split()
#: Codex runs new hooks only after a person has seen them.
APPROVAL = "Codex runs these hooks only after you approve them: start codex and press t"
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_EMPTY_STATE = re.compile(r"^\[hooks\.state\][ \t]*\n(?=\s*(?:\[|\Z))", re.M)
_BLOCK = re.compile(
    r"^# >>> signet codex >>>[^\n]*\n.*?^# <<< signet codex <<<[^\n]*(?:\n|\Z)", re.M | re.S
)


class Codex(Hooked):
    id = "codex"
    name = "Codex"
    config = ".codex/config.toml"
    skills_folder = ".codex/skills"
    #: Five seconds more than the hook itself waits (HN-60). `Stop` ends a turn, not the session
    #: (see domain/transcripts/merge.py).
    events = (
        ("SessionStart", "session-start", 20),
        ("UserPromptSubmit", "user-prompt-submit", 10),
        ("Stop", "session-end", 65),
        ("SessionEnd", "session-end", 65),
    )
    windows_shell = Shell.CMD
    arguments = "-H codex"
    plugin_removal = f"codex plugin remove {PLUGIN}"

    def entry_path(self, site: Site) -> Path:
        return site.home / ".codex" / "hooks.json"

    def patches(self, site: Site, wishes: ConnectOptions) -> list[FilePatch]:
        trusted = _keys(self, site)
        server, env = {"command": site.signet_mcp}, {"env": {"SIGNET_HARNESS": self.id}}
        return [
            self.hooks(site),
            FilePatch(
                path=self.config_path(site),
                put=lambda text: put_table(text, _SERVERS, _SERVER, server, new=env),
                take=lambda text, _: _distrusted(drop_table(text, _SERVERS, _SERVER), trusted),
            ),
            *_leftovers(site),
        ]

    def validation(self, site: Site) -> Sequence[str] | None:
        """Return the command that reads all of its settings, in half a second."""
        return ("codex", "mcp", "list")

    def has_plugin(self, site: Site) -> bool:
        plugin = _table(_table(_settings(self.config_path(site)), "plugins"), PLUGIN)
        return bool(plugin) and plugin.get("enabled") is not False

    def faults(self, site: Site) -> list[Problem]:
        config, found = self.config_path(site), super().faults(site)
        if _hooks_are_off(config):
            found.append(Problem(path=config, text="hooks are disabled"))
        server = _table(_table(_settings(config), _SERVERS), _SERVER)
        return found + programs.server_problems(config, server.get("command"))

    def notices(self, site: Site) -> list[str]:
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

    def warnings(self, site: Site, wishes: ConnectOptions) -> list[str]:
        config = self.config_path(site)
        disabled = [f"{config}: [features] disables hooks"] if _hooks_are_off(config) else []
        waits = {*_keys(self, site)} - _trusted(_settings(config))
        return disabled + ([APPROVAL] if waits or not self.entry_path(site).is_file() else [])


def _keys(codex: Codex, site: Site) -> list[str]:
    """Return the names under which Codex records trust in our hooks: file, event, group, place in the group."""
    path = codex.entry_path(site)
    try:
        text = path.read_text("utf-8")
        places = [
            (event, group, place)
            for event, *_ in codex.events
            for group, place in entries.hook_places(text, event)
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
    """Remove what Codex recorded of our hooks; a text with another form of that table is unchanged."""
    left = text
    for key in keys:
        left = _state_of(key).sub("", left)
    if not _table(_table(read_toml(left), "hooks"), "state"):
        left = _EMPTY_STATE.sub("", left)
    found, wanted = read_toml(left), read_toml(text)
    states = _table(_table(wanted, "hooks"), "state")
    others = {key: one for key, one in states.items() if key not in keys}
    return left if _table(_table(found, "hooks"), "state") == others else text


def _state_of(key: str) -> re.Pattern[str]:
    quoted = "|".join((re.escape(json.dumps(key, ensure_ascii=False)), re.escape(f"'{key}'")))
    table = rf"\[hooks\.state\.(?:{quoted})\][^\n]*(?:\n|\Z)(?:[^\[\n][^\n]*(?:\n|\Z))*"
    return re.compile(rf"(?:(?<=\n)\n)?^{table}", re.M)


def _leftovers(site: Site) -> list[FilePatch]:
    """Return the removal of the earlier product's wrapper and its lines in shell files."""
    wrapper = site.home / ".config" / "signet" / "bin" / "codex"
    shells = [site.home / name for name in _SHELLS]
    found = [
        FilePatch(path=path, put=lambda text: _BLOCK.sub("", text), is_final=True)
        for path in shells
        if path.is_file()
    ]
    if wrapper.is_file():
        found.append(FilePatch(path=wrapper, put=gone_if_ours, is_final=True))
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
