"""Read Markdown notes of harnesses into memories (HN-22 to HN-25).

A file is read again only when its text has changed; earlier memories stay, and repeated text is recognised as a
duplicate. Running twice is harmless.
"""

import contextlib
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path

from signet.db import Database, ReadTx, WriteTx, runtime_settings
from signet.domain.memory.lookup import ValueForgotten
from signet.domain.memory.models import Actor, NewMemory, Rules
from signet.domain.memory.remember import remember
from signet.domain.summaries import requests
from signet.domain.transfer.sources import markdown
from signet.files import read_markdown

#: Larger files are skipped.
MAX_BYTES = 5_000_000
#: Pieces of one transaction.
BATCH = 20
HEADED, PLAIN = 0.65, 0.55

ACTOR = Actor(name="watcher", type="daemon")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_KEY = "notes.read:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """The text of a file of notes, its time and its digest."""

    path: Path
    text: str
    digest: str
    written_at: datetime


def load(path: Path) -> Note | None:
    """Return a file of notes; None if it cannot be read or is too large."""
    try:
        content, written_at = read_markdown(path, MAX_BYTES + 1), markdown.written_at(path)
    except OSError:
        return None
    if len(content) > MAX_BYTES:
        return None
    return Note(
        path=path,
        text=content.decode("utf-8", "replace").replace("\0", ""),
        digest=hashlib.sha256(content).hexdigest()[:16],
        written_at=written_at,
    )


def is_new(tx: ReadTx, note: Note) -> bool:
    return runtime_settings.get(tx, _KEY + str(note.path)) != note.digest


def is_own(tx: ReadTx, note: Note) -> bool:
    """Return whether our worker wrote this note about a session; its facts are memories already."""
    return requests.has_notes(tx, f"memory/{note.path.name}")


def ingest(db: Database, note: Note, *, rules: Rules, now: datetime) -> int:
    """Save the memories of a note except forgotten ones; return the number of new ones.

    The last commit marks the note as read.
    """
    count = 0
    for batch in () if db.read(is_own, note) else _batches(note):
        count += db.write(_save, batch, rules, now)
    db.write(runtime_settings.put, _KEY + str(note.path), note.digest)
    return count


def memories(note: Note) -> Iterator[NewMemory]:
    """Yield each piece of a note as a memory to save. Pure."""
    for piece in markdown.section_pieces(note.text):
        is_headed = bool(piece.section)
        who, source, tags, project = _origin(note.path, is_headed)
        yield NewMemory(
            content=piece.content,
            importance=HEADED if is_headed else PLAIN,
            tags=tags,
            who=who,
            source_type=source,
            project=project,
            created_at=note.written_at,
            is_asked=False,
        )


def _batches(note: Note) -> Iterator[list[NewMemory]]:
    found = memories(note)
    while batch := list(islice(found, BATCH)):
        yield batch


def _origin(path: Path, is_headed: bool) -> tuple[str, str, tuple[str, ...], str | None]:
    """Return the author of a note, its source type, its tags and its project."""
    if path.name == "MEMORY.md":
        project = path.parent.parent.name
        return "claude-code", "claude-project-memory", (f"project:{project}",), project
    day = _DAY.search(path.stem)
    kind = "hierarchical-section" if is_headed else "paragraph"
    tags = ("openclaw", "memory-log", day[0] if day else "named", path.name, kind)
    return "openclaw-memory", "openclaw-memory-log", tags, None


def _save(tx: WriteTx, batch: list[NewMemory], rules: Rules, now: datetime) -> int:
    count = 0
    for new in batch:
        with contextlib.suppress(ValueForgotten):
            count += not remember(tx, new, actor=ACTOR, rules=rules, now=now).deduped
    return count
