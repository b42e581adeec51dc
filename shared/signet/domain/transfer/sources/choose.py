"""Detect the format of a source, and open it."""

import contextlib
import hashlib
import io
import json
import os
import sys
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import TextIO, cast

from signet.domain.folders.private import find_places
from signet.domain.folders.reading import NotAFile, NotAllowed, below, opened
from signet.domain.transcripts import transcript
from signet.domain.transfer.records import HEADER, KINDS, TEXT, VECTORS, SourceRecord
from signet.domain.transfer.sources import formats, markdown, typescript
from signet.domain.transfer.sources.formats import (
    Format,
    ImportOptions,
    ImportSource,
    kilobytes,
    size_of,
    text_record,
)
from signet.domain.transfer.sources.markdown import MarkdownFile
from signet.errors import Invalid, NotFound
from signet.paths import Workspace
from signet.text import json_text

NAMES = frozenset({"CLAUDE.md", "CLAUDE.local.md"})
_HOME = ".claude"
_SESSION = ".jsonl"


def read_claude_code(root: Path, wishes: ImportOptions) -> ImportSource:
    """Return the memories of a folder or file; transcripts of a folder only on request."""
    pages = [page for path in _notes(root) if (page := page_of(path, root)) is not None]
    sessions = [root] if root.suffix == _SESSION else []
    if root.is_dir() and wishes.sessions:
        found = sorted(root.rglob(f"*{_SESSION}"))
        sessions = [path for path in found if markdown.leads_to(path, (_SESSION,))]
    notes = size_of([page.path for page in pages])
    return ImportSource(
        format=Format.CLAUDE_CODE,
        records=chain(markdown.records(pages, wishes), _sessions(sessions, root, wishes, notes)),
        total=notes + size_of(sessions),
        unit="KB",
    )


def _notes(root: Path) -> Iterator[Path]:
    if root.is_dir():
        yield from markdown.walk(root, hidden=frozenset({_HOME}))
    elif root.suffix != _SESSION:
        yield root


def page_of(path: Path, root: Path) -> MarkdownFile | None:
    path = path.absolute()
    folder = path.parent
    fields: dict[str, object] = {"who": Format.CLAUDE_CODE}
    if folder.name == "memory" and folder.parent.parent.name == "projects":
        project = folder.parent.name
        fields |= {"sourceType": "claude-project-memory", "tags": [f"project:{project}"]}
        return MarkdownFile(path=path, root=root, fields={**fields, "project": project})
    is_rule = _HOME in folder.parts and "rules" in folder.parts
    if path.name not in NAMES and not is_rule and path != root.absolute():
        return None
    home = next((one for one in path.parents if one.name == _HOME), None)
    project_folder = home.parent if home else folder
    is_personal = home is not None and (home / "projects").is_dir()
    project_path = None if is_personal else project_folder.as_posix()
    return MarkdownFile(
        path=path, root=root, fields={**fields, "sourceType": "claude-md", "project": project_path}
    )


def _sessions(
    paths: list[Path], root: Path, wishes: ImportOptions, before: int
) -> Iterator[SourceRecord]:
    read_claude_code = 0
    for path in paths:
        read_claude_code += path.stat().st_size
        done = before + kilobytes(read_claude_code)
        try:
            with (
                opened(path, below(root)) as file,
                io.TextIOWrapper(file, encoding="utf-8", errors="replace") as log,
            ):
                turns = list(transcript.logged(log))
        except (OSError, NotAllowed, NotAFile) as error:
            yield SourceRecord(where=str(path), done=done, fault=str(error))
            continue
        whole: str | None = transcript.written(turns)
        for ordinal, turn in enumerate(turns):
            fields = {
                "who": Format.CLAUDE_CODE,
                "sourceType": "session",
                "sourceId": path.stem,
                "source_path": path.absolute().as_posix(),
                "ordinal": ordinal,
                "createdAt": turn.at,
                "harness": Format.CLAUDE_CODE,
                "project": path.parent.name,
                "transcript": whole,
            }
            whole = None
            value = text_record(f"{turn.role.capitalize()}: {turn.text}", wishes, fields)
            yield SourceRecord(where=f"{path}, turn {ordinal + 1}", done=done, value=value)


