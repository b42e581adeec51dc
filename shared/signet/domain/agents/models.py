"""Values of agents."""

from typing import NamedTuple

from signet.db.visibility import ReadPolicy


class Agent(NamedTuple):
    """A known agent and its read policy; `name` is its display name, times are as stored."""

    id: str
    read_policy: ReadPolicy
    policy_group: str | None = None
    name: str | None = None
    created_at: str = ""
    updated_at: str = ""
