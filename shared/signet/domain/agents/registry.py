"""The registered agents: whose memories each may read, and how many it has."""

from dataclasses import replace
from datetime import datetime

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.db.visibility import Here, Reader, ReadPolicy, Where, readable
from signet.domain.agents import policy, sql
from signet.domain.agents.models import Agent
from signet.domain.auth import caller


def get(tx: ReadTx, agent_id: str) -> Agent | None:
    """Return the agent, None when it was never registered."""
    return tx.row(Agent, sql.AGENT_BY_ID, (agent_id,))


def every(tx: ReadTx) -> list[Agent]:
    """Return every registered agent, the default one first."""
    return tx.rows(Agent, sql.AGENTS)


def has_others(tx: ReadTx) -> bool:
    """Return whether any agent but the default one is registered."""
    return tx.value(sql.HAS_OTHERS) is not None


def put(tx: WriteTx, agent: Agent, *, now: datetime) -> None:
    """Register an agent, or update its policy; one that is the same already is left as it is."""
    values = {
        "id": agent.id,
        "name": agent.name,
        "policy": agent.read_policy,
        "group": agent.policy_group,
        "at": clock.to_text(now),
    }
    tx.run(sql.PUT_AGENT, values)


def remove(tx: WriteTx, agent_id: str) -> None:
    """Delete an agent; its memories are not touched."""
    tx.run(sql.DELETE_AGENT, (agent_id,))


def counts(tx: ReadTx, agent_id: str | None = None) -> dict[str, dict[str, int]]:
    """Return how many active memories each agent has, or this one, by visibility."""
    found: dict[str, dict[str, int]] = {}
    for owner, visibility, number in tx.rows(sql.MemoryCount, sql.MEMORY_COUNTS, (agent_id,)):
        found.setdefault(owner, {})[visibility] = number
    return found


def reader(
    tx: ReadTx,
    agent_id: str,
    *,
    scope: str | None = None,
    any_scope: bool = False,
    project: str | None = None,
    here: Here | None = None,
) -> Reader:
    """Return how far this agent sees now, and no further than the caller may (`db/visibility.py`)."""
    agent = get(tx, agent_id)
    found = policy.reader(
        agent_id, agent, scope=scope, any_scope=any_scope, project=project, here=here
    )
    return policy.within(found, caller.current().scope)


def changeable(tx: ReadTx, agent_id: str, *, scope: str | None, any_scope: bool) -> Where:
    """Return the condition on rows of `memories` (`m`) that the caller may change for this agent.

    The counterpart of `Caller.check_row` for rows that no request names: a token that is limited to an owner chooses
    among its own memories only, whatever it may read (AUTH-27).
    """
    asking = caller.current()
    found = reader(tx, agent_id, scope=scope, any_scope=any_scope)
    if asking.scope.agent is not None:
        found = replace(found, policy=ReadPolicy.ISOLATED, group=None)
    return readable(found) & Where("m.agent_id NOT GLOB ?", (asking.hidden,))
