"""Reading JSON as people write it, with the place of everything: comments, trailing commas and JSON5 are read.

Promises the span of each value and member, so that `jsonedit` can change one place and leave the rest as it is. What
does not parse raises ConfigUnreadable with its line.
"""

import json
import re
from collections.abc import Mapping, Sequence
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
class Node:
    """A value and where it stands; `members` of an object, `items` of a list, each in order."""

    start: int
    end: int
    value: Json
    members: tuple["Member", ...] = ()
    items: tuple["Node", ...] = ()

    @property
    def is_object(self) -> bool:
        return isinstance(self.value, dict)

    @property
    def is_list(self) -> bool:
        return isinstance(self.value, list)

    def member(self, key: str) -> "Member | None":
        """Return the member of this name, the last one if it stands twice, as every reader does."""
        return next((one for one in reversed(self.members) if one.key == key), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A key of an object, where it stands, and its value."""

    key: str
    start: int
    node: Node


def parse(text: str) -> Node:
    """Return what a text holds; raises ConfigUnreadable with the line of the first mistake."""
    reader = _Reader(text)
    at = reader.skip(0)
    node = reader.value(at, 0)
    if reader.skip(node.end) != len(text):
        raise reader.fault(reader.skip(node.end), "unexpected text after the value")
    return node


def skip(text: str, at: int) -> int:
    """Return where the next token starts, behind blanks and comments."""
    found = _BLANK.match(text, at)
    assert found is not None
    return found.end()


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    def fault(self, at: int, what: str) -> ConfigUnreadable:
        line = self._text.count("\n", 0, at) + 1
        return ConfigUnreadable(f"line {line}: {what}", line=line)

    def skip(self, at: int) -> int:
        return skip(self._text, at)

    def value(self, at: int, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise self.fault(at, "nested too deeply")
        char = self._text[at : at + 1]
        if char == "{":
            return self._object(at, depth)
        if char == "[":
            return self._list(at, depth)
        if char in ('"', "'") and char:
            text, end = self._string(at)
            return Node(start=at, end=end, value=text)
        if number := _NUMBER.match(self._text, at):
            self._check_end(number.end())
            return Node(start=at, end=number.end(), value=_number(number[0]))
        word = _WORD.match(self._text, at)
        if word is None or word[0] not in _WORDS:
            raise self.fault(at, "a value is expected")
        return Node(start=at, end=word.end(), value=_WORDS[word[0]])

    def _object(self, start: int, depth: int) -> Node:
        members: list[Member] = []
        at = self.skip(start + 1)
        while self._text[at : at + 1] != "}":
            key, end = self._key(at)
            colon = self.skip(end)
            if self._text[colon : colon + 1] != ":":
                raise self.fault(colon, "a colon is expected")
            node = self.value(self.skip(colon + 1), depth + 1)
            members.append(Member(key=key, start=at, node=node))
            at = self._next(node.end, "}")
        value = {one.key: one.node.value for one in members}
        return Node(start=start, end=at + 1, value=value, members=tuple(members))

    def _list(self, start: int, depth: int) -> Node:
        items: list[Node] = []
        at = self.skip(start + 1)
        while self._text[at : at + 1] != "]":
            items.append(self.value(at, depth + 1))
            at = self._next(items[-1].end, "]")
        return Node(start=start, end=at + 1, value=[one.value for one in items], items=tuple(items))

    def _next(self, at: int, closing: str) -> int:
        """Return where the next entry or the closing bracket stands."""
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
    """Join the two halves of characters that were written as two escapes."""
    if not any("\ud800" <= char <= "\udfff" for char in text):
        return text
    return str(json.loads(json.dumps(text)))
