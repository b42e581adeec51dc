"""Memories of mem0: a JSON list, an object with a list, or one JSON object per line."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import TextIO

from signet.domain.transfer.records import SourceRecord
from signet.domain.transfer.sources.formats import (
    Format,
    ImportOptions,
    ImportSource,
    kilobytes,
    text_record,
)
from signet.text import json_text

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
