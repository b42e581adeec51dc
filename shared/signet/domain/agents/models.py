"""Values of agents."""

from dataclasses import dataclass

from signet.db.visibility import ReadPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """A known agent and whose memories it may read."""

    id: str
    read_policy: ReadPolicy
    policy_group: str | None = None
