"""Which skills an agent sees: all, unless the roster of agent.yaml lists its own. Pure."""

from collections.abc import Mapping

from signet.config import Settings

#: The names of an agent's skills; who is not in it sees all of them.
Limits = Mapping[str, frozenset[str]]


def limits(settings: Settings) -> Limits:
    """Return the skills of the agents that have a list of their own; an empty list shows none."""
    return {
        agent.name: frozenset(agent.skills)
        for agent in settings.agents.roster
        if agent.skills is not None
    }


def shows(limits: Limits, agent_id: str, name: str, title: str) -> bool:
    """Return whether an agent sees a skill, by the name of its folder or what it calls itself."""
    wanted = limits.get(agent_id)
    return wanted is None or name in wanted or title in wanted
