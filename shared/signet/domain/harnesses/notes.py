"""Notes that harnesses write as Markdown, read into memories (HN-22 to HN-25).

A file is read again only when its text has changed; what it said before stays, and what it says again is
recognised by its text. Running twice is harmless.
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
from signet.domain.memory.models import Actor, NewMemory, Rules
from signet.domain.memory.refusals import ForgottenValue
from signet.domain.memory.remember import remember
from signet.domain.summaries import requests
from signet.domain.transfer.sources import markdown, sections

#: A larger file is no note.
MAX_BYTES = 5_000_000
#: So many pieces are one transaction.
BATCH = 20
HEADED, PLAIN = 0.65, 0.55

ACTOR = Actor(name="watcher", type="daemon")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_KEY = "notes.read:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A file of notes: its text, when that was written, and what tells one text from another."""

    path: Path
    text: str
    digest: str
    written_at: datetime


def load(path: Path) -> Note | None:
    """Return a file of notes; None for one that is gone or too large."""
    try:
        if path.stat().st_size > MAX_BYTES:
            return None
        content, written_at = path.read_bytes(), markdown.written_at(path)
    except OSError:
        return None
    return Note(
        path=path,
        text=content.decode("utf-8", "replace").replace("\0", ""),
        digest=hashlib.sha256(content).hexdigest()[:16],
        written_at=written_at,
    )


def is_new(tx: ReadTx, note: Note) -> bool:
    """Return whether this text has not been read yet."""
    return runtime_settings.get(tx, _KEY + str(note.path)) != note.digest


def is_own(tx: ReadTx, note: Note) -> bool:
    """Return whether the worker has written this file about a session, whose facts are memories already."""
    return requests.has_notes(tx, f"memory/{note.path.name}")


def ingest(db: Database, note: Note, *, rules: Rules, now: datetime) -> int:
    """Save what a note says and return how many memories are new; that it was read is in the last commit.

    What was forgotten is left out.
    """
    count = 0
    for batch in () if db.read(is_own, note) else _batches(note):
        count += db.write(_save, batch, rules, now)
    db.write(runtime_settings.put, _KEY + str(note.path), note.digest)
    return count


def memories(note: Note) -> Iterator[NewMemory]:
    """Yield each piece of a note as it is to be remembered. Pure."""
    for piece in sections.pieces(note.text):
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
    """Return who wrote a note, what kind of source it is, its tags, and the project it is about."""
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
        with contextlib.suppress(ForgottenValue):
            count += not remember(tx, new, actor=ACTOR, rules=rules, now=now).deduped
    return count
