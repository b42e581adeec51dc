"""Which agents work now, and where: one row for each session, gone when the session ends or has been silent long."""

from datetime import datetime, timedelta

from signet import clock, ids
from signet.db import ReadTx, WriteTx
from signet.domain.agents import sql
from signet.domain.agents.models import Presence
from signet.domain.auth import caller
from signet.wire.access import Role

#: A session that has been silent for this long counts as gone.
LIFE = timedelta(hours=4)


def see(tx: WriteTx, presence: Presence, *, now: datetime) -> Presence:
    """Record that a session is at work now, and return what is recorded; what it leaves out stays as it was."""
    [stored] = tx.rows(Presence, sql.PUT_PRESENCE, presence._asdict() | {"at": clock.to_text(now)})
    return stored


def remove(tx: WriteTx, session_key: str, *, agent_id: str | None = None) -> bool:
    """Delete a session, of one agent or of any, and return whether it was there."""
    return tx.run(sql.DELETE_PRESENCE, {"key": session_key, "agent": agent_id}) > 0


def purge(tx: WriteTx, *, now: datetime) -> None:
    """Delete the sessions that have been silent for too long."""
    tx.run(sql.DELETE_SILENT, (clock.to_text(now - LIFE),))


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

    `but` leaves out a session, `but_agent` all sessions of an agent. Those of a user are there for that user alone,
    and for who has no key or an admin's (AUTH-27).
    """
    asking = caller.current()
    sees_all = asking.claims is None or asking.claims.role is Role.ADMIN
    asked = {
        "since": clock.to_text(now - LIFE),
        "agent": agent_id,
        "project": project,
        "but": but,
        "but_agent": but_agent,
        "user": None if sees_all else asking.scope.agent or "",
        "users": ids.USER_PREFIX,
        "limit": limit,
    }
    return tx.rows(Presence, sql.PRESENT, asked)


def owner(tx: ReadTx, session_key: str) -> str | None:
    """Return whose session this is, the one that was seen last if several say so; None for an unknown one."""
    found: str | None = tx.value(sql.OWNER, (session_key,))
    return found
