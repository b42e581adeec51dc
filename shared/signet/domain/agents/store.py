"""The rows of `agents`."""

from datetime import datetime

from signet import clock
from signet.db import ReadTx, Row, WriteTx
from signet.db.visibility import Reader
from signet.domain.agents import policy
from signet.domain.agents.models import Agent
from signet.domain.auth import caller

_READ = "SELECT id, read_policy, policy_group, name, created_at, updated_at FROM agents"
_BY_ID = f"{_READ} WHERE id = ?"
_EVERY = f"{_READ} ORDER BY id <> 'default', id"
_OTHERS = "SELECT 1 FROM agents WHERE id <> 'default' LIMIT 1"
_PUT = """
INSERT INTO agents (id, name, read_policy, policy_group, created_at, updated_at)
VALUES (:id, :name, :policy, :group, :at, :at)
ON CONFLICT (id) DO UPDATE SET
    name = coalesce(name, excluded.name), read_policy = excluded.read_policy,
    policy_group = excluded.policy_group, updated_at = excluded.updated_at
 WHERE name IS NULL OR read_policy IS NOT excluded.read_policy OR policy_group IS NOT excluded.policy_group"""
_REMOVE = "DELETE FROM agents WHERE id = ?"
# All of them are counted in an index; only the forgotten ones, which are few, are looked up.
_COUNTS = """
SELECT agent_id, visibility, sum(number) FROM (
    SELECT agent_id, visibility, count(*) AS number FROM memories GROUP BY agent_id, visibility
    UNION ALL
    SELECT agent_id, visibility, -count(*) FROM memories WHERE is_deleted = 1 GROUP BY agent_id, visibility)
 WHERE ?1 IS NULL OR agent_id = ?1 GROUP BY agent_id, visibility HAVING sum(number) > 0"""


def get(tx: ReadTx, agent_id: str) -> Agent | None:
    """Return the agent, None when it was never registered."""
    row = tx.one(_BY_ID, (agent_id,))
    return None if row is None else _agent(row)


def every(tx: ReadTx) -> list[Agent]:
    """Return every registered agent, the default one first."""
    return [_agent(row) for row in tx.all(_EVERY)]


def has_others(tx: ReadTx) -> bool:
    """Return whether any agent but the default one is registered."""
    return tx.value(_OTHERS) is not None


def put(tx: WriteTx, agent: Agent, *, now: datetime) -> None:
    """Register an agent, or let its policy follow; one that is the same already is left as it is."""
    values = {
        "id": agent.id,
        "name": agent.name,
        "policy": agent.read_policy,
        "group": agent.policy_group,
        "at": clock.to_text(now),
    }
    tx.run(_PUT, values)


def remove(tx: WriteTx, agent_id: str) -> None:
    """Forget an agent; its memories are not touched."""
    tx.run(_REMOVE, (agent_id,))


def counts(tx: ReadTx, agent_id: str | None = None) -> dict[str, dict[str, int]]:
    """Return how many active memories each agent has, or this one, by visibility."""
    found: dict[str, dict[str, int]] = {}
    for owner, visibility, count in tx.all(_COUNTS, (agent_id,)):
        found.setdefault(str(owner), {})[str(visibility)] = int(count)
    return found


def reader(
    tx: ReadTx,
    agent_id: str,
    *,
    scope: str | None = None,
    any_scope: bool = False,
    project: str | None = None,
) -> Reader:
    """Return how far this agent sees now, and no further than the caller may (`db/visibility.py`)."""
    found = policy.reader(
        agent_id, get(tx, agent_id), scope=scope, any_scope=any_scope, project=project
    )
    return policy.within(found, caller.current().scope)


def _agent(row: Row) -> Agent:
    return Agent(
        id=row["id"],
        read_policy=policy.policy_of(row["read_policy"]),
        policy_group=row["policy_group"],
        name=row["name"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )
