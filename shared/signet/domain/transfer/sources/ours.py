"""Our own files: NDJSON as FORMAT.md describes it. A line that is broken costs nothing but itself."""

import importlib
import io
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from signet.domain.transfer.records import END, HEADER, VERSION, Found, Record
from signet.domain.transfer.sources.source import Format, Source, kilobytes
from signet.errors import Invalid
from signet.text.json_text import STRICT

try:
    from lzma import LZMAError
except ImportError:  # then `unpacked` refuses such files

    class LZMAError(Exception):  # type: ignore[no-redef]
        """Never raised."""


#: No row is longer; the rest of a longer line is skipped.
MAX_LINE_BYTES = 64 * 1024 * 1024


#: How compressed files begin, and the module that reads them: not every Python has all of them.
_READERS = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\0": "lzma"}
#: How those begin that no module reads.
_UNREADABLE = {
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x04\x22\x4d\x18": "lz4",
    b"PK\x03\x04": "zip",
    b"7z\xbc\xaf": "7z",
}
#: What a cut or broken one raises.
BROKEN = (EOFError, OSError, zlib.error, LZMAError)


def unpacked(stream: io.BufferedReader) -> BinaryIO:
    """Return a stream, decompressed where it begins as gzip, bzip2 or xz does. Raises Invalid for other packings."""
    head = stream.peek(8)
    name = next((name for mark, name in _READERS.items() if head.startswith(mark)), None)
    if other := next((name for mark, name in _UNREADABLE.items() if head.startswith(mark)), None):
        raise Invalid(f"{other} files cannot be read: decompress it, or use gzip, bzip2 or xz")
    if name is None:
        return stream
    try:
        found: BinaryIO = importlib.import_module(name).open(stream, "rb")
    except ImportError as error:
        raise Invalid(f"This Python cannot decompress {name} files") from error
    return found


def read(stream: BinaryIO, size: int) -> Source:
    """Return what a stream of `size` bytes holds (0: not known). Raises Invalid for a file of a later version."""
    first = next(lines(stream), None)
    header = parsed(first[1]) if first else None
    is_header = isinstance(header, dict) and header.get("record") == HEADER
    if isinstance(header, dict) and is_header and header.get("version") != VERSION:
        raise Invalid(
            f"The file has version {header.get('version')}, this program can read version {VERSION}"
        )
    return Source(
        format=Format.SIGNET,
        records=_records(stream, first, has_end=is_header),
        total=kilobytes(size),
        unit="KB",
        vectors=isinstance(header, dict) and is_header and header.get("vectors") is True,
    )


def _records(
    stream: BinaryIO, first: tuple[int, bytes] | None, *, has_end: bool
) -> Iterator[Found]:
    number = read = 0
    is_whole = not has_end
    for length, raw in _chain(first, stream):
        number, read = number + 1, read + length
        where, done = f"line {number}", kilobytes(read)
        value = parsed(raw)
        if isinstance(value, str):
            yield Found(where=where, done=done, fault=value)
        elif value is not None and value.get("record") == END:
            is_whole = True
        elif value is not None and value.get("record") != HEADER:
            yield Found(where=where, done=done, value=value)
    if not is_whole:
        yield Found(
            where=f"line {number + 1}",
            done=kilobytes(read),
            fault="the file ends before its last line, it was cut off",
        )


def _chain(first: tuple[int, bytes] | None, stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    if first is not None:
        yield first
        yield from lines(stream)


def lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield each line with its length; one that is too long comes empty."""
    while raw := _line(stream):
        length = len(raw)
        while not raw.endswith(b"\n") and (rest := _line(stream)):
            length += len(rest)
            raw = b"\xff\n" if rest.endswith(b"\n") else b"\xff"
        yield length, raw


def _line(stream: BinaryIO) -> bytes:
    """Return the next line or part of one; empty where a compressed file is broken, too."""
    try:
        return stream.readline(MAX_LINE_BYTES)
    except BROKEN:
        return b""


def parsed(raw: bytes) -> Record | str | None:
    """Return the object in a line, None for a blank one, or in words what is wrong with it."""
    try:
        text = raw.decode("utf-8-sig").strip()
        value = STRICT.decode(text) if text else None
    except UnicodeDecodeError:
        return "is not UTF-8"
    except (ValueError, RecursionError):
        return "is not JSON"
    return value if value is None or isinstance(value, dict) else "is not a JSON object"
