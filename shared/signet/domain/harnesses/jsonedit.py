"""Read and edit JSON as people write it: comments, trailing commas and JSON5 are read and kept.

An edit changes one place; order, indentation and line ends stay. A path is a sequence of keys. New members and items go
to the end of their container, formatted like the file. Text that does not parse raises ConfigUnreadable with its line.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from signet.errors import Invalid
from signet.text import patterns

Json = str | int | float | bool | None | Sequence["Json"] | Mapping[str, "Json"]

#: Deeper nesting is no configuration.
MAX_DEPTH = 200

_BLANK = patterns.lazy(r"(?:[\s\ufeff]++|//[^\n\r]*+|/\*.*?\*/)*", re.DOTALL)
_WORD = patterns.lazy(r"[A-Za-z_$\u0080-\uffff][\w$]*")
_NUMBER = patterns.lazy(
    r"[+-]?(?:0[xX][0-9a-fA-F]+|Infinity|NaN|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.$])"
)
_STRING = patterns.lazy(r"""(["'])((?:(?!\1)[^\\\n]|\\.)*)\1""", re.DOTALL)
_ESCAPE = patterns.lazy(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|.))", re.DOTALL)
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_ESCAPES |= {"\n": "", "\r\n": ""}
_WORDS = {"true": True, "false": False, "null": None}


