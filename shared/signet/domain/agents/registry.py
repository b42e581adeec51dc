"""Agents: registry, roster, read policy and memory counts."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from signet import clock
from signet.config.roster import NAME, RosterAgent
from signet.config.roster import ReadPolicy as Listed
from signet.db import ReadTx, WriteTx
from signet.db.visibility import Here, Reader, ReadPolicy, Where, readable
from signet.domain.agents import sql
from signet.domain.auth import caller
from signet.domain.auth.tokens import TokenScope
from signet.errors import Invalid
from signet.ids import DEFAULT_AGENT, is_of_user


class Agent(NamedTuple):
    """A known agent and its read policy; `name` is its display name, times are as stored."""

    id: str
    read_policy: ReadPolicy
    policy_group: str | None = None
    name: str | None = None
    created_at: str = ""
    updated_at: str = ""


def policy_reader(
    agent_id: str,
    agent: Agent | None,
    *,
    scope: str | None = None,
    any_scope: bool = False,
    project: str | None = None,
    here: Here | None = None,
) -> Reader:
    """Return what this agent may read; the default agent and people read shared rows, an unknown one only its own."""
    sees_shared = agent_id == DEFAULT_AGENT or is_of_user(agent_id)
    unknown = ReadPolicy.SHARED if sees_shared else ReadPolicy.ISOLATED
    return Reader(
        agent_id=agent_id,
        policy=agent.read_policy if agent else unknown,
        group=agent.policy_group if agent else None,
        scope=scope,
        any_scope=any_scope,
        project=project,
        here=here,
    )


def within(found: Reader, scope: TokenScope) -> Reader:
    """Return the reader limited to a token's scope: rows of its project or agent (AUTH-20).

    A user's also reads shared rows (AUTH-27).
    """
    if scope.agent is not None and scope.user is None:
        found = replace(found, policy=ReadPolicy.ISOLATED, group=None)
    return found if scope.project is None else replace(found, project=scope.project)


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
    found = policy_reader(
        agent_id, agent, scope=scope, any_scope=any_scope, project=project, here=here
    )
    return within(found, caller.current().scope)


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


#: Maximum name length, also for a folder.
MAX_NAME = 64


def follow(tx: WriteTx, roster: Sequence[RosterAgent], *, now: datetime) -> None:
    """Register the roster's agents; others stay, and the default agent always exists (HN-70)."""
    if get(tx, DEFAULT_AGENT) is None:
        shared = Agent(id=DEFAULT_AGENT, name=DEFAULT_AGENT, read_policy=ReadPolicy.SHARED)
        put(tx, shared, now=now)
    for one in roster:
        put(tx, agent_of(one), now=now)


def agent_of(listed: RosterAgent) -> Agent:
    """Return the agent of a roster entry."""
    return Agent(
        id=listed.name,
        name=listed.name,
        read_policy=ReadPolicy(listed.read_policy.value),
        policy_group=listed.policy_group,
    )


def checked(name: str, policy: str | None, group: str | None) -> RosterAgent:
    """Return a new roster entry, isolated by default; raises Invalid."""
    if not NAME.fullmatch(name) or len(name) > MAX_NAME or name == DEFAULT_AGENT:
        raise Invalid(
            f"name must be small letters, digits and hyphens, at most {MAX_NAME}, and not `default`"
        )
    wanted = policy or Listed.ISOLATED
    if wanted not in set(Listed):
        raise Invalid("read_policy must be isolated, shared or group")
    group = (group or "").strip() or None
    if wanted == Listed.GROUP and group is None:
        raise Invalid("policy_group is required with read_policy group")
    return RosterAgent(name=name, read_policy=Listed(wanted), policy_group=group)
