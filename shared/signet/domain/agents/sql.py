"""Rows of agents, of the messages between them, and of their sessions at work."""

from collections.abc import Mapping
from typing import NamedTuple

from signet.db import ReadTx, WriteTx
from signet.domain.agents.models import Presence

_AGENT = "SELECT id, read_policy, policy_group, name, created_at, updated_at FROM agents"
_AGENT_BY_ID = f"{_AGENT} WHERE id = ?"
_AGENTS = f"{_AGENT} ORDER BY id <> 'default', id"
_HAS_OTHERS = "SELECT 1 FROM agents WHERE id <> 'default' LIMIT 1"
_PUT_AGENT = """
INSERT INTO agents (id, name, read_policy, policy_group, created_at, updated_at)
VALUES (:id, :name, :policy, :group, :at, :at)
ON CONFLICT (id) DO UPDATE SET
    name = coalesce(name, excluded.name), read_policy = excluded.read_policy,
    policy_group = excluded.policy_group, updated_at = excluded.updated_at
 WHERE name IS NULL OR read_policy IS NOT excluded.read_policy OR policy_group IS NOT excluded.policy_group"""
_DELETE_AGENT = "DELETE FROM agents WHERE id = ?"
# Every row is counted in an index; only the forgotten ones, which are few, are read.
_MEMORY_COUNTS = """
SELECT agent_id, visibility, sum(number) AS number FROM (
    SELECT agent_id, visibility, count(*) AS number FROM memories GROUP BY agent_id, visibility
    UNION ALL
    SELECT agent_id, visibility, -count(*) FROM memories WHERE is_deleted = 1 GROUP BY agent_id, visibility)
 WHERE ?1 IS NULL OR agent_id = ?1 GROUP BY agent_id, visibility HAVING sum(number) > 0"""

_ADD_MESSAGE = """
INSERT INTO agent_messages (id, from_agent_id, from_session_key, to_agent_id, to_session_key, is_broadcast,
    type, content, via, status, error, created_at)
VALUES (:id, :from_agent, :from_session, :to_agent, :to_session, :broadcast,
    :type, :content, :via, :status, :error, :at)"""
_DELETE_OLD_MESSAGES = """
DELETE FROM agent_messages
 WHERE seq IN (SELECT seq FROM agent_messages ORDER BY seq LIMIT ?) AND created_at < ?"""
_MESSAGE = """
SELECT seq, id, from_agent_id, from_session_key, to_agent_id, to_session_key, is_broadcast, type, content, via,
       status, error, created_at FROM agent_messages"""
_MESSAGES = f"""{_MESSAGE}
 WHERE (:since IS NULL OR created_at > :since) AND seq > :after AND (
       (to_session_key IS NULL AND to_agent_id = :agent)
    OR (:session IS NOT NULL AND to_session_key = :session)
    OR (:session IS NULL AND to_session_key IS NOT NULL AND to_agent_id = :agent)
    OR (:broadcast AND is_broadcast AND (from_agent_id <> :agent OR :session IS NULL
                                         OR from_session_key IS NOT :session))
    OR (:sent AND from_agent_id = :agent AND (:session IS NULL OR from_session_key IS :session)))
 ORDER BY seq DESC LIMIT :limit"""
_LAST_MESSAGE = "SELECT coalesce(max(seq), 0) FROM agent_messages"

_PUT_PRESENCE = """
INSERT INTO agent_presence (agent_id, session_key, harness, project, runtime_path, provider, started_at, seen_at)
VALUES (:agent, :key, :harness, :project, :path, :provider, :at, :at)
ON CONFLICT (agent_id, session_key) DO UPDATE SET
    harness = excluded.harness, project = coalesce(excluded.project, project),
    runtime_path = coalesce(excluded.runtime_path, runtime_path),
    provider = coalesce(excluded.provider, provider), seen_at = excluded.seen_at"""
_DELETE_PRESENCE = (
    "DELETE FROM agent_presence WHERE session_key = :key AND (:agent IS NULL OR agent_id = :agent)"
)
_DELETE_SILENT = "DELETE FROM agent_presence WHERE seen_at < ?"
_PRESENT = """
SELECT agent_id, session_key, harness, project, runtime_path, provider, started_at, seen_at FROM agent_presence
 WHERE seen_at >= :since AND (:agent IS NULL OR agent_id = :agent) AND (:project IS NULL OR project = :project)
   AND (:but IS NULL OR session_key <> :but) AND (:but_agent IS NULL OR agent_id <> :but_agent)
 ORDER BY seen_at DESC, session_key LIMIT :limit"""
_OWNER = "SELECT agent_id FROM agent_presence WHERE session_key = ? ORDER BY seen_at DESC LIMIT 1"


class AgentRow(NamedTuple):
    """One row of `agents`."""

    id: str
    read_policy: str | None
    policy_group: str | None
    name: str | None
    created_at: str
    updated_at: str


class MemoryCount(NamedTuple):
    """How many active memories of one visibility an agent has."""

    agent_id: str
    visibility: str
    number: int


class MessageRow(NamedTuple):
    """One row of `agent_messages`."""

    seq: int
    id: str
    from_agent_id: str
    from_session_key: str | None
    to_agent_id: str | None
    to_session_key: str | None
    is_broadcast: int
    type: str
    content: str
    via: str
    status: str
    error: str | None
    created_at: str


def agent(tx: ReadTx, agent_id: str) -> AgentRow | None:
    """Return the agent, None when it was never registered."""
    return tx.row(AgentRow, _AGENT_BY_ID, (agent_id,))


def agents(tx: ReadTx) -> list[AgentRow]:
    """Return every registered agent, the default one first."""
    return tx.rows(AgentRow, _AGENTS)


def has_others(tx: ReadTx) -> bool:
    """Return whether any agent but the default one is registered."""
    return tx.value(_HAS_OTHERS) is not None


def put_agent(tx: WriteTx, values: Mapping[str, str | None]) -> None:
    """Insert an agent or update its policy: id, name, policy, group and the instant `at`."""
    tx.run(_PUT_AGENT, values)


def delete_agent(tx: WriteTx, agent_id: str) -> None:
    """Delete an agent's row."""
    tx.run(_DELETE_AGENT, (agent_id,))


def memory_counts(tx: ReadTx, agent_id: str | None) -> list[MemoryCount]:
    """Return the number of active memories by agent and visibility, of one agent or of all."""
    return tx.rows(MemoryCount, _MEMORY_COUNTS, (agent_id,))


def add_message(tx: WriteTx, values: Mapping[str, object]) -> MessageRow:
    """Insert a message and return its row."""
    tx.run(_ADD_MESSAGE, values)
    return tx.rows(MessageRow, f"{_MESSAGE} WHERE id = ?", (values["id"],))[0]


def delete_old_messages(tx: WriteTx, *, before: str, most: int) -> None:
    """Delete messages sent before an instant, at most so many."""
    tx.run(_DELETE_OLD_MESSAGES, (most, before))


def messages(tx: ReadTx, values: Mapping[str, object]) -> list[MessageRow]:
    """Return messages of an inbox, newest first."""
    return tx.rows(MessageRow, _MESSAGES, values)


def last_message(tx: ReadTx) -> int:
    """Return the number of the newest message, 0 without any."""
    return int(tx.value(_LAST_MESSAGE))


def put_presence(tx: WriteTx, one: Presence, at: str) -> None:
    """Insert a session at work, or update it; columns that are None keep their value."""
    values = {
        "agent": one.agent_id,
        "key": one.session_key,
        "harness": one.harness,
        "project": one.project,
        "path": one.runtime_path,
        "provider": one.provider,
        "at": at,
    }
    tx.run(_PUT_PRESENCE, values)


def delete_presence(tx: WriteTx, session_key: str, agent_id: str | None) -> int:
    """Delete a session, of one agent or of any, and return how many rows that were."""
    return tx.run(_DELETE_PRESENCE, {"key": session_key, "agent": agent_id})


def delete_silent(tx: WriteTx, before: str) -> None:
    """Delete the sessions last seen before an instant."""
    tx.run(_DELETE_SILENT, (before,))


def present(tx: ReadTx, values: Mapping[str, object]) -> list[Presence]:
    """Return sessions at work, seen last first."""
    return tx.rows(Presence, _PRESENT, values)


def session_agent(tx: ReadTx, session_key: str) -> str | None:
    """Return the agent whose session this is, the one seen last if several have it; None for an unknown one."""
    found: str | None = tx.value(_OWNER, (session_key,))
    return found
