"""Synchronise the roster of agent.yaml with the agents' rows."""

from collections.abc import Sequence
from datetime import datetime

from signet.config.roster import NAME, RosterAgent
from signet.config.roster import ReadPolicy as Listed
from signet.db import WriteTx
from signet.db.visibility import ReadPolicy
from signet.domain.agents import registry
from signet.domain.agents.models import Agent
from signet.errors import Invalid
from signet.ids import DEFAULT_AGENT

#: Maximum name length, also for a folder.
MAX_NAME = 64


def follow(tx: WriteTx, roster: Sequence[RosterAgent], *, now: datetime) -> None:
    """Register the roster's agents; others stay, and the default agent always exists (HN-70)."""
    if registry.get(tx, DEFAULT_AGENT) is None:
        shared = Agent(id=DEFAULT_AGENT, name=DEFAULT_AGENT, read_policy=ReadPolicy.SHARED)
        registry.put(tx, shared, now=now)
    for one in roster:
        registry.put(tx, agent_of(one), now=now)


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
