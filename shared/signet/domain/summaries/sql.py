"""SQL of `session_summaries` with its links, `session_scores` and `summary_jobs`, whose state a trigger sets."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from signet import clock, ids
from signet.db import ReadTx, WriteTx
from signet.db.dialect import LIST, THEN_JOIN, by_index
from signet.db.visibility import OF_AGENT, Here, belongs
from signet.domain.memory.modify import is_current
from signet.domain.summaries.models import Score, SummaryJob
from signet.domain.transcripts.models import Session

#: Characters per token, for the displayed count.
TOKEN_CHARS = 4
#: Memories linked to a session's summary (PIP-43).
MAX_LINKS = 50
#: Known names that are searched in a session, the most mentioned first; and their least number of mentions.
MAX_NAMES = 2_000
LEAST_MENTIONS = 3

NAMES = """
SELECT canonical_name FROM entities WHERE agent_id = ? AND mentions >= ? AND length(canonical_name) >= 3
 ORDER BY mentions DESC LIMIT ?"""
OF_SESSION = "SELECT content FROM session_summaries WHERE agent_id = ? AND session_key = ?"
OF_ONE = f"{OF_SESSION} AND depth = 0 AND (? IS NULL OR project = ?)"
#: The summaries of a session and those made from them, which are made again without it.
MADE_OF = """
WITH RECURSIVE made (id) AS (
  SELECT id FROM session_summaries WHERE agent_id = ? AND session_key = ?
  UNION SELECT c.parent_id FROM made m JOIN session_summary_children c ON c.child_id = m.id)
