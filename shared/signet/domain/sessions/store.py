"""The rows of `session_states`, and when each harness was seen last."""

import json
from datetime import datetime, timedelta

from signet import clock
from signet.db import ReadTx, Row, WriteTx, runtime_settings
from signet.domain.sessions.models import State, continuity_of, turns_of

#: A session that nobody has heard of for so long is over, though nobody said so.
LIFE = timedelta(days=7)
#: Names of harnesses that are kept, and their length: they come from outside.
MAX_HARNESSES = 50
HARNESS_CHARS = 64

_COLUMNS = (
    "agent_id, session_key, harness, project, runtime_path, claimed_at, expires_at, is_warned, is_bypassed, is_started,"
    " injected, continuity"
)
_GET = f"SELECT {_COLUMNS} FROM session_states WHERE agent_id = ? AND session_key = ?"
_OWNER = (
    "SELECT agent_id FROM session_states WHERE session_key = ? ORDER BY updated_at DESC LIMIT 1"
)
_BY_KEY = f"""
SELECT {_COLUMNS} FROM session_states
 WHERE session_key = :key AND (:agent IS NULL OR agent_id = :agent) AND (:project IS NULL OR project = :project)
 ORDER BY updated_at DESC"""
_LIVE = f"""
SELECT {_COLUMNS} FROM session_states
 WHERE expires_at > :now AND (:agent IS NULL OR agent_id = :agent) AND (:project IS NULL OR project = :project)
 ORDER BY coalesce(claimed_at, updated_at) DESC, session_key LIMIT :limit"""
_COUNT = "SELECT count(*), coalesce(sum(is_bypassed), 0) FROM session_states WHERE expires_at > ?"
_PUT = f"""
INSERT OR REPLACE INTO session_states ({_COLUMNS}, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_DROP = "DELETE FROM session_states WHERE agent_id = ? AND session_key = ?"
_SILENT = f"""
SELECT {_COLUMNS} FROM session_states INDEXED BY idx_session_states_updated
 WHERE updated_at < :before AND expires_at > updated_at AND (is_bypassed = 0 OR expires_at <= :now)
 ORDER BY updated_at LIMIT :limit"""
_PURGE = "DELETE FROM session_states WHERE updated_at < ?"
#: When each harness has called last.
_SEEN = "harness.seen:"


def get(tx: ReadTx, agent_id: str, key: str) -> State | None:
    """Return a session, None when nothing is known of it."""
    row = tx.one(_GET, (agent_id, key))
    return _state(row) if row else None


def owner(tx: ReadTx, key: str) -> str | None:
    """Return the agent whose session it is; of several, of the one that was heard of last."""
    found: str | None = tx.value(_OWNER, (key,))
    return found


def by_key(
    tx: ReadTx, key: str, *, agent_id: str | None = None, project: str | None = None
) -> list[State]:
    """Return the sessions of this key, of any agent and project or of one, heard of last first."""
    rows = tx.all(_BY_KEY, {"key": key, "agent": agent_id, "project": project})
    return [_state(row) for row in rows]


def live(
    tx: ReadTx,
    *,
    now: datetime,
    agent_id: str | None = None,
    project: str | None = None,
    limit: int = 500,
) -> list[State]:
    """Return the sessions that run, newest claim first."""
    asked = {"now": clock.to_text(now), "agent": agent_id, "project": project, "limit": limit}
    return [_state(row) for row in tx.all(_LIVE, asked)]


def counts(tx: ReadTx, *, now: datetime) -> tuple[int, int]:
    """Return how many sessions run, and how many of them are bypassed."""
    row = tx.one(_COUNT, (clock.to_text(now),))
    return (row[0], row[1]) if row else (0, 0)


def silent(tx: ReadTx, *, before: datetime, now: datetime, limit: int) -> list[State]:
    """Return sessions that run on though nobody has heard of them since `before`, longest silent first."""
    asked = {"before": clock.to_text(before), "now": clock.to_text(now), "limit": limit}
    return [_state(row) for row in tx.all(_SILENT, asked)]


def put(tx: WriteTx, state: State, *, now: datetime) -> None:
    """Keep what is known of a session."""
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


def drop(tx: WriteTx, agent_id: str, key: str) -> None:
    """Forget a session."""
    tx.run(_DROP, (agent_id, key))


def purge(tx: WriteTx, *, now: datetime) -> None:
    """Forget the sessions that nobody has heard of for long."""
    tx.run(_PURGE, (clock.to_text(now - LIFE),))


def see_harness(tx: WriteTx, harness: str, *, now: datetime) -> None:
    """Note that a harness has called (HK-4)."""
    name, seen = harness[:HARNESS_CHARS], runtime_settings.get_all(tx, _SEEN)
    if name in seen or len(seen) < MAX_HARNESSES:
        runtime_settings.put(tx, f"{_SEEN}{name}", clock.to_text(now))


def harnesses(tx: ReadTx) -> dict[str, str]:
    """Return when each harness was seen last."""
    return runtime_settings.get_all(tx, _SEEN)


def _state(row: Row) -> State:
    return State(
        agent_id=row["agent_id"],
        key=row["session_key"],
        harness=row["harness"],
        project=row["project"],
        runtime_path=row["runtime_path"],
        claimed_at=clock.parsed(row["claimed_at"]),
        expires_at=clock.parse(row["expires_at"]),
        is_warned=bool(row["is_warned"]),
        is_bypassed=bool(row["is_bypassed"]),
        is_started=bool(row["is_started"]),
        injected=turns_of(row["injected"]),
        continuity=continuity_of(row["continuity"]),
    )
