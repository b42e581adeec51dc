"""Answers about agents and what they say to each other."""

from typing import TypedDict


class NamedAgent(TypedDict):
    """A named agent and whose memories it may read."""

    id: str
    name: str
    read_policy: str
    policy_group: str | None
    created_at: str
    updated_at: str


class CountedAgent(NamedAgent):
    """An agent with how many memories it has."""

    memories: int


class WholeAgent(NamedAgent):
    """An agent with its memories by visibility and the names of its own files."""

    memories: dict[str, int]
    files: list[str]


class RemovedAgent(TypedDict):
    """An agent that is gone; its memories were erased (`purged`) or archived."""

    success: bool
    purged: bool


class PresentSession(TypedDict):
    """A session at work."""

    sessionKey: str
    agentId: str
    harness: str
    project: str | None
    runtimePath: str | None
    provider: str | None
    startedAt: str
    lastSeenAt: str


class Announced(TypedDict):
    """A session that is known to be at work now."""

    presence: PresentSession


class Withdrawn(TypedDict):
    """Whether a session that left was there."""

    removed: bool


class AgentMessage(TypedDict):
    """A message between agents."""

    id: str
    createdAt: str
    fromAgentId: str
    fromSessionKey: str | None
    toAgentId: str | None
    toSessionKey: str | None
    broadcast: bool
    type: str
    content: str
    deliveryPath: str
    deliveryStatus: str
    deliveryError: str | None


class SentMessage(TypedDict):
    """A message as it was stored."""

    message: AgentMessage
