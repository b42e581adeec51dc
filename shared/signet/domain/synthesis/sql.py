"""SQL of synthesis: memories, and changes since the last run; read only."""

from typing import NamedTuple

from signet.db import ReadTx, visibility
from signet.db.dialect import LIST
from signet.db.visibility import EVERYWHERE, Reader
from signet.domain.memory.modify import is_current

KIND = "synthesize"


class CandidateRow(NamedTuple):
    seq: int
    importance: float
    pinned: int
    used_at: str
    is_by_model: int


class TextRow(NamedTuple):
    seq: int
    type: str
    content: str
    created_at: str
    #: Empty for every project, None for imports without one.
    project: str | None
    origin: str
    pinned: int


class NoteRow(NamedTuple):
    content: str
    project: str | None


#: Of a document, or a conversation that was read, the facts are used.
_WORTHY = f"""
m.is_deleted = 0 AND m.review IS NOT 'waiting' AND {is_current().sql} AND m.type <> 'document_chunk'
   AND NOT (m.source_type = 'session' AND m.extraction_status = 'completed')"""
CANDIDATES = f"""
SELECT m.seq, m.importance, m.pinned, COALESCE(m.last_accessed, m.created_at) AS used_at,
       m.source_type = 'pipeline-v2' AND m.extraction_model LIKE '%:%' AS is_by_model
  FROM memories m
 WHERE {_WORTHY} AND (m.pinned = 1 OR (m.importance >= ? AND COALESCE(m.last_accessed, m.created_at) >= ?)) AND """
TEXTS = f"""
SELECT m.seq, m.type, m.content, m.created_at,
       CASE WHEN {EVERYWHERE.format(m="m")} THEN '' ELSE m.project END AS project,
       coalesce(m.origin, 'agent') AS origin, m.pinned
  FROM memories m WHERE m.seq IN {LIST}"""
NOTES = """
SELECT s.content, s.project FROM session_summaries s
 WHERE s.agent_id = ? AND s.depth = 0 ORDER BY s.latest_at DESC LIMIT ?"""
_NEWEST = "SELECT MAX(m.seq) FROM memories m WHERE m.seq > ? AND m.is_deleted = 0 AND "
#: Texts that were edited or superseded, with what holds instead, latest first.
OUTDATED = """
SELECT CASE WHEN h.old_content <> h.new_content THEN h.old_content ELSE m.content END, coalesce(s.content, m.content)
  FROM memory_history h JOIN memories m ON m.id = h.memory_id
  LEFT JOIN memories s ON s.id = m.superseded_by AND s.is_deleted = 0
 WHERE h.created_at >= ? AND h.event = 'updated' AND m.is_deleted = 0
   AND (s.id IS NOT NULL OR (h.old_content <> h.new_content AND h.old_content <> m.content)) AND {seen}
 ORDER BY h.created_at DESC LIMIT 200"""
_CHANGED = """
SELECT 1 FROM memory_history h JOIN memories m ON m.id = h.memory_id
 WHERE h.created_at > ? AND h.event IN ('updated', 'deleted', 'rejected', 'recovered')
   AND (? = 0 OR h.actor_type <> 'pipeline') AND """
FIRST = "SELECT created_at FROM memories WHERE agent_id = ? ORDER BY seq LIMIT 1"
ACTIVE = """
SELECT MAX(at) FROM (
    SELECT * FROM (SELECT created_at AS at FROM memories WHERE created_at <= :now ORDER BY created_at DESC LIMIT 1)
    UNION ALL SELECT MAX(created_at) FROM summary_jobs WHERE created_at <= :now)"""
RUNNING = "SELECT 1 FROM memory_jobs WHERE dedupe_key = ? AND status IN ('pending', 'leased')"
ANY_RUNNING = f"SELECT 1 FROM memory_jobs WHERE status = 'leased' AND job_type = '{KIND}'"
AGENTS = "SELECT id FROM agents ORDER BY id"


def newest(tx: ReadTx, reader: Reader, *, after: int = 0) -> int:
    """Return the number of the newest memory after a number, else that number."""
    seen = visibility.readable(reader)
    return tx.value(_NEWEST + seen.sql, (after, *seen.params)) or after


def has_changes(tx: ReadTx, reader: Reader, *, since: str, is_asked: bool = False) -> bool:
    """Return whether a memory was changed, forgotten or recovered after an instant, perhaps not by the pipeline."""
    seen = visibility.readable(reader)
    return tx.value(f"{_CHANGED}{seen.sql} LIMIT 1", (since, is_asked, *seen.params)) is not None
