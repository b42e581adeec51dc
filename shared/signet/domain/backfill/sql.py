"""SQL of backfill, and of the databases of other programs."""

import contextlib
from pathlib import Path
from typing import NamedTuple, TypeVar

from signet.db import ReadTx
from signet.db.dialect import list_rows
from signet.db.driver import connect, sqlite


class BackfillRow(NamedTuple):
    agent_id: str
    session_key: str
    harness: str
    path: str
    project: str | None
    changed_at: str
    by_model: int


class KnownSession(NamedTuple):
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
    """The sessions of a run in one state, and their bytes."""

    state: str
    sessions: int
    bytes: int
    first_at: str | None
    last_at: str | None


class FailedRow(NamedTuple):
    harness: str
    path: str
    detail: str | None


class BehindRow(NamedTuple):
    """The number of read sessions that are not yet searchable, or have no summary yet."""

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
#: Sessions that begin with the same messages: a harness that resumes one may copy its messages.
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
#: Background jobs: those of backfill, and of messages from before the index existed.
BEHIND = """
SELECT coalesce(sum(job_type = 'index_session'), 0) AS indexing, coalesce(sum(job_type = 'summarize'), 0) AS summarizing
  FROM memory_jobs WHERE status IN ('pending', 'leased') AND priority = 2 AND queue IN ('light', 'sessions')"""
IS_OPEN = "SELECT 1 FROM memory_jobs WHERE dedupe_key = ? AND status IN ('pending', 'leased')"


N = TypeVar("N", bound=NamedTuple)


class OpenCodeRow(NamedTuple):
    """A session of OpenCode; `at` is in milliseconds since 1970."""

    id: str
    directory: str | None
    at: int
    bytes: int


class PartRow(NamedTuple):
    """A part of a message, with that message; both as JSON."""

    message_id: str
    message: str
    part: str


class OpenClawRow(NamedTuple):
    """Messages under one key of OpenClaw; `at` is in milliseconds since 1970."""

    key: str
    directory: str | None
    at: int
    bytes: int


class EventRow(NamedTuple):
    event: str


class CursorRow(NamedTuple):
    """A chat of Cursor; `at` is in milliseconds since 1970."""

    id: str
    at: int | None
    bytes: int


class BubbleRow(NamedTuple):
    """A message of a chat; `type` is 1 for the user and 2 for the assistant."""

    type: int | None
    text: str | None
    at: str | int | None


class TalkRow(NamedTuple):
    id: str


OPENCODE = """
SELECT s.id, s.directory, s.time_updated AS at,
       (SELECT coalesce(sum(length(p.data)), 0) FROM part p WHERE p.session_id = s.id) AS bytes
  FROM session s WHERE s.parent_id IS NULL"""
OPENCODE_PARTS = """
SELECT m.id AS message_id, m.data AS message, p.data AS part
  FROM message m JOIN part p ON p.message_id = m.id
 WHERE m.session_id = ? ORDER BY m.time_created, m.id, p.id"""
OPENCLAW = """
SELECT w.session_key AS key,
       max(CASE e.seq WHEN 0 THEN e.event_json ->> 'cwd' END) AS directory,
       max(e.created_at) AS at, sum(length(e.event_json)) AS bytes
  FROM session_windows w JOIN transcript_events e ON e.session_id = w.session_id
 WHERE e.event_json IS NOT NULL GROUP BY w.session_key"""
OPENCLAW_EVENTS = """
SELECT e.event_json AS event
  FROM session_windows w JOIN transcript_events e ON e.session_id = w.session_id
 WHERE w.session_key = ? AND e.event_json IS NOT NULL ORDER BY w.created_at, w.session_id, e.seq"""
#: The keys of this table are `kind:id:part`; a range is an index seek, and the file may be of gigabytes.
CURSOR = """
SELECT substr(d.key, 14) AS id,
       coalesce(d.value ->> 'lastUpdatedAt', d.value ->> 'createdAt') AS at,
       (SELECT coalesce(sum(length(b.value)), 0) FROM cursorDiskKV b
         WHERE b.key > 'bubbleId:' || substr(d.key, 14) || ':'
           AND b.key < 'bubbleId:' || substr(d.key, 14) || ';') AS bytes
  FROM cursorDiskKV d
 WHERE d.key > 'composerData:' AND d.key < 'composerData;' AND json_valid(d.value)"""
CURSOR_BUBBLES = """
SELECT b.value ->> 'type' AS type, b.value ->> 'text' AS text,
       coalesce(b.value ->> 'createdAt', d.value ->> 'createdAt') AS at
  FROM cursorDiskKV d, json_each(d.value, '$.fullConversationHeadersOnly') h
  JOIN cursorDiskKV b ON b.key = 'bubbleId:' || substr(d.key, 14) || ':' || (h.value ->> 'bubbleId')
 WHERE d.key = 'composerData:' || ? AND json_valid(b.value) ORDER BY h.key"""
CURSOR_TALKS = """
SELECT t.value ->> 'composerId' AS id FROM ItemTable i, json_each(i.value, '$.allComposers') t
 WHERE i.key = 'composer.composerData' AND json_valid(i.value) AND t.value ->> 'composerId' IS NOT NULL"""


def count_of(
    database: Path, shape: type[N], statement: str, params: tuple[object, ...] = ()
) -> list[N]:
    """Query a harness's database; raises OSError if it is missing, ValueError for an unknown schema."""
    if not database.is_file():
        raise FileNotFoundError(f"{database} is gone")
    try:
        with contextlib.closing(connect(database, read_only=True)) as connection:
            return ReadTx(connection).rows(shape, statement, params)
    except sqlite.DatabaseError as error:
        raise ValueError(f"{database} cannot be read: {error}") from error


def read_rows(database: Path, shape: type[N], statement: str) -> list[N]:
    """Query a harness's database; empty if it cannot be read."""
    with contextlib.suppress(OSError, ValueError):
        return count_of(database, shape, statement)
    return []