class ConfigUnreadable(Invalid, code="harness_config_unreadable"):
    """A configuration file of a harness cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonNode:
    """A value with its span, and the entries of an object or list."""

    start: int
    end: int
    value: Json
    entries: tuple["JsonEntry", ...] = ()

    def member(self, key: str) -> "JsonNode | None":
        """Return the member of this name, the last one of duplicates, as every reader does."""
        return next((one.node for one in reversed(self.entries) if one.key == key), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonEntry:
    """A member of an object, or an item of a list, whose key is None."""

    key: str | None
    start: int
    node: JsonNode


def parse(text: str) -> JsonNode:
    """Return the root value; raises ConfigUnreadable with the line of the first mistake."""
    node = _value(text, _skip(text, 0), 0)
    end = _skip(text, node.end)
    if end != len(text):
        raise _fault(text, end, "unexpected text after the value")
    return node


def _skip(text: str, at: int) -> int:
    """Return the start of the next token, after blanks and comments."""
    found = _BLANK.match(text, at)
    assert found is not None
    return found.end()


def _fault(text: str, at: int, what: str) -> ConfigUnreadable:
    line = text.count("\n", 0, at) + 1
    return ConfigUnreadable(f"line {line}: {what}", line=line)


def _value(text: str, at: int, depth: int) -> JsonNode:
    if depth > MAX_DEPTH:
        raise _fault(text, at, "nested too deeply")
    if text.startswith(("{", "["), at):
        return _container(text, at, depth)
    if text.startswith(('"', "'"), at):
        string, end = _string(text, at)
        return JsonNode(start=at, end=end, value=string)
    if number := _NUMBER.match(text, at):
        return JsonNode(start=at, end=number.end(), value=_number(number[0]))
    word = _WORD.match(text, at)
    if word is None or word[0] not in _WORDS:
        raise _fault(text, at, "a value is expected")
    return JsonNode(start=at, end=word.end(), value=_WORDS[word[0]])


def _container(text: str, start: int, depth: int) -> JsonNode:
    is_object = text[start] == "{"
    closing = "}" if is_object else "]"
    entries: list[JsonEntry] = []
    at = _skip(text, start + 1)
    while not text.startswith(closing, at):
        key, place = _key(text, at) if is_object else (None, at)
        node = _value(text, place, depth + 1)
        entries.append(JsonEntry(key=key, start=at, node=node))
        at = _skip(text, node.end)
        if text.startswith(",", at):
            at = _skip(text, at + 1)
        elif not text.startswith(closing, at):
            raise _fault(text, at, f"a comma or {closing} is expected")
    value: Json = [one.node.value for one in entries]
    if is_object:
        value = {str(one.key): one.node.value for one in entries}
    return JsonNode(start=start, end=at + 1, value=value, entries=tuple(entries))


def _key(text: str, at: int) -> tuple[str, int]:
    if text.startswith(('"', "'"), at):
        key, end = _string(text, at)
    elif word := _WORD.match(text, at):
        key, end = word[0], word.end()
    else:
        raise _fault(text, at, "a key is expected")
    colon = _skip(text, end)
    if not text.startswith(":", colon):
        raise _fault(text, colon, "a colon is expected")
    return key, _skip(text, colon + 1)


def _string(text: str, start: int) -> tuple[str, int]:
    found = _STRING.match(text, start)
    if found is None:
        raise _fault(text, start, "a string is not closed")

    def decoded(escape: re.Match[str]) -> str:
        if code := escape[1] or escape[2]:
            return chr(int(code, 16))
        if escape[3] in ("u", "x"):
            raise _fault(text, start, "an invalid escape")
        return _ESCAPES.get(escape[3], escape[3])

    return _paired(_ESCAPE.sub(decoded, found[2])), found.end()


def _number(text: str) -> int | float:
    if "x" in text.lower():
        return int(text, 16)
    try:
        return int(text)
    except ValueError:
        return float(text)


def _paired(text: str) -> str:
    """Join surrogates that were written as two escapes."""
    if not any("\ud800" <= char <= "\udfff" for char in text):
        return text
    return str(json.loads(json.dumps(text)))


Path = Sequence[str]
#: The text of a new file.
EMPTY = "{}\n"


def find(text: str, path: Path) -> JsonNode | None:
    node: JsonNode | None = parse(text)
    for key in path:
        node = node.member(key) if node is not None else None
    return node


def get(text: str, path: Path) -> Json:
    node = find(text, path)
    return None if node is None else node.value


def has(text: str, path: Path) -> bool:
    """Return whether there is a value at a path, null included."""
    return find(text, path) is not None


def put(text: str, path: Path, value: Json) -> str:
    """Set a value and create the objects on the way; a text that has it already is unchanged.

    Raises ConfigUnreadable when a value on the way is not an object.
    """
    node = parse(text)
    for depth, key in enumerate(path):
        if not isinstance(node.value, dict):
            raise ConfigUnreadable(f"{'.'.join(path[:depth]) or 'the file'} is not an object")
        member = node.member(key)
        if member is None:
            for inner in reversed(path[depth + 1 :]):
                value = {inner: value}
            return _add(text, node, value, key=key)
        node = member
    if _same(node.value, value):
        return text
    written = (
        _flat(value) if _is_flat(text) else _formatted(value, text, _indent_at(text, node.start))
    )
    return text[: node.start] + written + text[node.end :]


def ensure(text: str, path: Path, value: Mapping[str, Json], needed: Sequence[str]) -> str:
    """Set an object; of an existing one set only the needed keys, because the others are the user's choice."""
    if not isinstance(get(text, path), dict):
        return put(text, path, value)
    for key in needed:
        text = put(text, (*path, key), value[key])
    return text


def append(text: str, path: Path, value: Json) -> str:
    """Append to a list, which is created if missing; raises ConfigUnreadable for another type."""
    node = find(text, path)
    if node is None:
        return put(text, path, [value])
    if not isinstance(node.value, list):
        raise ConfigUnreadable(f"{'.'.join(path)} is not a list")
    return _add(text, node, value)


def drop(text: str, path: Path) -> str:
    """Remove a member; a text without it is unchanged."""
    return _drop(text, path[:-1], lambda one: one.key == path[-1])


def drop_items(text: str, path: Path, is_unwanted: Callable[[Json], bool]) -> str:
    """Remove items from a list; a text without them, or without the list, is unchanged."""
    return _drop(text, path, lambda one: one.key is None and is_unwanted(one.node.value))


def _drop(text: str, path: Path, is_unwanted: Callable[[JsonEntry], bool]) -> str:
    node = find(text, path)
    spans = [] if node is None else [(one.start, one.node.end) for one in node.entries]
    for place in reversed(range(len(spans))):
        if node is not None and is_unwanted(node.entries[place]):
            text = _cut(text, spans, place)
            del spans[place]
    return text


