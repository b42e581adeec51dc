"""The commands that a harness runs at the events of a session, in the two ways in which harnesses write them down.

An event is a list of groups, each with a list of commands (Claude Code, Codex, Gemini CLI), or the commands themselves
(Cursor, Windsurf). Only our own commands are ever taken out of it; a group goes when nothing is left in it.
"""

import re
from collections.abc import Mapping, Sequence
from functools import partial

from signet.domain.harnesses import jsonedit, programs, shells
from signet.domain.harnesses.jsontext import ConfigUnreadable, Json
from signet.domain.harnesses.models import Connector, Patch, Problem, Site
from signet.domain.harnesses.shells import Shell

#: Our hooks, by their name after `signet hook`.
NAMES = ("session-start", "user-prompt-submit", "pre-compaction", "session-end")
_OURS = re.compile(rf"signet\S{{0,400}}\s+hook\s+(?:{'|'.join(NAMES)})\b")


class Hooked(Connector):
    """A harness that runs commands at the events of a session; `entry_path` is where it reads which."""

    #: Event, our hook, and how long the harness waits for it: in seconds, where it says nothing else.
    events: Sequence[tuple[str, str, int]]
    #: Events that never existed, which earlier products wrote.
    stale: Sequence[str] = ()
    #: What runs its commands on Windows.
    windows_shell = Shell.SH
    #: What follows the name of a hook.
    arguments: str

    def hooks(self, site: Site) -> Patch:
        """Return how the file with its hooks changes."""
        wanted = {
            event: self.listed(
                handler(site.signet, name, self.arguments, timeout, self.windows_shell)
            )
            for event, name, timeout in self.events
        }
        ours = [*wanted, *self.stale]
        bring = partial(put, wanted=wanted, stale=self.stale)
        return Patch(
            path=self.entry_path(site),
            put=bring,
            take=lambda text, _: take(text, ours),
            renew=partial(bring, adds=False),
            empty=jsonedit.EMPTY,
        )

    def listed(self, command: Mapping[str, Json]) -> Json:
        """Return what stands in the list of an event for a command of ours."""
        return {"hooks": [command]}

    def uses(self, text: str) -> bool:
        """Return whether the first of its events, as a rule a session's start, calls us (HN-42)."""
        return bool(commands(text, self.events[0][0]))

    def faults(self, site: Site) -> list[Problem]:
        """Return events that do not call us, programs that are gone, and what else the harness has to say."""
        path, found = self.entry_path(site), []
        text = path.read_text("utf-8")
        for event, *_ in self.events:
            ours = commands(text, event)
            told = {why for one in ours if (why := problem(one)) is not None}
            found += [f"{event}: {why}" for why in sorted(told)]
            found += [] if ours else [f"no Signet hook for {event}"]
        return [*(Problem(path=path, text=why) for why in found), *super().faults(site)]


def handler(
    program: str, name: str, arguments: str, timeout: int, on_windows: Shell = Shell.SH
) -> Mapping[str, Json]:
    """Return the entry of one hook; only keys that every version of the harness knows (#978)."""
    called = shells.quoted(shells.slashed(program), shells.here(on_windows))
    command = f"{called} hook {name} {arguments}"
    return {"type": "command", "command": command, "timeout": timeout}


def put(
    text: str, wanted: Mapping[str, Json], *, stale: Sequence[str] = (), adds: bool = True
) -> str:
    """Bring our entry of each event in, in place of older ones of ours; `stale` are events that do not exist.

    Unless `adds`, an event that has no entry of ours gets none.
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


def take(text: str, events: Sequence[str]) -> str:
    """Take our entries out of these events, and what holds nothing then."""
    for event in events:
        text = _taken(text, event)
    return text


def commands(text: str, event: str) -> list[str]:
    """Return our commands at an event; raises ConfigUnreadable."""
    groups = jsonedit.get(text, ("hooks", event))
    found = [one for group in _list(groups) for one in _handlers(group)]
    return [str(one["command"]) for one in found if isinstance(one, Mapping) and _is_ours(one)]


def places(text: str, event: str) -> list[tuple[int, int]]:
    """Return where our commands are at an event: number of the group and place in it; raises ConfigUnreadable."""
    groups = _list(jsonedit.get(text, ("hooks", event)))
    return [
        (number, place)
        for number, group in enumerate(groups)
        for place, one in enumerate(_handlers(group))
        if _is_ours(one)
    ]


def problem(command: str) -> str | None:
    """Return why a command of ours cannot work: a harness cannot run its program."""
    try:
        program = shells.program_of(command)
    except ValueError:
        return "its command is empty"
    return programs.problem(program)


def _taken(text: str, event: str) -> str:
    left = _without(text, event)
    return text if left == text else jsonedit.prune(left, ("hooks", event))


def _without(text: str, event: str) -> str:
    """Take our commands out of an event, and the groups that held nothing else."""
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
    """Take our commands out of a group that holds others too."""
    group = jsonedit.parse_list(text, ("hooks", event)).items[place]
    inside = text[group.start : group.end]
    return (
        text[: group.start] + jsonedit.drop_items(inside, ("hooks",), _is_ours) + text[group.end :]
    )


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
