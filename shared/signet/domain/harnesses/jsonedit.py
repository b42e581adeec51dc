"""Changing one place of a JSON text and nothing else: comments, order, indentation and line ends stay. Pure.

A path is keys from the outside in. New members and items go to the end of their container, in the look of the file.
What has been put in is found again by `drop`, which also leaves no comma behind.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence

from signet.domain.harnesses.jsontext import ConfigUnreadable, Json, Member, Node, parse, skip

Path = Sequence[str]
#: What a file that is not there yet is taken for.
EMPTY = "{}\n"


def get(text: str, path: Path) -> Json:
    """Return the value at a path; None when there is none."""
    node = _find(parse(text), path)
    return None if node is None else node.value


def has(text: str, path: Path) -> bool:
    """Return whether there is a value at a path, null included."""
    return _find(parse(text), path) is not None


def put(text: str, path: Path, value: Json) -> str:
    """Set a value, with the objects that lead to it; a text that has it already is returned as it is.

    Raises ConfigUnreadable when something on the way is no object.
    """
    root = parse(text)
    node, depth = root, 0
    while depth < len(path):
        if not node.is_object:
            raise ConfigUnreadable(f"{'.'.join(path[:depth]) or 'the file'} is not an object")
        member = node.member(path[depth])
        if member is None:
            for key in reversed(path[depth + 1 :]):
                value = {key: value}
            return _add(text, node, value, key=path[depth])
        node, depth = member.node, depth + 1
    if _same(node.value, value):
        return text
    column = _indent_at(text, node.start)
    written = _written(value, text, column, is_flat=_is_flat(text, root))
    return text[: node.start] + written + text[node.end :]


def ensure(text: str, path: Path, value: Mapping[str, Json], needed: Sequence[str]) -> str:
    """Set an object, or of one that is there only the keys that are needed: the rest is the user's choice."""
    if not isinstance(get(text, path), dict):
        return put(text, path, value)
    for key in needed:
        text = put(text, (*path, key), value[key])
    return text


def append(text: str, path: Path, value: Json) -> str:
    """Append to a list, which is made when there is none; raises ConfigUnreadable when it is something else."""
    node = _find(parse(text), path)
    if node is None:
        return put(text, path, [value])
    if not node.is_list:
        raise ConfigUnreadable(f"{'.'.join(path)} is not a list")
    return _add(text, node, value)


def drop(text: str, path: Path) -> str:
    """Take a member out; a text without it is returned as it is."""
    parent = _find(parse(text), path[:-1])
    if parent is None or not parent.is_object:
        return text
    places = [n for n, one in enumerate(parent.members) if one.key == path[-1]]
    spans = [(one.start, one.node.end) for one in parent.members]
    for place in reversed(places):
        text = _cut(text, spans, place)
        spans = spans[:place] + spans[place + 1 :]
    return text


def drop_items(text: str, path: Path, is_unwanted: Callable[[Json], bool]) -> str:
    """Take items out of a list; a text without them, or without the list, is returned as it is."""
    node = _find(parse(text), path)
    if node is None or not node.is_list:
        return text
    for place in reversed(range(len(node.items))):
        if is_unwanted(node.items[place].value):
            spans = [(one.start, one.end) for one in parse_list(text, path).items]
            text = _cut(text, spans, place)
    return text


def parse_list(text: str, path: Path) -> Node:
    """Return the list at a path, which must be there."""
    node = _find(parse(text), path)
    assert node is not None and node.is_list
    return node


def prune(text: str, path: Path) -> str:
    """Take a container out if it is empty, and then its parents as far as they are; the file itself stays."""
    for depth in range(len(path), 0, -1):
        node = _find(parse(text), path[:depth])
        if node is None or node.value not in ({}, []):
            return text
        text = drop(text, path[:depth])
    return text


def without(text: str, path: Path) -> str:
    """Take a member out, and the objects that it leaves empty; a text without it is returned as it is."""
    left = drop(text, path)
    return text if left == text else prune(left, path[:-1])


def _find(node: Node, path: Path) -> Node | None:
    for key in path:
        member: Member | None = node.member(key) if node.is_object else None
        if member is None:
            return None
        node = member.node
    return node


