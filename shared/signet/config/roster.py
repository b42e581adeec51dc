"""The named agents in agent.yaml (`agents.roster`)."""

import json
import re
from collections.abc import Callable, MutableMapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from signet.config import manifest
from signet.config.fields import SettingsSection, read, section, setting, settle
from signet.config.manifest import Value
from signet.config.values import Unfit, texts
from signet.errors import Conflict, NotFound

NAME = re.compile(r"[a-z0-9][a-z0-9-]*")


class RosterPolicy(StrEnum):
    """Which agents' memories an agent may read."""

    ISOLATED = "isolated"
    SHARED = "shared"
    GROUP = "group"


def _name(value: object, where: str, warnings: list[str]) -> object:
    if not isinstance(value, str) or not NAME.fullmatch(value) or value == "default":
        raise Unfit("a name of small letters, digits and hyphens other than `default`")
    return value


@section
class RosterAgent(SettingsSection, snake=True):
    """One named agent; a group policy without a group means isolated."""

    name: str = setting("", accept=_name)
    read_policy: RosterPolicy = RosterPolicy.ISOLATED
    policy_group: str | None = None
    #: None: every skill.
    skills: tuple[str, ...] | None = setting(None, accept=texts)

    def __post_init__(self) -> None:
        if self.read_policy is RosterPolicy.GROUP and not self.policy_group:
            settle(self, read_policy=RosterPolicy.ISOLATED)


def roster(value: object, where: str, warnings: list[str]) -> object:
    """Read the list of agents; unusable or duplicate names are skipped with a warning."""
    if not isinstance(value, list):
        raise Unfit("a list of agents")
    found: dict[str, RosterAgent] = {}
    for index, each in enumerate(value):
        place = f"{where}[{index}]"
        agent = read(RosterAgent, each, warnings, path=place)
        if not agent.name or agent.name in found:
            warnings.append(f"{place}: its name is missing or already used; skipped")
            continue
        found[agent.name] = agent
    return tuple(found.values())


if TYPE_CHECKING:
    from ruamel.yaml.nodes import Node

KEY = "agents.roster"

#: Edits the file's lines, given the range of each entry and the column of the dashes.
Edit = Callable[[list[str], list[tuple[int, int]], int], None]


class NotListed(NotFound):
    """The roster has no agent of this name."""


def add(path: Path, agent: RosterAgent) -> None:
    """Append an agent to the roster, creating the file if missing.

    Raises Conflict for an existing name, and ManifestError if the file cannot be edited safely.
    """
    entry: dict[str, Value] = {"name": agent.name, "read_policy": agent.read_policy.value}
    if agent.policy_group:
        entry["policy_group"] = agent.policy_group

    def change(entries: list[Value]) -> list[Value]:
        if any(_name_of(one) == agent.name for one in entries):
            raise Conflict("The roster already has an agent of this name", "agent_exists")
        return [*entries, entry]

    def edit(lines: list[str], spans: list[tuple[int, int]], column: int) -> None:
        end = spans[-1][1]
        made = [f"{' ' * column}  {key}: {_written(value)}" for key, value in entry.items()]
        lines[end:end] = [f"{' ' * column}- {made[0].lstrip()}", *made[1:]]

    _rewrite(path, change, edit)


def remove(path: Path, name: str) -> None:
    """Remove an agent from the roster; raises NotListed, and ManifestError like `add`."""
    if not path.exists():
        raise NotListed
    gone: list[int] = []

    def change(entries: list[Value]) -> list[Value]:
        gone.extend(index for index, one in enumerate(entries) if _name_of(one) == name)
        if not gone:
            raise NotListed
        return [one for one in entries if _name_of(one) != name]

    def edit(lines: list[str], spans: list[tuple[int, int]], column: int) -> None:
        for index in reversed(gone):
            start, end = spans[index]
            del lines[start:end]

    _rewrite(path, change, edit)


def _rewrite(path: Path, change: Callable[[list[Value]], list[Value]], edit: Edit) -> None:
    entries: list[Value] = []

    def put(document: MutableMapping[Any, Any]) -> None:
        section = document.get("agents")
        known = section.get("roster") if isinstance(section, dict) else None
        entries.extend(change(known if isinstance(known, list) else []))
        manifest.put(document, KEY, entries, path.name)

    def write(source: bytes) -> bytes:
        from ruamel.yaml.nodes import SequenceNode

        text = source.decode("utf-8-sig").replace("\r\n", "\n")
        found = manifest.node_at(text, KEY)
        is_block = isinstance(found, SequenceNode) and not found.flow_style
        if found is None or not (is_block and found.value and entries):
            return manifest.with_value(source, path.name, KEY, entries)
        lines = text.split("\n")
        edit(lines, [_span(lines, one) for one in found.value], found.start_mark.column)
        return ("\r\n" if b"\r\n" in source else "\n").join(lines).encode()

    manifest.rewrite(path, put, write)


def _span(lines: list[str], entry: "Node") -> tuple[int, int]:
    """Return the first line of an entry and the line after its last one."""
    start = entry.start_mark.line
    while not lines[start].lstrip().startswith("-"):
        start -= 1
    return start, _last_line(entry) + 1


def _last_line(node: "Node") -> int:
    # A block's end position is the next token's, after comments; a scalar's is its own.
    inner = [part for pair in node.value for part in (pair if isinstance(pair, tuple) else (pair,))]
    if isinstance(node.value, str) or getattr(node, "flow_style", False) or not inner:
        return int(node.end_mark.line)
    return max(_last_line(part) for part in inner)


def _name_of(entry: Value) -> object:
    return entry.get("name") if isinstance(entry, dict) else None


def _written(value: Value) -> str:
    """Return a scalar's YAML, unquoted if that parses to the same text."""
    bare = str(value)
    try:
        is_same = manifest.parse(f"v: {bare}".encode()) == {"v": value}
    except manifest.ManifestError:
        is_same = False
    return bare if is_same else json.dumps(value, ensure_ascii=False)
