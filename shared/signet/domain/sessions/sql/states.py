"""Running sessions and their checkpoints: `session_states`, `session_checkpoints`."""

import json
from datetime import datetime, timedelta
from typing import NamedTuple

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.db.dialect import by_index
from signet.db.visibility import OF_AGENT
from signet.domain.sessions.models import SessionState, continuity_of, turns_of
from signet.wire.sessions import StoredCheckpoint

#: A session ends after this long without a call.
LIFE = timedelta(days=7)


class StateRow(NamedTuple):
    """A stored session; `injected` and `continuity` are JSON."""

    agent_id: str
    session_key: str
    harness: str
    project: str | None
    runtime_path: str | None
    claimed_at: str | None
    expires_at: str
    is_warned: int
    is_bypassed: int
    is_started: int
    injected: str
    continuity: str | None


class StoredPart(NamedTuple):
    """What a stored part of a session says about it."""

    session_key: str
    harness: str | None
    project: str | None


_COLUMNS = ", ".join(StateRow._fields)
_GET = f"SELECT {_COLUMNS} FROM session_states WHERE agent_id = ? AND session_key = ?"
OWNER = f"""
SELECT agent_id FROM session_states WHERE session_key IN (:key, :scoped) AND {OF_AGENT}
 ORDER BY session_key = :scoped DESC, updated_at DESC LIMIT 1"""
KNOWN = """
SELECT session_key, harness, project FROM session_states
 WHERE agent_id = :agent AND session_key IN (:key, :scoped)
UNION SELECT session_key, harness, project FROM session_transcripts
 WHERE agent_id = :agent AND session_key IN (:key, :scoped)
UNION SELECT session_key, harness, project FROM session_injections
 WHERE agent_id = :agent AND session_key IN (:key, :scoped)"""
BY_KEY = f"""
SELECT {_COLUMNS} FROM session_states
 WHERE session_key = :key AND {OF_AGENT} AND (:project IS NULL OR project = :project)
 ORDER BY updated_at DESC"""
LIVE = f"""
SELECT {_COLUMNS} FROM session_states
 WHERE expires_at > :now AND {OF_AGENT} AND (:project IS NULL OR project = :project)
 ORDER BY coalesce(claimed_at, updated_at) DESC, session_key LIMIT :limit"""
PROJECTS = """
SELECT project FROM session_transcripts WHERE agent_id = ?1 AND session_key = ?2
 UNION SELECT project FROM session_states WHERE agent_id = ?1 AND session_key = ?2"""
#: Sessions that have called since a time; one ended by silence expires at its last write.
AT_WORK = """
SELECT session_key FROM session_states WHERE agent_id = ? AND updated_at > ? AND expires_at > updated_at"""
COUNT = "SELECT count(*), coalesce(sum(is_bypassed), 0) FROM session_states WHERE expires_at > ?"
_PUT = f"""
INSERT OR REPLACE INTO session_states ({_COLUMNS}, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
TEXTS = """
SELECT rowid, agent_id, continuity FROM session_states
 WHERE rowid > ? AND continuity IS NOT NULL ORDER BY rowid LIMIT ?"""
DROP_CONTINUITY = """
UPDATE session_states SET continuity = NULL WHERE ? IS NOT NULL AND rowid = ? AND continuity = ?"""
DELETE = "DELETE FROM session_states WHERE agent_id = ? AND session_key = ?"
SILENT = f"""
SELECT {_COLUMNS} FROM session_states {by_index("idx_session_states_updated")}
 WHERE updated_at < :before AND expires_at > updated_at AND (is_bypassed = 0 OR expires_at <= :now)
 ORDER BY updated_at LIMIT :limit"""
DELETE_OLD = "DELETE FROM session_states WHERE updated_at < ?"


def get(tx: ReadTx, agent_id: str, key: str) -> SessionState | None:
    row = tx.row(StateRow, _GET, (agent_id, key))
    return state(row) if row else None


def put(tx: WriteTx, state: SessionState, *, now: datetime) -> None:
    tx.run(
        _PUT,
        (
            state.agent_id,
            state.key,
            state.harness,
            state.project,
            state.runtime_path,
            clock.to_text(state.claimed_at) if state.claimed_at else None,
            clock.to_text(state.expires_at),
            state.is_warned,
            state.is_bypassed,
            state.is_started,
            json.dumps(state.injected),
            state.continuity.to_json() if state.continuity else None,
            clock.to_text(now),
        ),
    )


def state(row: StateRow) -> SessionState:
    return SessionState(
        agent_id=row.agent_id,
        key=row.session_key,
        harness=row.harness,
        project=row.project,
        runtime_path=row.runtime_path,
        claimed_at=clock.parsed(row.claimed_at),
        expires_at=clock.parse(row.expires_at),
        is_warned=bool(row.is_warned),
        is_bypassed=bool(row.is_bypassed),
        is_started=bool(row.is_started),
        injected=turns_of(row.injected),
        continuity=continuity_of(row.continuity),
    )


_CHECKPOINT = ", ".join(StoredCheckpoint.__annotations__)
INSERT_CHECKPOINT = f"""
INSERT INTO session_checkpoints (agent_id, {_CHECKPOINT})
VALUES (:agent_id, {", ".join(f":{name}" for name in StoredCheckpoint.__annotations__)})"""
TRIM_CHECKPOINTS = """
DELETE FROM session_checkpoints WHERE rowid IN (
    SELECT rowid FROM session_checkpoints WHERE agent_id = ? AND session_key = ?
     ORDER BY created_at DESC, rowid DESC LIMIT -1 OFFSET ?)"""
COUNT_CHECKPOINTS = (
    "SELECT count(*) FROM session_checkpoints WHERE agent_id = ? AND session_key = ?"
)
DELETE_CHECKPOINTS = "DELETE FROM session_checkpoints WHERE agent_id = ? AND session_key = ?"
DELETE_OLD_CHECKPOINTS = """
DELETE FROM session_checkpoints WHERE rowid IN (
    SELECT rowid FROM session_checkpoints WHERE created_at < ? LIMIT ?)"""
_WORDS = "digest || char(10) || coalesce(memory_queries, '') || char(10) || coalesce(recent_remembers, '')"
CHECKPOINT_TEXTS = f"SELECT rowid, agent_id, {_WORDS} FROM session_checkpoints WHERE rowid > ? ORDER BY rowid LIMIT ?"
DELETE_CHECKPOINTS_SAYING = (
    f"DELETE FROM session_checkpoints WHERE ? IS NOT NULL AND rowid = ? AND {_WORDS} = ?"
)
CHECKPOINTS_OF_PROJECT = f"""
SELECT {_CHECKPOINT} FROM session_checkpoints
 WHERE project_normalized = :project AND {OF_AGENT}
 ORDER BY created_at DESC, rowid DESC LIMIT :limit"""
CHECKPOINTS_OF_SESSION = f"""
SELECT {_CHECKPOINT} FROM session_checkpoints
 WHERE session_key = :session AND {OF_AGENT}
   AND (:project IS NULL OR project = :project)
 ORDER BY created_at DESC, rowid DESC"""
