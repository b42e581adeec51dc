"""Markdown files and other notes, cut verbatim by section into pieces that can each be a memory."""

import contextlib
import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from signet import clock
from signet.domain.folders.reading import NotAFile, NotAllowed, below, opened
from signet.domain.memory import wording
from signet.domain.transfer.records import SourceRecord
from signet.domain.transfer.sources.formats import (
    Format,
    ImportOptions,
    ImportSource,
    kilobytes,
    size_of,
    text_record,
)

#: Shorter than the pieces of `remember`, whose own cuts ignore headings.
PIECE_CHARS = 600

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_COMMENT, _COMMENT_END = "<!--", "-->"
_TRAIL = " › "


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Part of a section: the section's first line, the headings above it, the text after its own heading."""

    line: int
    section: str
    content: str


@dataclass(slots=True)
class _Section:
    line: int
    heading: str
    trail: tuple[str, ...]
    lines: list[str]


def section_pieces(text: str, *, first_line: int = 1) -> Iterator[Piece]:
    """Yield the pieces of a file in order; a heading without text yields none."""
    for section in _sections(_without_comments(text), first_line):
        for piece in wording.split_text("\n".join(section.lines), PIECE_CHARS):
            if any(map(str.isalnum, piece)):
                yield Piece(
                    line=section.line,
                    section=_TRAIL.join(section.trail),
                    content=f"{section.heading}\n\n{piece}" if section.heading else piece,
                )


def _sections(text: str, first_line: int) -> Iterator[_Section]:
    section = _Section(first_line, "", (), [])
    levels: list[tuple[int, str]] = []
    fence = ""
    for number, line in enumerate(text.split("\n"), first_line):
        mark = _FENCE.match(line)
        if mark and (not fence or line.strip().startswith(fence)):
            fence = "" if fence else mark[1]
        heading = None if fence else _HEADING.fullmatch(line)
        if heading is None:
            section.lines.append(line)
            continue
        yield section
        level = len(heading[1])
        levels = [one for one in levels if one[0] < level] + [(level, _title(heading[2]))]
        trail = tuple(name for _, name in levels if name)
        section = _Section(number, line.strip() if levels[-1][1] else "", trail, [])
    yield section


def _title(text: str) -> str:
    title = text.strip(" \t")
    bare = title.rstrip("#")
    return bare.rstrip(" \t") if bare.endswith((" ", "\t")) or not bare else title


def _without_comments(text: str) -> str:
    """Remove comments, but not their line breaks, so that line numbers stay right."""
    parts, at = [], 0
    while (start := text.find(_COMMENT, at)) >= 0:
        end = text.find(_COMMENT_END, start)
        if end < 0:
            break
        parts += [text[at:start], "\n" * text.count("\n", start, end)]
        at = end + len(_COMMENT_END)
    return "".join(parts) + text[at:]


#: Endings of Markdown, and of all notes that are read from a folder.
ENDINGS = (".md", ".markdown")
NOTES = (*ENDINGS, ".txt", ".text")
MAX_FILE_BYTES = 16 * 1024 * 1024
#: Longer or deeper front matter, or one with aliases, is skipped.
MAX_FRONT_CHARS, MAX_FRONT_DEPTH = 16_384, 64
_SKIPPED = frozenset({"node_modules", "__pycache__", "venv"})


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkdownFile:
    """One file below the root of a source, and the fields of its memories."""

    path: Path
    root: Path
    fields: Mapping[str, object]


def read(root: Path, wishes: ImportOptions) -> ImportSource:
    """Return the sections of a file, or of all notes below a folder, except for hidden folders."""
    files = [root] if root.is_file() else list(_files(root, frozenset()))
    paths = [path for path in files if root.is_file() or _is_one(path, NOTES)]
    taken = frozenset(paths)
    others = [path for path in files if path not in taken and not path.name.startswith(".")]
    fields = {"sourceType": Format.MARKDOWN, "who": Format.MARKDOWN}
    found = [MarkdownFile(path=path, root=root, fields=fields) for path in paths]
    return ImportSource(
        format=Format.MARKDOWN,
        records=records(found, wishes),
        total=size_of(paths),
        unit="KB",
        left=Counter(path.suffix.lower() or path.name for path in others),
    )


def walk(
    root: Path, *, hidden: frozenset[str] = frozenset(), endings: tuple[str, ...] = ENDINGS
) -> Iterator[Path]:
    """Yield the files with these endings below a folder in path order; hidden folders only if named."""
    return (path for path in _files(root, hidden) if _is_one(path, endings))