_LISTS = ("results", "memories")
#: Maximum length of a memory on one line.
_MAX_LINE_CHARS = 1 << 20
_TEXTS = ("memory", "text", "data", "content")


def read_mem0(path: Path, wishes: ImportOptions) -> ImportSource:
    return ImportSource(
        format=Format.MEM0,
        records=_records(path, wishes),
        total=kilobytes(path.stat().st_size),
        unit="KB",
    )


def is_memory(value: object) -> bool:
    return isinstance(value, dict) and any(isinstance(value.get(name), str) for name in _TEXTS)


def _records(path: Path, wishes: ImportOptions) -> Iterator[SourceRecord]:
    number = 0
    with path.open(encoding="utf-8-sig", errors="replace", newline="\n") as file:
        try:
            for number, value in enumerate(_values(file), 1):
                where, done = f"entry {number}", kilobytes(_position(file))
                if isinstance(value, dict) and is_memory(value):
                    yield SourceRecord(where=where, done=done, value=_record(value, wishes))
                else:
                    yield SourceRecord(where=where, done=done, fault="is not a mem0 memory")
        except ValueError as error:
            yield SourceRecord(where=f"entry {number + 1}", done=0, fault=f"is not JSON: {error}")


def _position(file: TextIO) -> int:
    return file.buffer.tell()


def _values(file: TextIO) -> Iterator[object]:
    """Yield the memories of a list, or of the lines if the first one is a memory. Raises ValueError."""
    first = file.readline(_MAX_LINE_CHARS)
    if is_memory(json_text.value(first)):
        lines = chain([first], iter(lambda: file.readline(_MAX_LINE_CHARS), ""))
        yield from (json_text.value(line) for line in lines if line.strip())
        return
    file.seek(0)
    try:
        value = json.load(file)
    except RecursionError as error:
        raise ValueError("too many levels") from error
    named = value if isinstance(value, dict) else {"results": value}
    for name in _LISTS:
        yield from named[name] if isinstance(named.get(name), list) else ()


def _record(value: Mapping[str, object], wishes: ImportOptions) -> Mapping[str, object]:
    content = next(str(value[name]) for name in _TEXTS if isinstance(value.get(name), str))
    metadata = value.get("metadata")
    extra = metadata if isinstance(metadata, dict) else {}
    tags = [one for one in _list(value.get("categories")) + _list(extra.get("category")) if one]
    digest = hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:12]
    return text_record(
        content,
        wishes,
        {
            "sourceType": Format.MEM0,
            # With the digest, because a changed memory of the same ID is a new source.
            "sourceId": f"{value['id']}@{digest}" if value.get("id") else None,
            "who": _text(value.get("user_id")) or _text(value.get("actor_id")) or Format.MEM0,
            "createdAt": value.get("created_at"),
            "sessionKey": _text(value.get("run_id")),
            "project": _text(extra.get("project")),
            "tags": tags or None,
        },
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _list(value: object) -> list[str]:
    listed = value if isinstance(value, list) else [value]
    return [one.strip() for one in listed if isinstance(one, str)]


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
        raise Invalid(f"The format of {path} was not recognised. Name it with --from")
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
        yield read_mem0(path, wishes)
    elif chosen is Format.CLAUDE_CODE:
        yield read_claude_code(path, wishes)
    else:
        yield markdown.read(path, wishes)


def detect(path: Path) -> Format | None:
    """Return the format of a file or folder, None if it is unknown."""
    if path.is_dir():
        return _of_folder(path)
    if path.name in NAMES or page_of(path, path.parent) is not None:
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
    if any((path / name).is_file() for name in NAMES):
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
