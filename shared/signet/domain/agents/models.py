"""Values of agents."""

from typing import NamedTuple

from signet.db.visibility import ReadPolicy


class Agent(NamedTuple):
    """A known agent and whose memories it may read; `name` is what people call it, times are as they are stored."""

    id: str
    read_policy: ReadPolicy
    policy_group: str | None = None
    name: str | None = None
    created_at: str = ""
    updated_at: str = ""
