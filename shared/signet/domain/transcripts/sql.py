"""What was said in sessions: `session_transcripts`.

A stored transcript only ever grows, so its length names its version within a session.
"""

from datetime import datetime
from typing import NamedTuple

from signet import clock
from signet.db import ReadTx, WriteTx


class Transcript(NamedTuple):
    """A transcript as it is stored; `created_at` is when its first message was said."""

    content: str
    project: str | None
    created_at: str


class Read(NamedTuple):
    """How many characters are stored of a session, and up to where parts of it were queued to be read."""

    chars: int = 0
    until: int = 0


#: The longer text stays (PIP-34).
_PUT = """
INSERT INTO session_transcripts (agent_id, session_key, content, harness, project, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (agent_id, session_key) DO UPDATE
   SET content = excluded.content, updated_at = excluded.updated_at, created_at = min(created_at, excluded.created_at)
 WHERE length(excluded.content) > length(content)"""
_OF_SESSION = "FROM session_transcripts WHERE agent_id = ? AND session_key = ?"
_READ = f"SELECT length(content) AS chars, read_until AS until {_OF_SESSION}"
_TEXT = f"SELECT content {_OF_SESSION}"
_WHOLE = f"SELECT content, project, created_at {_OF_SESSION}"
_AFTER = f"SELECT substr(content, ? + 1) {_OF_SESSION}"
_COPY_FROM_JOBS = """
INSERT OR IGNORE INTO session_transcripts (agent_id, session_key, content, harness, project, created_at)
SELECT agent_id, session_id, transcript, harness, project, created_at FROM summary_jobs
 WHERE transcript <> '' AND session_id IS NOT NULL ORDER BY rowid"""
_SET_READ = "UPDATE session_transcripts SET read_until = ? WHERE agent_id = ? AND session_key = ?"


def copy_from_jobs(tx: WriteTx) -> None:
    """Store the transcripts that jobs of an earlier program hold and that are not stored."""
    tx.run(_COPY_FROM_JOBS)


def put(
    tx: WriteTx,
    agent_id: str,
    key: str,
    text: str,
    *,
    harness: str | None,
    project: str | None,
    spoken: tuple[datetime, datetime],
) -> None:
    """Store a transcript with the times of its first and last message, if it is longer than what is stored."""
    tx.run(_PUT, (agent_id, key, text, harness, project, *map(clock.to_text, spoken)))


def read(tx: ReadTx, agent_id: str, key: str) -> Read:
    """Return how long the transcript of a session is and how far it was read, zeros for none."""
    return tx.row(Read, _READ, (agent_id, key)) or Read()


def text(tx: ReadTx, agent_id: str, key: str) -> str:
    """Return what is stored of a session, empty for nothing."""
    return tx.value(_TEXT, (agent_id, key)) or ""


def whole(tx: ReadTx, agent_id: str, key: str) -> Transcript | None:
    """Return the stored transcript of a session, None when there is none."""
    return tx.row(Transcript, _WHOLE, (agent_id, key))


def after(tx: ReadTx, agent_id: str, key: str, position: int) -> str:
    """Return what is stored of a session behind a position."""
    return tx.value(_AFTER, (position, agent_id, key)) or ""


def set_read(tx: WriteTx, agent_id: str, key: str, position: int) -> None:
    """Note up to where parts of a session were queued to be read."""
    tx.run(_SET_READ, (position, agent_id, key))
