"""Adding one table to a TOML text and taking it out again; everything else stays as it is. Pure.

The result is always read again and must say what was meant; where the text cannot be changed so, as with a table
that is written inline, ConfigUnreadable is raised and nothing is changed.
"""

import re
import tomllib
from collections.abc import Mapping

from signet.domain.harnesses.jsontext import ConfigUnreadable

Tree = dict[str, object]
_NONE: Mapping[str, Mapping[str, str]] = {}

#: What stands between one table and the next: blank lines and comments belong to the next.
#: Comments and blank lines, and the beginning of a table if one follows.
_NEXT = re.compile(r"^(?:[ \t]*+(?:#[^\n]*+)?\r?\n)++(?:[ \t]*+\[)?|^[ \t]*+\[", re.M)


def read(text: str) -> Tree:
    """Return what a text holds; raises ConfigUnreadable with the line of the first mistake."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigUnreadable(str(error)) from error


def put(
    text: str,
    group: str,
    name: str,
    values: Mapping[str, str],
    *,
    new: Mapping[str, Mapping[str, str]] = _NONE,
) -> str:
    """Make the table `[group.name]` hold these texts; a text whose table does, with whatever else, stays as it is.

    `new` are tables of texts that it gets beside them when it has to be written.
    """
    tree = read(text)
    tables = _tables(tree, group)
    found = tables.get(name)
    if isinstance(found, dict) and {**found, **values} == found:
        return text
    left = drop(text, group, name)
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [f"[{group}.{name}]", *_members(values)]
    lines += [f"{key} = {{ {', '.join(_members(one))} }}" for key, one in new.items()]
    gap = "" if not left.strip() else newline if left.endswith("\n") else newline * 2
    wanted = {**tree, group: {**tables, name: {**values, **new}}}
    return _checked(left + gap + newline.join(lines) + newline, group, wanted)


def drop(text: str, group: str, name: str) -> str:
    """Take the table `[group.name]` out, with the tables in it; a text without it is returned as it is."""
    tree = read(text)
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
        found = read(text)
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