def _files(root: Path, hidden: frozenset[str]) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(
            name
            for name in folders
            if name not in _SKIPPED and (name in hidden or not name.startswith("."))
        )
        yield from (Path(folder, name) for name in sorted(files))


def _is_one(path: Path, endings: tuple[str, ...]) -> bool:
    return path.name.lower().endswith(endings) and leads_to(path, endings)


def leads_to(path: Path, endings: tuple[str, ...]) -> bool:
    """Return whether a path is, or links to, a regular file with one of these endings."""
    return path.is_file() and path.resolve().name.lower().endswith(endings)


def written_at(path: Path) -> datetime:
    """Return the date at the start of a file's name, else the time of its last change."""
    changed = min(clock.ms_to_instant(path.stat().st_mtime_ns // 1_000_000), clock.now())
    try:
        day = datetime.fromisoformat(path.stem[:10]).replace(hour=12).astimezone(UTC)
    except (ValueError, OverflowError):
        return changed
    return changed if clock.local(changed).date() == clock.local(day).date() else day


def records(pages: list[MarkdownFile], wishes: ImportOptions) -> Iterator[SourceRecord]:
    """Yield the pieces of all files, and the reason for each file that cannot be read."""
    read = 0
    for page in pages:
        read += page.path.stat().st_size
        done = kilobytes(read)
        try:
            with opened(page.path, below(page.root)) as file:
                data = file.read(MAX_FILE_BYTES + 1)
            if len(data) > MAX_FILE_BYTES:
                raise ValueError(f"is larger than {MAX_FILE_BYTES // 1024**2} MB")
            text = data.decode("utf-8-sig")
        except (OSError, ValueError, NotAllowed, NotAFile) as error:
            fault = "is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
            yield SourceRecord(where=str(page.path), done=done, fault=fault)
            continue
        # As in text mode: each line break is one line feed.
        yield from _of_file(page, text.replace("\r\n", "\n").replace("\r", "\n"), wishes, done)


def _of_file(
    page: MarkdownFile, text: str, wishes: ImportOptions, done: int
) -> Iterator[SourceRecord]:
    path = page.path.absolute().as_posix()
    front, body, first_line = _front_matter(text)
    digest = hashlib.sha256(f"{path}\0{text}".encode()).hexdigest()[:32]
    for ordinal, piece in enumerate(section_pieces(body, first_line=first_line)):
        fields = {
            "createdAt": clock.to_text(written_at(page.path)),
            **page.fields,
            **front,
            "sourceId": digest,
            "ordinal": ordinal,
            "source_path": path,
            "source_section": piece.section or None,
            "tags": _tags(page.fields.get("tags")) + _tags(front.get("tags")) or None,
        }
        value = text_record(piece.content, wishes, fields)
        yield SourceRecord(where=f"{page.path}:{piece.line}", done=done, value=value)


def _front_matter(text: str) -> tuple[dict[str, object], str, int]:
    """Return the known fields of the front matter, the text after it, and the line where that starts.

    Invalid YAML is removed from the text as well.
    """
    lines = text.splitlines()
    if not lines or lines[0].rstrip() != "---":
        return {}, text, 1
    end = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), None)
    if end is None:
        return {}, text, 1
    fields = _fields(_yaml("\n".join(lines[1:end])))
    return fields, "\n".join(lines[end + 1 :]), end + 2


def _yaml(text: str) -> Mapping[object, object]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError
    from ruamel.yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent

    if len(text) > MAX_FRONT_CHARS:
        return {}
    yaml, depth = YAML(typ="safe", pure=True), 0
    try:
        # Nested aliases can expand to more values than fit into memory, and time grows with the square of the depth.
        for event in yaml.parse(text):
            depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
            if depth > MAX_FRONT_DEPTH or isinstance(event, AliasEvent):
                return {}
        value = yaml.load(text)
    except (YAMLError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, Mapping) else {}


def _fields(front: Mapping[object, object]) -> dict[str, object]:
    created = next((front[name] for name in ("created_at", "created", "date") if name in front), "")
    fields: dict[str, object] = {"tags": _tags(front.get("tags"))}
    if isinstance(front.get("project"), str):
        fields["project"] = front["project"]
    with contextlib.suppress(ValueError):  # an unreadable date is ignored
        fields["createdAt"] = clock.to_text(clock.given(str(created)))
    kind = front.get("type")
    if isinstance(kind, str) and kind.strip():
        fields["tags"] = [*_tags(front.get("tags")), kind.strip().lower()]
    return fields


def _tags(value: object) -> list[str]:
    listed = value.split(",") if isinstance(value, str) else value
    if not isinstance(listed, list | tuple):
        return []
    return [tag for one in listed if (tag := str(one).strip().lstrip("#"))]
