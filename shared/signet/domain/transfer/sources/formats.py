"""The common form of all sources, and our own NDJSON export (FORMAT.md), in which a broken line is skipped."""

import importlib
import io
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from signet.domain.transfer.records import END, HEADER, TEXT, VERSION, Record, SourceRecord
from signet.errors import Invalid
from signet.paths import Workspace
from signet.text.json_text import STRICT


class Format(StrEnum):
    """The formats that can be imported, as `--from` names them."""

    SIGNET = "signet"
    UPSTREAM = "upstream"
    BUNDLE = "bundle"
    CLAUDE_CODE = "claude-code"
    MARKDOWN = "markdown"
    MEM0 = "mem0"


#: Formats whose rows name their owner.
OWNED = frozenset({Format.SIGNET, Format.UPSTREAM})


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """Choices for the texts of a source: owner, project, and whether to read transcripts."""

    agent_id: str | None = None
    project: str | None = None
    sessions: bool = False


class SourceFile(Protocol):
    """A file or folder of a source to copy into the workspace; `kind` is its name for people."""

    @property
    def kind(self) -> str: ...

    @property
    def place(self) -> Path: ...

    def copy(self, workspace: Workspace) -> None:
        """Put it into a workspace, in place of one with its name. Raises SignetError and OSError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportSource:
    """An open source: its records, its size in `unit` (0: unknown), and whether it has vectors.

    `files` are no rows: the command line copies them into the workspace. `left` counts, by ending, the unread files of
    a folder.
    """

    format: Format
    records: Iterator[SourceRecord]
    total: int
    unit: str
    vectors: bool = False
    files: tuple[SourceFile, ...] = ()
    left: Mapping[str, int] = field(default_factory=dict)


def text_record(content: str, wishes: ImportOptions, fields: Mapping[str, object]) -> Record:
    """Return the record of a text, without None values."""
    wished = {"agentId": wishes.agent_id, "project": wishes.project or fields.get("project")}
    said = {"record": TEXT, "content": content, **fields, **wished}
    return {name: value for name, value in said.items() if value is not None}


def kilobytes(size: int) -> int:
    return -(-size // 1024)


def size_of(paths: list[Path]) -> int:
    return kilobytes(sum(path.stat().st_size for path in paths))


try:
    from lzma import LZMAError
except ImportError:  # `unpacked` refuses such files

    class LZMAError(Exception):  # type: ignore[no-redef]
        """Never raised."""


#: Maximum length of a row; the rest of a longer line is skipped.
MAX_LINE_BYTES = 64 * 1024 * 1024


#: Magic bytes of compressed files and their modules, which not every Python has.
_READERS = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\0": "lzma"}
#: Magic bytes of unsupported compression.
_UNREADABLE = {
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x04\x22\x4d\x18": "lz4",
    b"7z\xbc\xaf": "7z",
}
#: Errors of a cut or broken compressed file.
BROKEN = (EOFError, OSError, zlib.error, LZMAError, zipfile.BadZipFile)


def unpacked(stream: io.BufferedReader) -> BinaryIO:
    """Return a stream, decompressed from gzip, bzip2, xz or zip. Raises Invalid for other compression."""
    head = stream.peek(8)
    if head.startswith(b"PK\x03\x04"):
        return _only_member(stream)
    name = next((name for mark, name in _READERS.items() if head.startswith(mark)), None)
    if other := next((name for mark, name in _UNREADABLE.items() if head.startswith(mark)), None):
        raise Invalid(f"{other} files cannot be read: decompress it, or use gzip, bzip2, xz or zip")
    if name is None:
        return stream
    try:
        found: BinaryIO = importlib.import_module(name).open(stream, "rb")
    except ImportError as error:
        raise Invalid(f"This Python cannot decompress {name} files") from error
    return found


def _only_member(stream: BinaryIO) -> BinaryIO:
    """Return the one file of a zip archive; what macOS adds does not count. Raises Invalid for any other archive."""
    if not stream.seekable():
        raise Invalid("A zip archive is read from a file, not from a pipe")
    try:
        archive = zipfile.ZipFile(stream)
    except zipfile.BadZipFile as error:
        raise Invalid("The zip archive is broken: it was cut off") from error
    found = [one for one in archive.infolist() if not one.is_dir()]
    found = [one for one in found if not one.filename.startswith("__MACOSX/")]
    if len(found) != 1 or found[0].flag_bits & 1:
        raise Invalid("A zip archive must have exactly one file, without a password")
    return cast(BinaryIO, archive.open(found[0]))


def read_export(stream: BinaryIO, size: int) -> ImportSource:
    """Return the records of a stream of `size` bytes (0: unknown). Raises Invalid for a later version."""
    first = next(lines_of(stream), None)
    header = parsed_line(first[1]) if first else None
    is_header = isinstance(header, dict) and header.get("record") == HEADER
    if isinstance(header, dict) and is_header and header.get("version") != VERSION:
        raise Invalid(
            f"The file has version {header.get('version')}, this program can read version {VERSION}"
        )
    return ImportSource(
        format=Format.SIGNET,
        records=_export_records(stream, first, has_end=is_header),
        total=kilobytes(size),
        unit="KB",
        vectors=isinstance(header, dict) and is_header and header.get("vectors") is True,
    )


def _export_records(
    stream: BinaryIO, first: tuple[int, bytes] | None, *, has_end: bool
) -> Iterator[SourceRecord]:
    number = read = 0
    is_whole = not has_end
    for length, raw in _chain(first, stream):
        number, read = number + 1, read + length
        where, done = f"line {number}", kilobytes(read)
        value = parsed_line(raw)
        if isinstance(value, str):
            yield SourceRecord(where=where, done=done, fault=value)
        elif value is not None and value.get("record") == END:
            is_whole = True
        elif value is not None and value.get("record") != HEADER:
            yield SourceRecord(where=where, done=done, value=value)
    if not is_whole:
        yield SourceRecord(
            where=f"line {number + 1}",
            done=kilobytes(read),
            fault="the file ends before its last line, it was cut off",
        )


def _chain(first: tuple[int, bytes] | None, stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    if first is not None:
        yield first
        yield from lines_of(stream)


def lines_of(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield each line with its length; one that is too long is empty."""
    while raw := _line(stream):
        length = len(raw)
        while not raw.endswith(b"\n") and (rest := _line(stream)):
            length += len(rest)
            raw = b"\xff\n" if rest.endswith(b"\n") else b"\xff"
        yield length, raw


def _line(stream: BinaryIO) -> bytes:
    try:
        return stream.readline(MAX_LINE_BYTES)
    except BROKEN:
        return b""


def parsed_line(raw: bytes) -> Record | str | None:
    """Return the object of a line, None for a blank line, or the error as text."""
    try:
        text = raw.decode("utf-8-sig").strip()
        value = STRICT.decode(text) if text else None
    except UnicodeDecodeError:
        return "is not UTF-8"
    except (ValueError, RecursionError):
        return "is not JSON"
    return value if value is None or isinstance(value, dict) else "is not a JSON object"
