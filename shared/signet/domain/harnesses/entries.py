"""Base classes of harnesses that keep hooks or MCP servers in a JSON file.

An event holds a list of groups, each with a list of commands (Claude Code, Codex, Gemini CLI), or the commands
themselves (Cursor, Windsurf). Only our own commands are removed; a group is removed when nothing else is in it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from pathlib import Path

from signet.domain.harnesses import jsonedit, programs
from signet.domain.harnesses.jsonedit import ConfigUnreadable, Json
from signet.domain.harnesses.models import (
    Before,
    ConnectOptions,
    FilePatch,
    HarnessConnector,
    Problem,
    Site,
)
from signet.domain.harnesses.programs import Shell

#: Our hooks, by their name after `signet hook`.
HOOK_NAMES = ("session-start", "user-prompt-submit", "pre-compaction", "session-end")
_OURS = re.compile(rf"signet\S{{0,400}}\s+hook\s+(?:{'|'.join(HOOK_NAMES)})\b")


class Hooked(HarnessConnector):
    """A harness that runs commands at the events of a session, which `entry_path` lists."""

    #: Event, our hook, and the time limit of the harness: in seconds unless stated otherwise.
    events: Sequence[tuple[str, str, int]]
    #: Events that never existed, which earlier products wrote.
    stale: Sequence[str] = ()
    #: The shell of its commands on Windows.
    windows_shell = Shell.SH
    #: The command line after the name of a hook.
    arguments: str

    def hooks(self, site: Site) -> FilePatch:
        wanted = {
            event: self.listed(
                handler(site.signet, name, self.arguments, timeout, self.windows_shell)
            )
            for event, name, timeout in self.events
        }
        ours = [*wanted, *self.stale]
        bring = partial(put_hooks, wanted=wanted, stale=self.stale)
        return FilePatch(
            path=self.entry_path(site),
            put=bring,
            take=lambda text, _: take_hooks(text, ours),
            renew=partial(bring, adds=False),
            empty=jsonedit.EMPTY,
        )

    def listed(self, command: Mapping[str, Json]) -> Json:
        """Return the entry of an event's list for one of our commands."""
        return {"hooks": [command]}

    def uses(self, text: str) -> bool:
        """Return whether its first event, usually the start of a session, calls us (HN-42)."""
        return bool(our_commands(text, self.events[0][0]))

    def faults(self, site: Site) -> list[Problem]:
        """Return events that do not call us, missing programs, and the faults of other entries."""
        path, found = self.entry_path(site), []
        text = path.read_text("utf-8")
        for event, *_ in self.events:
            ours = our_commands(text, event)
            reasons = {why for one in ours if (why := command_problem(one)) is not None}
            found += [f"{event}: {why}" for why in sorted(reasons)]
            found += [] if ours else [f"no Signet hook for {event}"]
        return [*(Problem(path=path, text=why) for why in found), *super().faults(site)]


def handler(
    program: str, name: str, arguments: str, timeout: int, on_windows: Shell = Shell.SH
) -> Mapping[str, Json]:
    """Return the entry of one hook, with only those keys that every version of the harness knows (#978)."""
    called = programs.quoted(programs.slashed(program), programs.shell_here(on_windows))
    command = f"{called} hook {name} {arguments}"
    return {"type": "command", "command": command, "timeout": timeout}


def put_hooks(
    text: str, wanted: Mapping[str, Json], *, stale: Sequence[str] = (), adds: bool = True
) -> str:
    """Add our entry to each event, in place of older ones of ours; `stale` are events that never existed.

    Unless `adds`, an event without an entry of ours gets none.
    """
    for event in stale:
        text = _taken(text, event)
    for event, entry in wanted.items():
        groups = jsonedit.get(text, ("hooks", event))
        if groups is not None and not isinstance(groups, list):
            raise ConfigUnreadable(f"hooks.{event} is not a list")
        ours = [one for one in groups or [] if _holds_ours(one)]
        if ours == [entry] or not (ours or adds):
            continue
        text = jsonedit.append(_without(text, event), ("hooks", event), entry)
    return text


def take_hooks(text: str, events: Sequence[str]) -> str:
    """Remove our entries from these events, and containers that become empty."""
    for event in events:
        text = _taken(text, event)
    return text


def our_commands(text: str, event: str) -> list[str]:
    """Return our commands at an event; raises ConfigUnreadable."""
    groups = jsonedit.get(text, ("hooks", event))
    found = [one for group in _list(groups) for one in _handlers(group)]
    return [str(one["command"]) for one in found if isinstance(one, Mapping) and _is_ours(one)]


def hook_places(text: str, event: str) -> list[tuple[int, int]]:
    """Return the group number and the place in it of our commands at an event; raises ConfigUnreadable."""
    groups = _list(jsonedit.get(text, ("hooks", event)))
    return [
        (number, place)
        for number, group in enumerate(groups)
        for place, one in enumerate(_handlers(group))
        if _is_ours(one)
    ]


