"""The rows of `agents`."""

from signet.db import ReadTx
from signet.db.visibility import Reader
from signet.domain.agents import policy
from signet.domain.agents.models import Agent
from signet.domain.auth import caller

_BY_ID = "SELECT id, read_policy, policy_group FROM agents WHERE id = ?"


def get(tx: ReadTx, agent_id: str) -> Agent | None:
    """Return the agent, None when it was never registered."""
    row = tx.one(_BY_ID, (agent_id,))
    if row is None:
        return None
    return Agent(id=row[0], read_policy=policy.policy_of(row[1]), policy_group=row[2])


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
