"""Rows of agents, of the messages between them, and of their sessions at work."""

from typing import NamedTuple

#: A policy that nobody knows is the one that shows least.
AGENT = """
SELECT id, iif(read_policy IN ('shared', 'group'), read_policy, 'isolated') AS read_policy, policy_group, name,
       created_at, updated_at FROM agents"""
AGENT_BY_ID = f"{AGENT} WHERE id = ?"
AGENTS = f"{AGENT} ORDER BY id <> 'default', id"
HAS_OTHERS = "SELECT 1 FROM agents WHERE id <> 'default' LIMIT 1"
PUT_AGENT = """
INSERT INTO agents (id, name, read_policy, policy_group, created_at, updated_at)
VALUES (:id, :name, :policy, :group, :at, :at)
ON CONFLICT (id) DO UPDATE SET
    name = coalesce(name, excluded.name), read_policy = excluded.read_policy,
    policy_group = excluded.policy_group, updated_at = excluded.updated_at
 WHERE name IS NULL OR read_policy IS NOT excluded.read_policy OR policy_group IS NOT excluded.policy_group"""
DELETE_AGENT = "DELETE FROM agents WHERE id = ?"
# Every row is counted in an index; only the forgotten ones, which are few, are read.
MEMORY_COUNTS = """
SELECT agent_id, visibility, sum(number) AS number FROM (
    SELECT agent_id, visibility, count(*) AS number FROM memories GROUP BY agent_id, visibility
    UNION ALL
    SELECT agent_id, visibility, -count(*) FROM memories WHERE is_deleted = 1 GROUP BY agent_id, visibility)
 WHERE ?1 IS NULL OR agent_id = ?1 GROUP BY agent_id, visibility HAVING sum(number) > 0"""

ADD_MESSAGE = """
INSERT INTO agent_messages (id, from_agent_id, from_session_key, to_agent_id, to_session_key, is_broadcast,
    type, content, via, status, error, created_at)
VALUES (:id, :from_agent, :from_session, :to_agent, :to_session, :broadcast,
    :type, :content, :via, :status, :error, :at)"""
DELETE_OLD_MESSAGES = """
DELETE FROM agent_messages
 WHERE seq IN (SELECT seq FROM agent_messages ORDER BY seq LIMIT ?) AND created_at < ?"""
MESSAGE = """
SELECT content, from_agent_id AS from_agent, type, from_session_key AS from_session, to_agent_id AS to_agent,
       to_session_key AS to_session, is_broadcast, via, status, error, id, seq, created_at FROM agent_messages"""
MESSAGE_BY_ID = f"{MESSAGE} WHERE id = ?"
MESSAGES = f"""{MESSAGE}
 WHERE (:since IS NULL OR created_at > :since) AND seq > :after AND (
       (to_session_key IS NULL AND to_agent_id = :agent)
    OR (:session IS NOT NULL AND to_session_key = :session)
    OR (:session IS NULL AND to_session_key IS NOT NULL AND to_agent_id = :agent)
    OR (:broadcast AND is_broadcast AND (from_agent_id <> :agent OR :session IS NULL
                                         OR from_session_key IS NOT :session))
    OR (:sent AND from_agent_id = :agent AND (:session IS NULL OR from_session_key IS :session)))
 ORDER BY seq DESC LIMIT :limit"""
#: Texts of messages with the agent that sent them, and with the one that they are for.
MESSAGES_FROM = """
SELECT seq, from_agent_id, content FROM agent_messages WHERE seq > ? ORDER BY seq LIMIT ?"""
MESSAGES_TO = """
SELECT seq, to_agent_id, content FROM agent_messages WHERE seq > ? ORDER BY seq LIMIT ?"""
CLEAN_MESSAGE = "UPDATE agent_messages SET content = ? WHERE seq = ? AND content = ?"
LAST_MESSAGE = "SELECT coalesce(max(seq), 0) FROM agent_messages"

PUT_PRESENCE = """
INSERT INTO agent_presence (agent_id, session_key, harness, project, runtime_path, provider, started_at, seen_at)
VALUES (:agent_id, :session_key, :harness, :project, :runtime_path, :provider, :at, :at)
ON CONFLICT (agent_id, session_key) DO UPDATE SET
    harness = excluded.harness, project = coalesce(excluded.project, project),
    runtime_path = coalesce(excluded.runtime_path, runtime_path),
    provider = coalesce(excluded.provider, provider), seen_at = excluded.seen_at
RETURNING agent_id, session_key, harness, project, runtime_path, provider, started_at, seen_at"""
DELETE_PRESENCE = (
    "DELETE FROM agent_presence WHERE session_key = :key AND (:agent IS NULL OR agent_id = :agent)"
)
DELETE_SILENT = "DELETE FROM agent_presence WHERE seen_at < ?"
PRESENT = """
SELECT agent_id, session_key, harness, project, runtime_path, provider, started_at, seen_at FROM agent_presence
 WHERE seen_at >= :since AND (:agent IS NULL OR agent_id = :agent) AND (:project IS NULL OR project = :project)
   AND (:but IS NULL OR session_key <> :but) AND (:but_agent IS NULL OR agent_id <> :but_agent)
   AND (:user IS NULL OR agent_id = :user OR substr(agent_id, 1, length(:users)) <> :users)
 ORDER BY seen_at DESC, session_key LIMIT :limit"""
OWNER = "SELECT agent_id FROM agent_presence WHERE session_key = ? ORDER BY seen_at DESC LIMIT 1"


class MemoryCount(NamedTuple):
    """How many active memories of one visibility an agent has."""

    agent_id: str
    visibility: str
    number: int