def _same(left: Json, right: Json) -> bool:
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def _add(text: str, holder: Node, value: Json, *, key: str | None = None) -> str:
    """Put a member or item at the end of a container."""
    starts = [one.start for one in holder.members or holder.items]
    ends = [one.node.end for one in holder.members] or [one.end for one in holder.items]
    lead = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}:"
    if not _is_open(text, holder, starts):
        flat = f"{lead} {_flat(value)}".strip()
        if not starts:
            return text[: holder.start + 1] + flat + text[holder.end - 1 :]
        comma = skip(text, ends[-1])
        if text[comma] == ",":
            return f"{text[: comma + 1]} {flat}{text[comma + 1 :]}"
        return f"{text[: ends[-1]]}, {flat}{text[ends[-1] :]}"
    newline = "\r\n" if "\r\n" in text else "\n"
    outer = _indent_at(text, holder.start)
    column = _indent_at(text, starts[-1]) if starts else outer + _unit(text)
    entry = f"{column}{lead}{' ' if lead else ''}{_written(value, text, column)}"
    if not starts:
        inner = text[holder.start + 1 : holder.end - 1].rstrip()
        return f"{text[: holder.start + 1]}{inner}{newline}{entry}{newline}{outer}{text[holder.end - 1 :]}"
    comma = skip(text, ends[-1])
    has_comma = text[comma] == ","
    if not has_comma:
        text = f"{text[: ends[-1]]},{text[ends[-1] :]}"
        comma = ends[-1]
    place = _line_end(text, comma + 1)
    return f"{text[:place]}{newline}{entry}{',' if has_comma else ''}{text[place:]}"


def _cut(text: str, spans: list[tuple[int, int]], place: int) -> str:
    """Take an entry out of a container, with its comma, or with the one before when it is the last."""
    start, end = spans[place]
    comma = skip(text, end)
    if text[comma] == ",":
        end = comma + 1
    elif place > 0:
        before = skip(text, spans[place - 1][1])
        text = text[:before] + text[before + 1 :]
        start, end = start - 1, end - 1
    start = len(text[:start].rstrip(" \t"))
    if text[start - 1 : start] == "\n" and re.match(r"[ \t]*\r?\n", text[end:]):
        start -= 2 if text[start - 2 : start] == "\r\n" else 1
    return text[:start] + text[end:]


def _is_open(text: str, holder: Node, starts: list[int]) -> bool:
    """Return whether the entries of a container stand on lines of their own."""
    if starts:
        return "\n" in text[holder.start : starts[0]]
    inner = text[holder.start + 1 : holder.end - 1]
    return bool(inner.strip()) or "\n" in inner or not _is_flat(text, parse(text))


def _is_flat(text: str, root: Node) -> bool:
    """Return whether a file that holds something is written on one line."""
    return bool(root.members) and "\n" not in text[root.start : root.end]


def _written(value: Json, text: str, column: str, *, is_flat: bool = False) -> str:
    if is_flat or not isinstance(value, list | dict):
        return _flat(value)
    written = json.dumps(value, ensure_ascii=False, indent=_unit(text))
    newline = "\r\n" if "\r\n" in text else "\n"
    return written.replace("\n", newline + column)


def _flat(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def _unit(text: str) -> str:
    """Return by what the file indents; two blanks when nothing tells."""
    found = re.search(r"[{\[][ \t]*+(?://[^\n{\[]*+)?\r?\n(?:[ \t]*+\r?\n)*([ \t]++)[^\s}\]]", text)
    return found[1] if found else "  "


def _indent_at(text: str, place: int) -> str:
    """Return what the line of a place begins with."""
    start = text.rfind("\n", 0, place) + 1
    found = re.match(r"[ \t]*", text[start:place])
    assert found is not None
    return found[0]


def _line_end(text: str, place: int) -> int:
    """Return the end of what stands behind a place on its line, if that is a comment; else the place."""
    found = re.match(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/[ \t]*(?=\r?\n))", text[place:])
    return place + found.end() if found else place