def prune(text: str, path: Path) -> str:
    """Remove a container if it is empty, then its empty parents, except for the root."""
    for depth in range(len(path), 0, -1):
        if get(text, path[:depth]) not in ({}, []):
            return text
        text = drop(text, path[:depth])
    return text


def without(text: str, path: Path) -> str:
    """Remove a member and the objects that become empty; a text without it is unchanged."""
    left = drop(text, path)
    return text if left == text else prune(left, path[:-1])


def _same(left: Json, right: Json) -> bool:
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def _add(text: str, holder: JsonNode, value: Json, *, key: str | None = None) -> str:
    """Append a member or item to a container, on its own line if the others are."""
    lead = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    last = holder.entries[-1] if holder.entries else None
    newline = "\r\n" if "\r\n" in text else "\n"
    outer = _indent_at(text, holder.start)
    is_open = _is_open(text, holder)
    if last is None:
        if not is_open:
            return f"{text[: holder.start + 1]}{lead}{_flat(value)}{text[holder.end - 1 :]}"
        column = outer + _unit(text)
        inner = text[holder.start + 1 : holder.end - 1].rstrip()
        entry = f"{inner}{newline}{column}{lead}{_formatted(value, text, column)}{newline}{outer}"
        return text[: holder.start + 1] + entry + text[holder.end - 1 :]
    comma = _skip(text, last.node.end)
    has_comma = text[comma] == ","
    if not has_comma:
        comma = last.node.end
        text = f"{text[:comma]},{text[comma:]}"
    if not is_open:
        return f"{text[: comma + 1]} {lead}{_flat(value)}{text[comma + 1 :]}"
    column = _indent_at(text, last.start)
    place = _line_end(text, comma + 1)
    entry = f"{newline}{column}{lead}{_formatted(value, text, column)}{',' if has_comma else ''}"
    return text[:place] + entry + text[place:]


def _cut(text: str, spans: list[tuple[int, int]], place: int) -> str:
    """Remove an entry from a container with its comma, or with the one before if it is the last."""
    start, end = spans[place]
    comma = _skip(text, end)
    if text[comma] == ",":
        end = comma + 1
    elif place > 0:
        before = _skip(text, spans[place - 1][1])
        text = text[:before] + text[before + 1 :]
        start, end = start - 1, end - 1
    start = len(text[:start].rstrip(" \t"))
    if text[start - 1 : start] == "\n" and re.match(r"[ \t]*\r?\n", text[end:]):
        start -= 2 if text[start - 2 : start] == "\r\n" else 1
    return text[:start] + text[end:]


def _is_open(text: str, holder: JsonNode) -> bool:
    if holder.entries:
        return "\n" in text[holder.start : holder.entries[0].start]
    inner = text[holder.start + 1 : holder.end - 1]
    return bool(inner.strip()) or "\n" in inner or not _is_flat(text)


def _is_flat(text: str) -> bool:
    root = parse(text)
    return (
        bool(root.entries)
        and isinstance(root.value, dict)
        and "\n" not in text[root.start : root.end]
    )


def _formatted(value: Json, text: str, column: str) -> str:
    if not isinstance(value, list | dict):
        return _flat(value)
    written = json.dumps(value, ensure_ascii=False, indent=_unit(text))
    newline = "\r\n" if "\r\n" in text else "\n"
    return written.replace("\n", newline + column)


def _flat(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def _unit(text: str) -> str:
    found = re.search(r"[{\[][ \t]*+(?://[^\n{\[]*+)?\r?\n(?:[ \t]*+\r?\n)*([ \t]++)[^\s}\]]", text)
    return found[1] if found else "  "


def _indent_at(text: str, place: int) -> str:
    start = text.rfind("\n", 0, place) + 1
    found = re.match(r"[ \t]*", text[start:place])
    assert found is not None
    return found[0]


def _line_end(text: str, place: int) -> int:
    found = re.match(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/[ \t]*(?=\r?\n))", text[place:])
    return place + found.end() if found else place
