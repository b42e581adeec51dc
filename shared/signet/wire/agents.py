"""Named agents, which of them work now, and what they say to each other."""

from typing import NotRequired, TypedDict

from signet.wire import access
from signet.wire.access import ONLY_AGENT, Permission, Quota, Rule
from signet.wire.operation import Operation


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
    """A message as it was stored; `masked` names the kinds of secrets that were replaced in it."""

    message: AgentMessage
    masked: NotRequired[list[str]]


class Agents(TypedDict):
    """Every agent, the default one first."""

    agents: list[CountedAgent]


class Sessions(TypedDict):
    """Sessions at work, seen last first."""

    sessions: list[PresentSession]
    count: int


class Messages(TypedDict):
    """Messages, newest first."""

    items: list[AgentMessage]
    count: int


AGENTS = Operation("GET", "/api/agents", access.LOCAL, Agents)
ADD_AGENT = Operation("POST", "/api/agents", access.LOCAL, NamedAgent, status=201)
AGENT = Operation("GET", "/api/agents/{name}", access.LOCAL, WholeAgent)
REMOVE_AGENT = Operation("DELETE", "/api/agents/{name}", access.LOCAL, RemovedAgent)
PEERS = Operation("GET", "/api/cross-agent/presence", access.RECALL, Sessions)
ANNOUNCE = Operation("POST", "/api/cross-agent/presence", access.REMEMBER, Announced)
WITHDRAW = Operation(
    "DELETE",
    "/api/cross-agent/presence/{session_key}",
    Rule(Permission.REMEMBER, within=ONLY_AGENT),
    Withdrawn,
)
# Messages belong to no project.
INBOX = Operation(
    "GET", "/api/cross-agent/messages", Rule(Permission.RECALL, within=ONLY_AGENT), Messages
)
SEND_MESSAGE = Operation(
    "POST",
    "/api/cross-agent/messages",
    Rule(Permission.REMEMBER, Quota.CROSS_AGENT_MESSAGE, ONLY_AGENT),
    SentMessage,
)
PEER_EVENTS = Operation(
    "GET",
    "/api/cross-agent/stream",
    Rule(Permission.RECALL, within=ONLY_AGENT),
    str,
    media_type="text/event-stream",
)
