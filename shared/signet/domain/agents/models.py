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


class Presence(NamedTuple):
    """One session at work."""

    agent_id: str
    session_key: str
    harness: str
    project: str | None = None
    runtime_path: str | None = None
    provider: str | None = None
    started_at: str = ""
    seen_at: str = ""
