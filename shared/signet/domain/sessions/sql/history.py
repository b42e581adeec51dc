"""Transcripts and summaries of earlier sessions and the current one, read only."""

from typing import NamedTuple

from signet.db.visibility import OF_AGENT


class SizeRow(NamedTuple):
    """A stored transcript and its length."""

    rowid: int
    chars: int


class SummaryRow(NamedTuple):
    """A summary of a session."""

    id: str
    content: str


SIZES = f"""
SELECT rowid, length(content) AS chars FROM session_transcripts
 WHERE {OF_AGENT} AND (:but IS NULL OR session_key <> :but)
   AND (:project IS NULL OR project = :project)
 ORDER BY coalesce(updated_at, created_at) DESC LIMIT :most"""
_COLUMNS = "agent_id, session_key, harness, project, created_at, updated_at, content"
BY_ROWID = f"SELECT {_COLUMNS} FROM session_transcripts WHERE rowid = ?"
OF_KEY = f"""
SELECT {_COLUMNS} FROM session_transcripts
 WHERE session_key = :key AND {OF_AGENT} AND (:project IS NULL OR project = :project)
 ORDER BY coalesce(updated_at, created_at) DESC LIMIT 1"""
SUMMARY = """
SELECT id, content FROM session_summaries
 WHERE agent_id = ? AND session_key = ? ORDER BY depth, latest_at DESC LIMIT 1"""
BEGINNINGS = """
SELECT substr(content, 1, ?) FROM session_summaries
 WHERE agent_id = ? AND project = ? AND depth = 0 ORDER BY latest_at DESC LIMIT ?"""
#: Most sessions have no summary. Reading a transcript's last columns means reading past its long text.
BEGAN_AT = """
SELECT created_at FROM session_transcripts WHERE agent_id = :agent AND (:project IS NULL OR project = :project)
 ORDER BY created_at DESC LIMIT 1"""
LAST_AT = """
SELECT max(at) FROM (
  SELECT * FROM (SELECT latest_at AS at FROM session_summaries
   WHERE agent_id = :agent AND depth = 0 AND (:project IS NULL OR project = :project)
   ORDER BY latest_at DESC LIMIT 1)
  UNION ALL
  SELECT * FROM (SELECT created_at AS at FROM session_transcripts
   WHERE agent_id = :agent AND (:project IS NULL OR project = :project)
   ORDER BY created_at DESC LIMIT 1))"""
