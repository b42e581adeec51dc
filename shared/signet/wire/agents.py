"""Named agents."""

from typing import TypedDict

from signet.wire import access
from signet.wire.operation import delete, get, post


class NamedAgent(TypedDict):
    id: str
    name: str
    read_policy: str
    #: What the policy allows, in words.
    reads: str
    policy_group: str | None
    created_at: str
    updated_at: str


class CountedAgent(NamedAgent):
    memories: int


class WholeAgent(NamedAgent):
    memories: dict[str, int]
    files: list[str]


class RemovedAgent(TypedDict):
    """A removed agent; its memories were erased (`purged`) or archived."""

    success: bool
    purged: bool


class Agents(TypedDict):
    agents: list[CountedAgent]


AGENTS = get("/api/agents", access.LOCAL, Agents)
ADD_AGENT = post(
    "/api/agents",
    access.programs("add an agent with its own read policy", "signet agent add NAME"),
    NamedAgent,
    status=201,
)
AGENT = get("/api/agents/{name}", access.LOCAL, WholeAgent)
REMOVE_AGENT = delete(
    "/api/agents/{name}",
    access.programs("remove an agent from agent.yaml", "signet agent remove NAME"),
    RemovedAgent,
)
