"""Requests for summaries: `summary_jobs`. Their state follows their job's by a trigger."""

from datetime import datetime
from typing import NamedTuple

from signet import clock
from signet.db import ReadTx
from signet.db.dialect import by_index
from signet.domain.summaries.models import Asked
from signet.domain.transcripts.models import Session


class RequestRow(NamedTuple):
    """A request as it is started again; with `transcript` it is for a part of a session."""

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
OPEN = "SELECT id FROM memory_jobs WHERE dedupe_key = ? AND status IN ('pending', 'leased')"
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
LAST_PATH = """
SELECT result_path FROM summary_jobs
 WHERE agent_id = ? AND session_id = ? AND transcript = '' AND result_path IS NOT NULL AND status = 'done'
 ORDER BY created_at DESC LIMIT 1"""
NOTES = """
SELECT DISTINCT result_path FROM summary_jobs WHERE agent_id = ? AND session_id = ? AND result_path IS NOT NULL"""
DELETE_OF = "DELETE FROM summary_jobs WHERE agent_id = ? AND session_id = ?"
TAKEN = "SELECT 1 FROM summary_jobs WHERE result_path = ? AND id <> ? LIMIT 1"
SET_PATH = "UPDATE summary_jobs SET result_path = ? WHERE id = ?"
TEXTS = """
SELECT rowid, agent_id, transcript FROM summary_jobs
 WHERE rowid > ? AND transcript <> '' ORDER BY rowid LIMIT ?"""
CLEAN = "UPDATE summary_jobs SET transcript = ? WHERE rowid = ? AND transcript = ?"
FORGET_PART = "UPDATE summary_jobs SET transcript = '' WHERE id = ?"
DELETE_OLD = (
    "DELETE FROM summary_jobs WHERE rowid IN ("
    f"SELECT rowid FROM summary_jobs {by_index('idx_summary_jobs_status')}"
    " WHERE status = ?1 AND created_at < ?2 AND coalesce(completed_at, failed_at, updated_at) < ?2"
    " ORDER BY created_at LIMIT ?3)"
)


def of_version(tx: ReadTx, agent_id: str, key: str, version: str) -> tuple[str, bool] | None:
    """Return the job that was asked to read this version of a session, and whether it is still to be done."""
    for job_id, status in tx.tuples(_OF_VERSION, (agent_id, key, version)):
        return job_id, status != "done"
    return None


def asked(tx: ReadTx, job_id: str, *, is_part: bool, now: datetime) -> Asked | None:
    """Return the session that a job is for, None when nothing is known of it.

    A whole session is read as it is stored now; an older file may hold more in the job itself.
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
    return Asked(
        job_id=row.id,
        session=session,
        ended_at=asked_at,
        asked_at=asked_at,
        started_at=row.started_at or row.created_at,
        chars=row.chars or 0,
        is_part=is_part,
    )
