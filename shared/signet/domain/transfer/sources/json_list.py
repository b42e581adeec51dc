"""Reading a long JSON list element by element, so that no more than one of them is held."""

import json
from collections.abc import Collection, Iterator
from typing import TextIO

_CHUNK = 1 << 16
_SPACE = " \t\r\n"


def read(file: TextIO, names: Collection[str]) -> Iterator[object]:
    """Yield the elements of a list, or of each list that an object has under one of these names.

    Raises ValueError where the text is no JSON.
    """
    text = _Text(file)
    if text.peek() != "{":
        yield from _elements(text)
        return
    text.take("{")
    while text.peek() != "}":
        name = text.value()
        text.take(":")
        if name in names and text.peek() == "[":
            yield from _elements(text)
        else:
            text.value()
        if text.peek() == ",":
            text.take(",")
        elif text.peek() != "}":
            raise ValueError("a comma is missing")


def _elements(text: "_Text") -> Iterator[object]:
    text.take("[")
    while text.peek() != "]":
        yield text.value()
        if text.peek() == ",":
            text.take(",")
        elif text.peek() != "]":
            raise ValueError("a comma is missing")
    text.take("]")


class _Text:
    """What is left of a file, with as much of it at hand as the next value needs."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._decoder = json.JSONDecoder()
        self._held = ""
        self._at = 0
        self._is_over = False

    def peek(self) -> str:
        """Return the next character that is no space; empty at the end."""
        while True:
            while self._at < len(self._held) and self._held[self._at] in _SPACE:
                self._at += 1
            if self._at < len(self._held):
                return self._held[self._at]
            if not self._more(_CHUNK):
                return ""

    def take(self, mark: str) -> None:
        """Step over a mark. Raises ValueError when something else is there."""
        if self.peek() != mark:
            raise ValueError(f"{mark} is missing")
        self._at += 1

    def value(self) -> object:
        """Return the next value. Raises ValueError."""
        self.peek()
        wanted = _CHUNK
        while True:
            try:
                value, end = self._decoder.raw_decode(self._held, self._at)
                # A number at the end of what is held may go on.
                if end < len(self._held) or not self._more(wanted):
                    self._at = end
                    return value
            except RecursionError as error:
                raise ValueError("too many levels") from error
            except ValueError:
                if not self._more(wanted):
                    raise
            wanted *= 2  # so that a long value is tried few times

    def _more(self, characters: int) -> bool:
        read = self._file.read(characters)
        self._held, self._at = self._held[self._at :] + read, 0
        return bool(read)
