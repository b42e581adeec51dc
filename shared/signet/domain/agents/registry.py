"""Registered agents, their read policies, and their number of memories."""

from dataclasses import replace
from datetime import datetime

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.db.visibility import Here, Reader, ReadPolicy, Where, readable
from signet.domain.agents import policy, sql
from signet.domain.agents.models import Agent
from signet.domain.auth import caller


def get(tx: ReadTx, agent_id: str) -> Agent | None:
    """Return the agent, None if it was never registered."""
    return tx.row(Agent, sql.AGENT_BY_ID, (agent_id,))


def every(tx: ReadTx) -> list[Agent]:
    """Return every registered agent, the default one first."""
    return tx.rows(Agent, sql.AGENTS)


def has_others(tx: ReadTx) -> bool:
    """Return whether any agent but the default one is registered."""
    return tx.value(sql.HAS_OTHERS) is not None


def put(tx: WriteTx, agent: Agent, *, now: datetime) -> None:
    """Register an agent, or update its policy, if anything differs."""
    values = {
        "id": agent.id,
        "name": agent.name,
        "policy": agent.read_policy,
        "group": agent.policy_group,
        "at": clock.to_text(now),
    }
    tx.run(sql.PUT_AGENT, values)


def remove(tx: WriteTx, agent_id: str) -> None:
    """Delete an agent without touching its memories."""
    tx.run(sql.DELETE_AGENT, (agent_id,))


def counts(tx: ReadTx, agent_id: str | None = None) -> dict[str, dict[str, int]]:
    """Return the active memories of each agent, or of this one, by visibility."""
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
    """Return what this agent may read now, limited to the caller's scope (`db/visibility.py`)."""
    agent = get(tx, agent_id)
    found = policy.reader(
        agent_id, agent, scope=scope, any_scope=any_scope, project=project, here=here
    )
    return policy.within(found, caller.current().scope)


def changeable(tx: ReadTx, agent_id: str, *, scope: str | None, any_scope: bool) -> Where:
    """Return the condition on rows of `memories` (`m`) that the caller may change for this agent.

    The counterpart of `Caller.check_row` for rows that no request names: a token limited to an owner selects only
    among its own memories, whatever it may read (AUTH-27).
    """
    asking = caller.current()
    found = reader(tx, agent_id, scope=scope, any_scope=any_scope)
    if asking.scope.agent is not None:
        found = replace(found, policy=ReadPolicy.ISOLATED, group=None)
    return readable(found) & Where("m.agent_id NOT GLOB ?", (asking.hidden,))
