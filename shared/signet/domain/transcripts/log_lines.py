"""Read the lines of a log in bounded memory: a line may hold an image or the output of a tool, of any size.

Loads nothing but the standard library, because hooks send logs to a daemon elsewhere.
"""

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import BinaryIO

#: A longer line is read in pieces of this size, and its strings are shortened.
LINE_BYTES = 4 * 1_048_576
#: A shortened string keeps this much, and the whole line keeps this much.
STRING_BYTES, KEPT_BYTES = 1_048_576, 8 * 1_048_576
#: The end of a shortened string. No stored message contains NUL.
CUT = "\0[… left out]"
#: The type of the record that replaces omitted lines; `count` is their number.
LEFT_OUT = "signet-left-out"

_END = json.dumps(CUT).strip('"').encode()
#: The length of an escape such as `\\u00e4`.
_ESCAPE_BYTES = 6
#: What follows inside a string: up to its closing quote, the end of the piece, or half an escape there.
_INSIDE = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
#: A string of a record that is sent elsewhere keeps this much, in characters, unless it is a message.
_SENT_CHARS = 20_000
#: Parts of records with tool calls or their output, and fields with output or an image.
_NO_MESSAGES = frozenset(
    {
        *("tool_use", "tool_result", "toolResult", "tool", "tool.execution_complete"),
        *("function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output"),
        *("command_execution", "reasoning", "thinking"),
    }
)
_OUTPUT = frozenset({"toolUseResult", "aggregated_output", "output"})
_IMAGE = frozenset({"data", "image_url", "url"})


def lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file, with long strings cut in lines over LINE_BYTES."""
    while line := file.readline(LINE_BYTES):
        if len(line) < LINE_BYTES or line.endswith(b"\n"):
            yield line
        else:
            yield _Shortener().line(line, file)


def left_out(count: int) -> bytes:
    """Return the record that replaces omitted lines."""
    return json.dumps({"type": LEFT_OUT, "count": count}).encode() + b"\n"


def newest(log: Iterable[bytes], most: int) -> bytes:
    """Return the first line of a log and its newest lines in `most` bytes, without images and long tool output."""
    kept: deque[bytes] = deque()
    first, size, gone = b"", 0, 0
    for line in log:
        slim = _slim(line)
        if not first:
            first = slim
            continue
        kept.append(slim)
        size += len(slim)
        while size > most - len(first) and kept:
            size -= len(kept.popleft())
            gone += 1
    return b"".join((first, left_out(gone) if gone else b"", *kept))


def _slim(line: bytes) -> bytes:
    if len(line) <= _SENT_CHARS or not line.startswith(b"{"):
        return line
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return line
    slim = _shortened(record, is_text=True)
    return json.dumps(slim, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _shortened(value: object, *, is_text: bool) -> object:
    """Cut the long strings of a JSON value, except where `is_text` marks the text of a message."""
    if isinstance(value, str):
        return value if is_text or len(value) <= _SENT_CHARS else value[:_SENT_CHARS]
    if isinstance(value, list):
        return [_shortened(one, is_text=is_text) for one in value]
    if not isinstance(value, dict):
        return value
    is_message = is_text and value.get("type") not in _NO_MESSAGES
    return {
        name: _shortened(one, is_text=is_message and name not in _OUTPUT)
        for name, one in value.items()
        if not (name in _IMAGE and isinstance(one, str) and len(one) > _SENT_CHARS)
    }


class _Shortener:
    """Reads one long line in pieces and keeps the start of each string."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self._is_inside = False
        self._string = bytearray()
        self._is_cut = False
        self._room = KEPT_BYTES

    def line(self, first: bytes, file: BinaryIO) -> bytes:
        """Return the shortened line, or a LEFT_OUT record for one without long strings."""
        is_object = first.lstrip().startswith(b"{")
        piece = first
        while piece:
            is_end = piece.endswith(b"\n")
            rest = self._take(piece) if is_object and self._room > 0 else b""
            if is_end:
                break
            piece = file.readline(LINE_BYTES)
            piece = rest + piece if piece else b""
        if not is_object:
            return first[:STRING_BYTES] + CUT.encode() + b"\n"
        return bytes(self._kept).rstrip() + b"\n" if self._room > 0 else left_out(1)

    def _take(self, piece: bytes) -> bytes:
        """Read a piece; return its end if that is half an escape."""
        at = 0
        while at < len(piece):
            if not self._is_inside:
                quote = piece.find(b'"', at)
                end = len(piece) if quote < 0 else quote + 1
                self._keep(piece[at:end])
                self._is_inside, at = quote >= 0, end
                continue
            found = _INSIDE.match(piece, at)
            end = found.end() if found else at
            self._add(piece[at:end])
            if end == len(piece):
                return b""
            if piece[end : end + 1] == b"\\":
                return piece[end:]
            self._close()
            at = end + 1
        return b""

    def _add(self, part: bytes) -> None:
        room = STRING_BYTES - len(self._string)
        self._string += part[:room]
        self._is_cut = self._is_cut or len(part) > room

    def _close(self) -> None:
        most = min(STRING_BYTES, max(self._room // 2, 256))
        if self._is_cut or len(self._string) > most:
            whole = self._string[: _end_of_whole(self._string, most)].decode("utf-8", "ignore")
            self._string = bytearray(whole.encode() + _END)
        self._keep(bytes(self._string) + b'"')
        self._string, self._is_inside, self._is_cut = bytearray(), False, False

    def _keep(self, part: bytes) -> None:
        self._kept += part
        self._room -= len(part)


def _end_of_whole(string: bytearray, most: int) -> int:
    """Return the end of the longest start of a JSON string that has at most `most` bytes and no half escape."""
    found = _INSIDE.match(string, 0, most)
    end = found.end() if found else 0
    half = string.rfind(b"\\u", max(end - _ESCAPE_BYTES + 1, 0), end)
    slashes = half - len(string[:half].rstrip(b"\\"))
    return end if half < 0 or slashes % 2 else half