def command_problem(command: str) -> str | None:
    """Return why a harness cannot run the program of one of our commands, or None."""
    try:
        program = programs.program_of(command)
    except ValueError:
        return "its command is empty"
    return programs.problem(program)


def _taken(text: str, event: str) -> str:
    left = _without(text, event)
    return text if left == text else jsonedit.prune(left, ("hooks", event))


def _without(text: str, event: str) -> str:
    """Remove our commands from an event, and the groups that held nothing else."""
    groups = jsonedit.get(text, ("hooks", event))
    if not any(_holds_ours(group) for group in _list(groups)):
        return text
    path = ("hooks", event)
    text = jsonedit.drop_items(text, path, _is_only_ours)
    for place, group in enumerate(_list(jsonedit.get(text, path))):
        if _holds_ours(group):
            text = _without_handlers(text, event, place)
    return text


def _without_handlers(text: str, event: str, place: int) -> str:
    """Remove our commands from a group that also has others."""
    groups = jsonedit.find(text, ("hooks", event))
    assert groups is not None
    group = groups.entries[place].node
    left = jsonedit.drop_items(text[group.start : group.end], ("hooks",), _is_ours)
    return text[: group.start] + left + text[group.end :]


def _holds_ours(group: Json) -> bool:
    return any(_is_ours(one) for one in _handlers(group))


def _is_only_ours(group: Json) -> bool:
    handlers = _handlers(group)
    return bool(handlers) and all(_is_ours(one) for one in handlers)


def _handlers(group: Json) -> Sequence[Json]:
    if not isinstance(group, Mapping):
        return ()
    return _list(group["hooks"]) if "hooks" in group else (group,)


def _is_ours(one: Json) -> bool:
    command = one.get("command") if isinstance(one, Mapping) else None
    return isinstance(command, str) and _OURS.search(command) is not None


def _list(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list) else ()


_SERVER = "signet"


class ServedHarness(HarnessConnector):
    """A harness that reads its MCP servers from an object of a JSON file."""

    #: Its file of servers, if it is not its settings file.
    servers: str = ""
    #: The object with the servers.
    key: str = "mcpServers"
    #: What an entry needs in addition to the program, its arguments and its environment.
    extras: Sequence[tuple[str, Json]] = ()

    def server_path(self, site: Site) -> Path:
        return site.home / self.servers if self.servers else self.config_path(site)

    def server(self, site: Site, path: Path | None = None, key: str = "") -> FilePatch:
        """Return the change of the file with its servers; `path` and `key` name another file and object."""
        place = (key or self.key, _SERVER)
        entry: Mapping[str, Json] = {
            **dict(self.extras),
            "command": site.signet_mcp,
            "args": [],
            "env": {"SIGNET_HARNESS": self.id},
        }
        put = partial(
            jsonedit.ensure, path=place, value=entry, needed=(*dict(self.extras), "command")
        )
        return FilePatch(
            path=path or self.server_path(site),
            put=put,
            take=lambda text, _: jsonedit.without(text, place),
            renew=lambda text: put(text) if jsonedit.has(text, place) else text,
            empty=jsonedit.EMPTY,
        )

    def patches(self, site: Site, wishes: ConnectOptions) -> list[FilePatch]:
        return [self.server(site)]

    def uses(self, text: str) -> bool:
        return jsonedit.has(text, (self.key, _SERVER))

    def faults(self, site: Site) -> list[Problem]:
        """Return a server that is missing, or whose program is."""
        path = self.server_path(site)
        try:
            program = jsonedit.get(path.read_text("utf-8"), (self.key, _SERVER, "command"))
        except (OSError, ValueError, ConfigUnreadable):
            program = None
        if program is None:
            return [Problem(path=path, text="the MCP server is missing")]
        return programs.server_problems(path, program)


class HookedAndServed(Hooked, ServedHarness):
    """A harness with hooks and MCP servers, each in a JSON file."""

    def patches(self, site: Site, wishes: ConnectOptions) -> list[FilePatch]:
        return [self.hooks(site), self.server(site)]


def together(patches: Sequence[FilePatch]) -> FilePatch:
    first, *_ = patches

    def put(text: str) -> str:
        return reduce(lambda text, one: one.put(text) or "", patches, text)

    def renew(text: str) -> str:
        return reduce(lambda text, one: one.renew(text) if one.renew else text, patches, text)

    def take(text: str, before: Before) -> str:
        return reduce(lambda text, one: one.take(text, before), patches, text)

    def before(text: str) -> Before:
        return {key: value for one in patches for key, value in one.before(text).items()}

    return replace(first, put=put, renew=renew, take=take, before=before)
