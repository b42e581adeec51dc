"""What was said in earlier sessions, and in this one so far: transcripts and summaries, which are only read."""

from collections.abc import Sequence
from typing import NamedTuple

from signet.db import ReadTx


class TranscriptRow(NamedTuple):
    """The stored transcript of a session."""

    agent_id: str
    session_key: str
    harness: str | None
    project: str | None
    created_at: str
    updated_at: str | None
    content: str


class SizeRow(NamedTuple):
    """A stored transcript, and how long it is."""

    rowid: int
    chars: int


class SummaryRow(NamedTuple):
    """A summary of a session."""

    id: str
    content: str


_SIZES = """
SELECT rowid, length(content) AS chars FROM session_transcripts
 WHERE (:agent IS NULL OR agent_id = :agent) AND (:but IS NULL OR session_key <> :but)
   AND (:project IS NULL OR project = :project)
 ORDER BY coalesce(updated_at, created_at) DESC LIMIT :most"""
_COLUMNS = ", ".join(TranscriptRow._fields)
_BY_ROWID = f"SELECT {_COLUMNS} FROM session_transcripts WHERE rowid = ?"
_OF_KEY = f"""
SELECT {_COLUMNS} FROM session_transcripts
 WHERE session_key = :key AND (:agent IS NULL OR agent_id = :agent) AND (:project IS NULL OR project = :project)
 ORDER BY coalesce(updated_at, created_at) DESC LIMIT 1"""
_SUMMARY = """
SELECT id, content FROM session_summaries
 WHERE agent_id = ? AND session_key = ? ORDER BY depth, latest_at DESC LIMIT 1"""
_BEGINNINGS = """
SELECT substr(content, 1, ?) FROM session_summaries
 WHERE agent_id = ? AND project = ? AND depth = 0 ORDER BY latest_at DESC LIMIT ?"""
_LAST_AT = """
SELECT latest_at FROM session_summaries
 WHERE agent_id = :agent AND depth = 0 AND (:project IS NULL OR project = :project)
 ORDER BY latest_at DESC LIMIT 1"""
_COUNT_SINCE = """
SELECT count(*) FROM session_summaries
 WHERE agent_id = :agent AND depth = 0 AND latest_at >= :at AND (:project IS NULL OR project = :project)"""


def transcript_sizes(
    tx: ReadTx, *, agent_id: str | None, project: str | None, but: str | None, limit: int
) -> list[SizeRow]:
    """Return how long the newest transcripts are, without that of the session `but`."""
    asked = {"agent": agent_id, "but": but, "project": project, "most": limit}
    return tx.rows(SizeRow, _SIZES, asked)


def transcript(tx: ReadTx, rowid: int) -> TranscriptRow | None:
    """Return a transcript by its row id."""
    return tx.row(TranscriptRow, _BY_ROWID, (rowid,))


def transcript_of(
    tx: ReadTx, key: str, *, agent_id: str | None, project: str | None
) -> TranscriptRow | None:
    """Return the stored transcript of a session, None when there is none."""
    return tx.row(TranscriptRow, _OF_KEY, {"key": key, "agent": agent_id, "project": project})


def summary(tx: ReadTx, agent_id: str, key: str) -> SummaryRow | None:
    """Return the summary of a session so far, None before the first."""
    return tx.row(SummaryRow, _SUMMARY, (agent_id, key))


def summary_beginnings(
    tx: ReadTx, agent_id: str, project: str, *, chars: int, limit: int
) -> Sequence[str]:
    """Return the first characters of the summaries of a project's last sessions."""
    return [row[0] for row in tx.tuples(_BEGINNINGS, (chars, agent_id, project, limit))]


def last_session_at(tx: ReadTx, agent_id: str, project: str | None) -> str | None:
    """Return when the last summarised session ended, None before the first."""
    at: str | None = tx.value(_LAST_AT, {"agent": agent_id, "project": project})
    return at


def sessions_since(tx: ReadTx, agent_id: str, project: str | None, at: str) -> int:
    """Return how many sessions that ended since an instant are summarised."""
    return int(tx.value(_COUNT_SINCE, {"agent": agent_id, "project": project, "at": at}))
