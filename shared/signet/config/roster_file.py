"""Adding an agent to the roster of agent.yaml and taking one out, as a person would: no other line changes.

The lines of the list are found by the parser's own positions, because the parser, when it writes a list again, moves
the comments between its entries.
"""

import json
from collections.abc import Callable, MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from signet.config import manifest
from signet.config.manifest import Value
from signet.config.roster import RosterAgent
from signet.errors import Conflict, NotFound

if TYPE_CHECKING:
    from ruamel.yaml.nodes import Node

KEY = "agents.roster"

#: Changes the lines of the file; it is given where each entry begins and ends, and the column of the dashes.
Edit = Callable[[list[str], list[tuple[int, int]], int], None]


class NotListed(NotFound):
    """The roster has no agent of this name."""


def add(path: Path, agent: RosterAgent) -> None:
    """Put an agent at the end of the roster; the file is made if there is none.

    Raises Conflict for a name that the roster has already, and ManifestError when the file cannot be changed safely.
    """
    entry: dict[str, Value] = {"name": agent.name, "read_policy": agent.read_policy.value}
    if agent.policy_group:
        entry["policy_group"] = agent.policy_group

    def change(entries: list[Value]) -> list[Value]:
        if any(_name(one) == agent.name for one in entries):
            raise Conflict("The roster has an agent of this name already", "agent_exists")
        return [*entries, entry]

    def edit(lines: list[str], spans: list[tuple[int, int]], column: int) -> None:
        end = spans[-1][1]
        made = [f"{' ' * column}  {key}: {_written(value)}" for key, value in entry.items()]
        lines[end:end] = [f"{' ' * column}- {made[0].lstrip()}", *made[1:]]

    _rewrite(path, change, edit)


def remove(path: Path, name: str) -> None:
    """Take an agent out of the roster; raises NotListed, and ManifestError as `add`."""
    if not path.exists():
        raise NotListed
    gone: list[int] = []

    def change(entries: list[Value]) -> list[Value]:
        gone.extend(index for index, one in enumerate(entries) if _name(one) == name)
        if not gone:
            raise NotListed
        return [one for one in entries if _name(one) != name]

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
    """Return the first line of an entry, which is that of its dash, and the line behind its last one."""
    start = entry.start_mark.line
    while not lines[start].lstrip().startswith("-"):
        start -= 1
    return start, _last_line(entry) + 1


def _last_line(node: "Node") -> int:
    # The end of a block is where the next thing begins, comments between them included; that of a word is its own.
    inner = [part for pair in node.value for part in (pair if isinstance(pair, tuple) else (pair,))]
    if isinstance(node.value, str) or getattr(node, "flow_style", False) or not inner:
        return int(node.end_mark.line)
    return max(_last_line(part) for part in inner)


def _name(entry: Value) -> object:
    return entry.get("name") if isinstance(entry, dict) else None


def _written(value: Value) -> str:
    """Return a text as it stands in the file: bare where that is read as the same text."""
    bare = str(value)
    try:
        is_same = manifest.parse(f"v: {bare}".encode()) == {"v": value}
    except manifest.ManifestError:
        is_same = False
    return bare if is_same else json.dumps(value, ensure_ascii=False)
