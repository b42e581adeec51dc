"""Convert an agent's read policy to a reader (MEM-42). Pure.

Only `db/visibility.py` translates a reader to SQL.
"""

from dataclasses import replace

from signet.db.visibility import Here, Reader, ReadPolicy
from signet.domain.agents.models import Agent
from signet.domain.auth.tokens import TokenScope
from signet.ids import DEFAULT_AGENT, is_of_user


def reader(
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
