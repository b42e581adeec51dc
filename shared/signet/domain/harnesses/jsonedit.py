"""Read and edit JSON as people write it: comments, trailing commas and JSON5 are read and kept.

An edit changes one place; order, indentation and line ends stay. A path is a sequence of keys. New members and items go
to the end of their container, formatted like the file. Text that does not parse raises ConfigUnreadable with its line.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from signet.errors import Invalid

Json = str | int | float | bool | None | Sequence["Json"] | Mapping[str, "Json"]

#: Deeper nesting is no configuration.
MAX_DEPTH = 200

_BLANK = re.compile(r"(?:[\s\ufeff]++|//[^\n\r]*+|/\*.*?\*/)*+", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_$\u0080-\uffff][\w$]*")
_NUMBER = re.compile(
    r"[+-]?(?:0[xX][0-9a-fA-F]+|Infinity|NaN|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
)
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_WORDS = {"true": True, "false": False, "null": None}


class ConfigUnreadable(Invalid):
    """A configuration file of a harness cannot be read."""

    code = "harness_config_unreadable"


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonNode:
    """A value with its span; `members` of an object, `items` of a list, each in order."""

    start: int
    end: int
    value: Json
    members: tuple["JsonMember", ...] = ()
    items: tuple["JsonNode", ...] = ()

    @property
    def is_object(self) -> bool:
        return isinstance(self.value, dict)

    @property
    def is_list(self) -> bool:
        return isinstance(self.value, list)

    def member(self, key: str) -> "JsonMember | None":
        """Return the member of this name, the last one of duplicates, as every reader does."""
        return next((one for one in reversed(self.members) if one.key == key), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonMember:
    """A key of an object, its position, and its value."""

    key: str
    start: int
    node: JsonNode


def parse(text: str) -> JsonNode:
    """Return the root value; raises ConfigUnreadable with the line of the first mistake."""
    reader = _JsonReader(text)
    at = reader.skip(0)
    node = reader.value(at, 0)
    if reader.skip(node.end) != len(text):
        raise reader.fault(reader.skip(node.end), "unexpected text after the value")
    return node


def skip(text: str, at: int) -> int:
    """Return the start of the next token, after blanks and comments."""
    found = _BLANK.match(text, at)
    assert found is not None
    return found.end()


class _JsonReader:
    def __init__(self, text: str) -> None:
        self._text = text

    def fault(self, at: int, what: str) -> ConfigUnreadable:
        line = self._text.count("\n", 0, at) + 1
        return ConfigUnreadable(f"line {line}: {what}", line=line)

    def skip(self, at: int) -> int:
        return skip(self._text, at)

    def value(self, at: int, depth: int) -> JsonNode:
        if depth > MAX_DEPTH:
            raise self.fault(at, "nested too deeply")
        char = self._text[at : at + 1]
        if char == "{":
            return self._object(at, depth)
        if char == "[":
            return self._list(at, depth)
        if char in ('"', "'") and char:
            text, end = self._string(at)
            return JsonNode(start=at, end=end, value=text)
        if number := _NUMBER.match(self._text, at):
            self._check_end(number.end())
            return JsonNode(start=at, end=number.end(), value=_number(number[0]))
        word = _WORD.match(self._text, at)
        if word is None or word[0] not in _WORDS:
            raise self.fault(at, "a value is expected")
        return JsonNode(start=at, end=word.end(), value=_WORDS[word[0]])

    def _object(self, start: int, depth: int) -> JsonNode:
        members: list[JsonMember] = []
        at = self.skip(start + 1)
        while self._text[at : at + 1] != "}":
            key, end = self._key(at)
            colon = self.skip(end)
            if self._text[colon : colon + 1] != ":":
                raise self.fault(colon, "a colon is expected")
            node = self.value(self.skip(colon + 1), depth + 1)
            members.append(JsonMember(key=key, start=at, node=node))
            at = self._next(node.end, "}")
        value = {one.key: one.node.value for one in members}
        return JsonNode(start=start, end=at + 1, value=value, members=tuple(members))

    def _list(self, start: int, depth: int) -> JsonNode:
        items: list[JsonNode] = []
        at = self.skip(start + 1)
        while self._text[at : at + 1] != "]":
            items.append(self.value(at, depth + 1))
            at = self._next(items[-1].end, "]")
        return JsonNode(
            start=start, end=at + 1, value=[one.value for one in items], items=tuple(items)
        )

    def _next(self, at: int, closing: str) -> int:
        """Return the start of the next entry or of the closing bracket."""
        at = self.skip(at)
        char = self._text[at : at + 1]
        if char == ",":
            return self.skip(at + 1)
        if char != closing:
            raise self.fault(at, f"a comma or {closing} is expected")
        return at

    def _key(self, at: int) -> tuple[str, int]:
        if self._text[at : at + 1] in ('"', "'") and at < len(self._text):
            return self._string(at)
        word = _WORD.match(self._text, at)
        if word is None:
            raise self.fault(at, "a key is expected")
        return word[0], word.end()

    def _string(self, start: int) -> tuple[str, int]:
        quote, at = self._text[start], start + 1
        parts: list[str] = []
        while True:
            char = self._text[at : at + 1]
            if char in ("", "\n"):
                raise self.fault(start, "a string is not closed")
            if char == quote:
                return _paired("".join(parts)), at + 1
            if char != "\\":
                parts.append(char)
                at += 1
                continue
            part, at = self._escape(at + 1)
            parts.append(part)

    def _escape(self, at: int) -> tuple[str, int]:
        char = self._text[at : at + 1]
        digits = {"u": 4, "x": 2}.get(char)
        if digits is not None:
            code = self._text[at + 1 : at + 1 + digits]
            if not re.fullmatch(f"[0-9a-fA-F]{{{digits}}}", code):
                raise self.fault(at, "an invalid escape")
            return chr(int(code, 16)), at + 1 + digits
        if self._text.startswith("\r\n", at):
            return "", at + 2
        return ("" if char == "\n" else _ESCAPES.get(char, char)), at + 1

    def _check_end(self, at: int) -> None:
        if re.match(r"[\w.$]", self._text[at : at + 1]):
            raise self.fault(at, "an invalid number")


def _number(text: str) -> int | float:
    sign = -1 if text.startswith("-") else 1
    digits = text.lstrip("+-")
    if digits[:2].lower() == "0x":
        return sign * int(digits, 16)
    if digits in ("Infinity", "NaN"):
        return sign * float(digits.lower().replace("infinity", "inf"))
    try:
        return sign * int(digits)
    except ValueError:
        return sign * float(digits)


def _paired(text: str) -> str:
    if not any("\ud800" <= char <= "\udfff" for char in text):
        return text
    return str(json.loads(json.dumps(text)))


Path = Sequence[str]
#: The text of a new file.
EMPTY = "{}\n"


def get(text: str, path: Path) -> Json:
    """Return the value at a path, or None."""
    node = _find(parse(text), path)
    return None if node is None else node.value


def has(text: str, path: Path) -> bool:
    """Return whether there is a value at a path, null included."""
    return _find(parse(text), path) is not None


def put(text: str, path: Path, value: Json) -> str:
    """Set a value and create the objects on the way; a text that has it already is unchanged.

    Raises ConfigUnreadable when a value on the way is not an object.
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
    written = _formatted(value, text, column, is_flat=_is_flat(text, root))
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
    node = _find(parse(text), path)
    if node is None:
        return put(text, path, [value])
    if not node.is_list:
        raise ConfigUnreadable(f"{'.'.join(path)} is not a list")
    return _add(text, node, value)