SELECT id FROM made"""
DELETE = (
    f"DELETE FROM session_summary_children WHERE parent_id IN {LIST}",
    f"DELETE FROM session_summary_children WHERE child_id IN {LIST}",
    f"DELETE FROM session_summary_memories WHERE summary_id IN {LIST}",
    f"DELETE FROM session_summaries WHERE id IN {LIST}",
)
DELETE_SCORES = "DELETE FROM session_scores WHERE agent_id = ? AND session_key = ?"
TEXTS = (
    "SELECT rowid, agent_id, content FROM session_summaries WHERE rowid > ? ORDER BY rowid LIMIT ?"
)
CLEAN = "UPDATE session_summaries SET content = ? WHERE rowid = ? AND content = ?"
_UPSERT = """
INSERT INTO session_summaries (id, project, depth, kind, content, token_count, earliest_at, latest_at, session_key,
    harness, agent_id, created_at) VALUES (?, ?, 0, 'session', ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (agent_id, session_key, depth) WHERE session_key IS NOT NULL DO UPDATE
   SET project = excluded.project, content = excluded.content, token_count = excluded.token_count,
       earliest_at = excluded.earliest_at, latest_at = excluded.latest_at, harness = excluded.harness
RETURNING id"""
_LINK = "INSERT INTO session_summary_memories (summary_id, memory_id) VALUES (?, ?) ON CONFLICT DO NOTHING"
_REMEMBERED = f"""
SELECT id FROM memories {by_index("idx_memories_created")}
 WHERE session_id = ? AND agent_id = ? AND is_deleted = 0 AND created_at >= ? ORDER BY created_at LIMIT {MAX_LINKS}"""
_SCORE = """
INSERT INTO session_scores (id, agent_id, session_key, project, harness, score, confidence, memories_recalled,
    memories_used, novel_context_count, reasoning, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
#: Current memories of every scope.
LIKE = f"""
SELECT m.content FROM memories_fts f {THEN_JOIN} memories m ON m.seq = f.rowid
 WHERE memories_fts MATCH ? AND m.agent_id = ? AND m.is_deleted = 0 AND m.type <> 'document_chunk'
   AND m.scope IS NULL AND m.visibility IN ('global', 'private') AND {is_current().sql} AND {belongs(Here()).sql}
 ORDER BY f.rank LIMIT 10"""

OPEN = """
SELECT s.id, s.content, s.earliest_at, s.latest_at FROM session_summaries s
 WHERE s.agent_id = ? AND s.project IS ? AND s.depth = ?
   AND NOT EXISTS (SELECT 1 FROM session_summary_children c WHERE c.child_id = s.id)
 ORDER BY s.latest_at, s.id LIMIT ?"""
PARENT = """
INSERT INTO session_summaries (id, project, depth, kind, content, token_count, earliest_at, latest_at, agent_id,
    created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
CHILD = "INSERT INTO session_summary_children (parent_id, child_id, ordinal) VALUES (?, ?, ?)"

_PAGE_WHERE = (
    f"WHERE {OF_AGENT} AND (:project IS NULL OR project = :project) AND (:depth IS NULL OR depth = :depth)"
    " AND (:within_project IS NULL OR project = :within_project)"
)
PAGE = f"""
SELECT s.id, s.project, s.depth, s.kind, s.content, s.token_count, s.earliest_at, s.latest_at, s.session_key, s.harness,
       s.agent_id, s.created_at,
       (SELECT COUNT(*) FROM session_summary_children c WHERE c.parent_id = s.id) AS child_count
  FROM session_summaries s {_PAGE_WHERE} ORDER BY latest_at DESC, id DESC LIMIT :limit OFFSET :offset"""
TOTAL = f"SELECT COUNT(*) FROM session_summaries {_PAGE_WHERE}"


def put(
    tx: WriteTx, asked: SummaryJob, summary: str, memory_ids: Sequence[str], now: datetime
) -> str:
    """Store the summary of a session with its links to memories, replacing an earlier one; return its ID."""
    session = asked.session
    at = clock.to_text(now)
    end = clock.to_text(asked.ended_at)
    row = (
        *(ids.new_id(), session.project, summary, len(summary) // TOKEN_CHARS),
        *(min(asked.started_at, end), end, session.key, session.harness, session.agent_id, at),
    )
    summary_id: str = tx.value(_UPSERT, row)
    tx.many(_LINK, ((summary_id, memory_id) for memory_id in memory_ids[:MAX_LINKS]))
    return summary_id


def remembered(tx: ReadTx, session: Session, *, since: datetime) -> list[str]:
    """Return the memories that were saved during a session."""
    rows = tx.all(_REMEMBERED, (session.key, session.agent_id, clock.to_text(since)))
    return [row[0] for row in rows]


def put_score(tx: WriteTx, session: Session, score: Score, *, shown: int, now: datetime) -> None:
    """Store how well recall served a session."""
    owner = (session.agent_id, session.key)
    judged = (score.score, score.confidence, shown, score.used, score.novel, score.reasoning)
    at = clock.to_text(now)
    tx.run(_SCORE, (ids.new_id(), *owner, session.project, session.harness, *judged, at))


class RequestRow(NamedTuple):
    """A request to restart; with `transcript` it is for a part of a session."""

    session_id: str | None
    agent_id: str
    transcript: str
    max_attempts: int


class _AskedRow(NamedTuple):
    id: str
    agent_id: str
    session_id: str | None
    harness: str
    project: str | None
    transcript: str
    created_at: str
    content: str | None
    started_at: str | None
    chars: int | None


INSERT = """
INSERT INTO summary_jobs (id, session_id, agent_id, harness, project, transcript, dedupe_key, max_attempts, due_ms,
    queue, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'sessions', ?, ?)"""
_OF_VERSION = """
SELECT id, status FROM summary_jobs WHERE agent_id = ? AND session_id = ? AND dedupe_key = ? AND status <> 'failed'
 ORDER BY created_at DESC, id DESC LIMIT 1"""
OPEN_JOB = "SELECT id FROM memory_jobs WHERE dedupe_key = ? AND status IN ('pending', 'leased')"
REQUEST = "SELECT session_id, agent_id, transcript, max_attempts FROM summary_jobs WHERE id = ?"
RESTART = """
UPDATE summary_jobs SET status = 'pending', attempts = 0, error = NULL, failed_at = NULL, completed_at = NULL,
       leased_at = NULL, lease_owner = NULL, lease_until_ms = NULL, updated_at = ? WHERE id = ?"""
_ASKED = """
SELECT s.id, s.agent_id, s.session_id, s.harness, s.project, s.transcript, s.created_at,
       t.content, t.created_at AS started_at, length(t.content) AS chars
  FROM summary_jobs s LEFT JOIN session_transcripts t ON t.agent_id = s.agent_id AND t.session_key = s.session_id
 WHERE s.id = ?"""
BEFORE = """
SELECT substr(t.content, 1, ?) FROM (
    SELECT session_id, MAX(completed_at) AS at FROM summary_jobs
     WHERE agent_id = ? AND status = 'done' AND session_id <> ? GROUP BY session_id ORDER BY at DESC LIMIT ?) s
  JOIN session_transcripts t ON t.agent_id = ? AND t.session_key = s.session_id"""
PATH = "SELECT result_path FROM summary_jobs WHERE id = ?"
PATHS = """
SELECT s.content, j.result_path FROM session_summaries s
  JOIN summary_jobs j ON j.agent_id = s.agent_id AND j.session_id = s.session_key AND j.result_path IS NOT NULL
 WHERE s.agent_id = ? AND s.depth = 0 AND j.transcript = '' AND j.status = 'done'"""
EVERY_PATH = "SELECT result_path FROM summary_jobs WHERE result_path IS NOT NULL"
LAST_PATH = """
SELECT result_path FROM summary_jobs
 WHERE agent_id = ? AND session_id = ? AND transcript = '' AND result_path IS NOT NULL AND status = 'done'
 ORDER BY created_at DESC LIMIT 1"""
NOTES = """
SELECT DISTINCT result_path FROM summary_jobs WHERE agent_id = ? AND session_id = ? AND result_path IS NOT NULL"""
DELETE_OF = "DELETE FROM summary_jobs WHERE agent_id = ? AND session_id = ?"
TAKEN = "SELECT 1 FROM summary_jobs WHERE result_path = ? AND id <> ? LIMIT 1"
SET_PATH = "UPDATE summary_jobs SET result_path = ? WHERE id = ?"
PARTS = """
SELECT rowid, agent_id, transcript FROM summary_jobs
 WHERE rowid > ? AND transcript <> '' ORDER BY rowid LIMIT ?"""
CLEAN_PART = "UPDATE summary_jobs SET transcript = ? WHERE rowid = ? AND transcript = ?"
FORGET_PART = "UPDATE summary_jobs SET transcript = '' WHERE id = ?"
DELETE_OLD = (
    "DELETE FROM summary_jobs WHERE rowid IN ("
    f"SELECT rowid FROM summary_jobs {by_index('idx_summary_jobs_status')}"
    " WHERE status = ?1 AND created_at < ?2 AND coalesce(completed_at, failed_at, updated_at) < ?2"
    " ORDER BY created_at LIMIT ?3)"
)


def of_version(tx: ReadTx, agent_id: str, key: str, version: str) -> tuple[str, bool] | None:
    """Return the job for this version of a session, and whether it is still open."""
    for job_id, status in tx.tuples(_OF_VERSION, (agent_id, key, version)):
        return job_id, status != "done"
    return None


def job_session(tx: ReadTx, job_id: str, *, is_part: bool, now: datetime) -> SummaryJob | None:
    """Return the session of a job, None if nothing is stored of it.

    A whole session is read from its stored transcript; a job of an older file may have more text.
    """
    row = tx.row(_AskedRow, _ASKED, (job_id,))
    if row is None:
        return None
    stored, given = row.content or "", row.transcript
    session = Session(
        agent_id=row.agent_id,
        key=row.session_id or row.id,
        harness=row.harness,
        project=row.project,
        text=given if is_part or len(given) > len(stored) else stored,
    )
    asked_at = clock.parsed(row.created_at) or now
    return SummaryJob(
        job_id=row.id,
        session=session,
        ended_at=asked_at,
        asked_at=asked_at,
        started_at=row.started_at or row.created_at,
        chars=row.chars or 0,
        is_part=is_part,
    )
