"""Named agents."""

from typing import TypedDict

from signet.wire import access
from signet.wire.operation import Operation


class NamedAgent(TypedDict):
    """A named agent and its read policy."""

    id: str
    name: str
    read_policy: str
    policy_group: str | None
    created_at: str
    updated_at: str


class CountedAgent(NamedAgent):
    """An agent with its number of memories."""

    memories: int


class WholeAgent(NamedAgent):
    """An agent with its memories by visibility and the names of its files."""

    memories: dict[str, int]
    files: list[str]


class RemovedAgent(TypedDict):
    """A removed agent; its memories were erased (`purged`) or archived."""

    success: bool
    purged: bool


class Agents(TypedDict):
    """Every agent, the default one first."""

    agents: list[CountedAgent]


AGENTS = Operation("GET", "/api/agents", access.LOCAL, Agents)
ADD_AGENT = Operation(
    "POST",
    "/api/agents",
    access.programs("add an agent with its own read policy", "signet agent add NAME"),
    NamedAgent,
    status=201,
)
AGENT = Operation("GET", "/api/agents/{name}", access.LOCAL, WholeAgent)
REMOVE_AGENT = Operation(
    "DELETE",
    "/api/agents/{name}",
    access.programs("remove an agent from agent.yaml", "signet agent remove NAME"),
    RemovedAgent,
)
