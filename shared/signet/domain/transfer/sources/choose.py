"""Detect the format of a source, and open it."""

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import cast

from signet.domain.folders.private import find_places
from signet.domain.transfer.records import HEADER, KINDS, TEXT, VECTORS
from signet.domain.transfer.sources import claude_code, formats, markdown, mem0, typescript
from signet.domain.transfer.sources.formats import Format, ImportOptions, ImportSource
from signet.errors import Invalid, NotFound
from signet.paths import Workspace
from signet.text import json_text

STDIN = "-"
_SQLITE = b"SQLite format 3\0"
_HEAD_BYTES = 1 << 16
_OURS = frozenset({HEADER, TEXT, VECTORS, *KINDS})
#: Paths of the database below a workspace or its memory folder.
_DATABASES = ("memory/memories.db", "memories.db")


@contextlib.contextmanager
def open_source(
    name: str, format: Format | None, wishes: ImportOptions, *, workspace: Workspace, now: datetime
) -> Iterator[ImportSource]:
    """Open a file, a folder or standard input (`-`); without a format it is detected.

    Raises NotFound, and Invalid for an unknown format and for a private folder.
    """
    if name == STDIN:
        if format not in (None, Format.SIGNET):
            raise Invalid(f"Standard input can only be read as {Format.SIGNET}")
        yield formats.read_export(formats.unpacked(cast(io.BufferedReader, sys.stdin.buffer)), 0)
        return
    path = Path(name).expanduser()
    if not path.exists():
        raise NotFound(f"{path} does not exist")
    reason = find_places(workspace).named_reason(os.path.realpath(path))
    if reason and format is not Format.UPSTREAM and not _is_workspace(path):
        raise Invalid(
            f"{path} is private: {reason}. Name a folder or file with nothing but memories, such as"
            " ~/notes or ~/.claude",
            "private_folder",
        )
    chosen = format or detect(path)
    if chosen is None:
        raise Invalid(f"What {path} holds was not recognised; name it with --from")
    if chosen is Format.UPSTREAM:
        with typescript.read_database(_database(path), now) as source:
            yield source
    elif chosen is Format.SIGNET:
        with path.open("rb") as stream:
            plain = formats.unpacked(stream)
            yield formats.read_export(plain, path.stat().st_size if plain is stream else 0)
    elif chosen is Format.BUNDLE:
        if not typescript.is_bundle(path):
            raise NotFound(
                f"There is no {typescript.MANIFEST} with {typescript.MEMORIES} in {path}"
            )
        yield typescript.read_bundle(path, wishes)
    elif chosen is Format.MEM0:
        yield mem0.read_mem0(path, wishes)
    elif chosen is Format.CLAUDE_CODE:
        yield claude_code.read_claude_code(path, wishes)
    else:
        yield markdown.read(path, wishes)


def detect(path: Path) -> Format | None:
    """Return the format of a file or folder, None if it is unknown."""
    if path.is_dir():
        return _of_folder(path)
    if path.name in claude_code.NAMES or claude_code.page_of(path, path.parent) is not None:
        return Format.CLAUDE_CODE
    if path.name.lower().endswith(markdown.ENDINGS):
        return Format.MARKDOWN
    with path.open("rb") as file:
        try:
            head = formats.unpacked(file).read(_HEAD_BYTES)
        except formats.BROKEN:  # only Signet exports may be compressed; this one is cut off
            return Format.SIGNET
    if head.startswith(_SQLITE):
        return Format.UPSTREAM
    first = head.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0]
    value = json_text.an_object(first)
    if value and value.get("record") in _OURS:
        return Format.SIGNET
    is_session = value and not {"message", "sessionId"}.isdisjoint(value)
    if is_session and path.suffix == ".jsonl":
        return Format.CLAUDE_CODE
    if first[:1] in (b"[", b"{"):
        return Format.MEM0
    return Format.MARKDOWN if path.name.lower().endswith(markdown.NOTES) else None


def _of_folder(path: Path) -> Format | None:
    if typescript.is_bundle(path):
        return Format.BUNDLE
    if _is_workspace(path):
        return Format.UPSTREAM
    folder = path.absolute()
    if folder.name == ".claude" or ".claude" in folder.parts or (path / ".claude").is_dir():
        return Format.CLAUDE_CODE
    if any((path / name).is_file() for name in claude_code.NAMES):
        return Format.CLAUDE_CODE
    return Format.MARKDOWN if next(markdown.walk(path, endings=markdown.NOTES), None) else None


def _is_workspace(path: Path) -> bool:
    return path.is_dir() and any((path / name).is_file() for name in _DATABASES)


def _database(path: Path) -> Path:
    if path.is_file():
        return path
    for name in _DATABASES:
        if (path / name).is_file():
            return path / name
    raise NotFound(f"No database was found in {path}")
