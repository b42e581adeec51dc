"""Memories of Claude Code: CLAUDE.md files, rules, its notes of each project, and transcripts on request.

Known folders: `~/.claude`, one of its `projects`, and a user's project. The notes of a project are in
`projects/<id>/memory`, where the ID is the project's path with dashes, and its transcripts in the parent folder.
"""

import io
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from signet.domain.folders.reading import NotAFile, NotAllowed, below, opened
from signet.domain.transcripts import transcript
from signet.domain.transfer.records import SourceRecord
from signet.domain.transfer.sources import markdown
from signet.domain.transfer.sources.formats import (
    Format,
    ImportOptions,
    ImportSource,
    kilobytes,
    size_of,
    text_record,
)
from signet.domain.transfer.sources.markdown import MarkdownFile

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
    """Return a Markdown file with memories and its project, or None."""
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
        path=path,
        root=root,
        fields={**fields, "sourceType": "claude-md", "project": project_path},
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
