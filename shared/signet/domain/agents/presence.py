"""Which agents work now, and where: one row for each session, gone when the session ends or has been silent long."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from signet import clock
from signet.db import ReadTx, Row, WriteTx

#: A session that has been silent for so long is not there any more.
LIFE = timedelta(hours=4)

_SEEN = """
INSERT INTO agent_presence (agent_id, session_key, harness, project, runtime_path, provider, started_at, seen_at)
VALUES (:agent, :key, :harness, :project, :path, :provider, :at, :at)
ON CONFLICT (agent_id, session_key) DO UPDATE SET
    harness = excluded.harness, project = coalesce(excluded.project, project),
    runtime_path = coalesce(excluded.runtime_path, runtime_path),
    provider = coalesce(excluded.provider, provider), seen_at = excluded.seen_at"""
_GONE = (
    "DELETE FROM agent_presence WHERE session_key = :key AND (:agent IS NULL OR agent_id = :agent)"
)
_PURGE = "DELETE FROM agent_presence WHERE seen_at < ?"
_LIST = """
SELECT agent_id, session_key, harness, project, runtime_path, provider, started_at, seen_at FROM agent_presence
 WHERE seen_at >= :since AND (:agent IS NULL OR agent_id = :agent) AND (:project IS NULL OR project = :project)
   AND (:but IS NULL OR session_key <> :but) AND (:but_agent IS NULL OR agent_id <> :but_agent)
 ORDER BY seen_at DESC, session_key LIMIT :limit"""

_OWNER = "SELECT agent_id FROM agent_presence WHERE session_key = ? ORDER BY seen_at DESC LIMIT 1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    """One session at work."""

    agent_id: str
    session_key: str
    harness: str
    project: str | None = None
    runtime_path: str | None = None
    provider: str | None = None
    started_at: str = ""
    seen_at: str = ""


def see(tx: WriteTx, presence: Presence, *, now: datetime) -> None:
    """Note that a session is at work now; what it does not say of itself stays as it was said before."""
    tx.run(
        _SEEN,
        {
            "agent": presence.agent_id,
            "key": presence.session_key,
            "harness": presence.harness,
            "project": presence.project,
            "path": presence.runtime_path,
            "provider": presence.provider,
            "at": clock.to_text(now),
        },
    )


def remove(tx: WriteTx, session_key: str, *, agent_id: str | None = None) -> bool:
    """Forget a session, of one agent or of any, and say whether it was there."""
    return tx.run(_GONE, {"key": session_key, "agent": agent_id}) > 0


def purge(tx: WriteTx, *, now: datetime) -> None:
    """Forget the sessions that have been silent for too long."""
    tx.run(_PURGE, (clock.to_text(now - LIFE),))


def present(
    tx: ReadTx,
    *,
    now: datetime,
    agent_id: str | None = None,
    project: str | None = None,
    but: str | None = None,
    but_agent: str | None = None,
    limit: int = 50,
) -> list[Presence]:
    """Return the sessions at work, seen last first; of one agent, of one project.

    `but` leaves out a session, `but_agent` all sessions of an agent.
    """
    asked = {
        "since": clock.to_text(now - LIFE),
        "agent": agent_id,
        "project": project,
        "but": but,
        "but_agent": but_agent,
        "limit": limit,
    }
    return [_presence(row) for row in tx.all(_LIST, asked)]


def owner(tx: ReadTx, session_key: str) -> str | None:
    """Return whose session this is, the one that was seen last if several say so; None for an unknown one."""
    found: str | None = tx.value(_OWNER, (session_key,))
    return found


def _presence(row: Row) -> Presence:
    return Presence(**dict(row))
