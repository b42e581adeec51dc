"""The sessions that backfill has found, and what became of them: `backfill_sessions`."""

from typing import NamedTuple

from signet.db.dialect import list_rows


class Row(NamedTuple):
    """A session that waits, or is done."""

    agent_id: str
    session_key: str
    harness: str
    path: str
    project: str | None
    changed_at: str
    by_model: int


class KnownRow(NamedTuple):
    """The file of a session when backfill read it, its last stored message, and who read its log last."""

    agent_id: str
    session_key: str
    bytes: int | None
    changed_at: str | None
    state: str | None
    stored_until: str | None
    log_bytes: int | None
    reader: int
    is_unkept: int


class TotalRow(NamedTuple):
    """How many sessions of a run are in a state, and how many bytes they have."""

    state: str
    sessions: int
    bytes: int
    first_at: str | None
    last_at: str | None


class FailedRow(NamedTuple):
    """A session that could not be read."""

    harness: str
    path: str
    detail: str | None


class BehindRow(NamedTuple):
    """Sessions that were read and are not findable yet, or have no summary yet."""

    indexing: int
    summarizing: int


PUT = """
INSERT INTO backfill_sessions (agent_id, session_key, harness, path, project, bytes, changed_at, state, by_model,
    asked_at)
VALUES (?, ?, ?, ?, ?, ?, ?, 'waiting', ?, ?) ON CONFLICT (agent_id, session_key) DO UPDATE
   SET harness = excluded.harness, path = excluded.path, project = excluded.project, bytes = excluded.bytes,
       changed_at = excluded.changed_at, state = 'waiting', detail = NULL, by_model = excluded.by_model,
       asked_at = excluded.asked_at, done_at = NULL"""
NEXT = """
SELECT agent_id, session_key, harness, path, project, changed_at, by_model FROM backfill_sessions
 WHERE state = 'waiting' ORDER BY changed_at DESC, session_key LIMIT 1"""
DONE = """
UPDATE backfill_sessions SET state = ?, detail = ?, opening = ?, done_at = ?
 WHERE agent_id = ? AND session_key = ? AND state = 'waiting'"""
STOP = "DELETE FROM backfill_sessions WHERE state = 'waiting'"
#: Sessions that begin with the same messages: a harness that resumes one may copy what was said before.
TWINS = """
SELECT session_key FROM backfill_sessions
 WHERE agent_id = ? AND harness = ? AND opening = ? AND session_key <> ? AND state = 'read' LIMIT 5"""
RUN = "SELECT min(asked_at) FROM backfill_sessions WHERE state = 'waiting'"
LAST_RUN = "SELECT max(asked_at) FROM backfill_sessions"
TOTALS = """
SELECT state, count(*) AS sessions, sum(bytes) AS bytes, min(done_at) AS first_at, max(done_at) AS last_at
  FROM backfill_sessions WHERE asked_at = ? GROUP BY state"""
FAILED = """
SELECT harness, path, detail FROM backfill_sessions
 WHERE asked_at = ? AND state = 'failed' ORDER BY done_at DESC LIMIT ?"""
KNOWN = f"""
SELECT w.value ->> 0 AS agent_id, w.value ->> 1 AS session_key, b.bytes, b.changed_at, b.state,
       t.updated_at AS stored_until, r.log_bytes, coalesce(r.reader, 0) AS reader,
       coalesce(u.session_key, f.session_key) IS NOT NULL AS is_unkept
  FROM {list_rows()} w
  LEFT JOIN backfill_sessions b ON b.agent_id = w.value ->> 0 AND b.session_key = w.value ->> 1
  LEFT JOIN session_transcripts t ON t.agent_id = w.value ->> 0 AND t.session_key = w.value ->> 1
  LEFT JOIN session_readings r ON r.agent_id = w.value ->> 0 AND r.session_key = w.value ->> 1
  LEFT JOIN unkept_sessions u ON u.agent_id = w.value ->> 0 AND u.session_key = w.value ->> 1
  LEFT JOIN forgotten_sessions f ON f.agent_id = w.value ->> 0 AND f.session_key = w.value ->> 1"""
#: Jobs that nobody waits for: those of backfill, and of what was said before there was an index.
BEHIND = """
SELECT coalesce(sum(job_type = 'index_session'), 0) AS indexing, coalesce(sum(job_type = 'summarize'), 0) AS summarizing
  FROM memory_jobs WHERE status IN ('pending', 'leased') AND priority = 2 AND queue IN ('light', 'sessions')"""
IS_OPEN = "SELECT 1 FROM memory_jobs WHERE dedupe_key = ? AND status IN ('pending', 'leased')"