def drop(text: str, path: Path) -> str:
    """Remove a member; a text without it is unchanged."""
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
    """Remove items from a list; a text without them, or without the list, is unchanged."""
    node = _find(parse(text), path)
    if node is None or not node.is_list:
        return text
    for place in reversed(range(len(node.items))):
        if is_unwanted(node.items[place].value):
            spans = [(one.start, one.end) for one in parse_list(text, path).items]
            text = _cut(text, spans, place)
    return text


def parse_list(text: str, path: Path) -> JsonNode:
    """Return the list at a path, which must exist."""
    node = _find(parse(text), path)
    assert node is not None and node.is_list
    return node


def prune(text: str, path: Path) -> str:
    """Remove a container if it is empty, then its empty parents, except for the root."""
    for depth in range(len(path), 0, -1):
        node = _find(parse(text), path[:depth])
        if node is None or node.value not in ({}, []):
            return text
        text = drop(text, path[:depth])
    return text


def without(text: str, path: Path) -> str:
    """Remove a member and the objects that become empty; a text without it is unchanged."""
    left = drop(text, path)
    return text if left == text else prune(left, path[:-1])


def _find(node: JsonNode, path: Path) -> JsonNode | None:
    for key in path:
        member: JsonMember | None = node.member(key) if node.is_object else None
        if member is None:
            return None
        node = member.node
    return node


def _same(left: Json, right: Json) -> bool:
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def _add(text: str, holder: JsonNode, value: Json, *, key: str | None = None) -> str:
    """Append a member or item to a container."""
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
    entry = f"{column}{lead}{' ' if lead else ''}{_formatted(value, text, column)}"
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
    """Remove an entry from a container with its comma, or with the one before if it is the last."""
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


def _is_open(text: str, holder: JsonNode, starts: list[int]) -> bool:
    if starts:
        return "\n" in text[holder.start : starts[0]]
    inner = text[holder.start + 1 : holder.end - 1]
    return bool(inner.strip()) or "\n" in inner or not _is_flat(text, parse(text))


def _is_flat(text: str, root: JsonNode) -> bool:
    return bool(root.members) and "\n" not in text[root.start : root.end]


def _formatted(value: Json, text: str, column: str, *, is_flat: bool = False) -> str:
    if is_flat or not isinstance(value, list | dict):
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
