"""Exports of mem0: what its `get_all` and its export job answer, saved as JSON.

A list of memories, alone or under `results` or `memories`, or one memory per line. A memory is an object with the text
under `memory`; `id`, `created_at`, `categories`, `metadata`, `run_id` and `user_id` are kept where we have a place.
"""

import hashlib
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import TextIO

from signet.domain.transfer.records import Found
from signet.domain.transfer.sources import json_list
from signet.domain.transfer.sources.source import Format, Source, Wishes, kilobytes, text_record
from signet.text import json_text

_LISTS = frozenset({"results", "memories"})
#: A memory alone on its line is shorter; a list on one line may be as long as the file.
_MAX_LINE_CHARS = 1 << 20
_TEXTS = ("memory", "text", "data", "content")


def read(path: Path, wishes: Wishes) -> Source:
    """Return the memories of a file."""
    return Source(
        format=Format.MEM0,
        records=_records(path, wishes),
        total=kilobytes(path.stat().st_size),
        unit="KB",
    )


def is_memory(value: object) -> bool:
    """Return whether a JSON value looks like a memory of mem0."""
    return isinstance(value, dict) and any(isinstance(value.get(name), str) for name in _TEXTS)


def _records(path: Path, wishes: Wishes) -> Iterator[Found]:
    number = 0
    with path.open(encoding="utf-8-sig", errors="replace", newline="\n") as file:
        try:
            for number, value in enumerate(_values(file), 1):
                where, done = f"entry {number}", kilobytes(_read_so_far(file))
                if isinstance(value, dict) and is_memory(value):
                    yield Found(where=where, done=done, value=_record(value, wishes))
                else:
                    yield Found(where=where, done=done, fault="is not a mem0 memory")
        except ValueError as error:
            yield Found(where=f"entry {number + 1}", done=0, fault=f"is not JSON: {error}")


def _read_so_far(file: TextIO) -> int:
    return file.buffer.tell()


def _values(file: TextIO) -> Iterator[object]:
    """Yield the memories of a list, or of the lines when the first one is a memory by itself."""
    first = file.readline(_MAX_LINE_CHARS)
    if not is_memory(json_text.value(first)):
        file.seek(0)
        yield from json_list.read(file, _LISTS)
        return
    for line in chain([first], iter(lambda: file.readline(_MAX_LINE_CHARS), "")):
        if line.strip():
            yield json_text.value(line)


def _record(value: Mapping[str, object], wishes: Wishes) -> Mapping[str, object]:
    content = next(str(value[name]) for name in _TEXTS if isinstance(value.get(name), str))
    metadata = value.get("metadata")
    said = metadata if isinstance(metadata, dict) else {}
    tags = [one for one in _list(value.get("categories")) + _list(said.get("category")) if one]
    digest = hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:12]
    return text_record(
        content,
        wishes,
        {
            "sourceType": Format.MEM0,
            # A memory that has changed there is another source, else its new text would count as known.
            "sourceId": f"{value['id']}@{digest}" if value.get("id") else None,
            "who": _text(value.get("user_id")) or _text(value.get("actor_id")) or Format.MEM0,
            "createdAt": value.get("created_at"),
            "sessionKey": _text(value.get("run_id")),
            "project": _text(said.get("project")),
            "tags": tags or None,
        },
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _list(value: object) -> list[str]:
    listed = value if isinstance(value, list) else [value]
    return [one.strip() for one in listed if isinstance(one, str)]
