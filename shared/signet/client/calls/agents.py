"""Named agents."""

from signet.client.method import asks
from signet.wire import agents as wire


class AgentCalls:
    """Named agents."""

    @asks(wire.AGENTS, pick=lambda found: found["agents"])
    def agents(self) -> list[wire.CountedAgent]:
        """Return every agent, the default one first."""

    @asks(wire.AGENT)
    def agent(self, name: str) -> wire.WholeAgent:
        """Return one agent with its memories by visibility; raises NotFound."""

    @asks(wire.ADD_AGENT)
    def add_agent(
        self, name: str, *, read_policy: str = "isolated", policy_group: str | None = None
    ) -> wire.NamedAgent:
        """Add an agent; its policy is isolated, shared, or group with a `policy_group`. Raises Invalid or Conflict."""

    @asks(wire.REMOVE_AGENT)
    def remove_agent(self, name: str, *, purge: bool = False) -> wire.RemovedAgent:
        """Remove an agent; archive its memories, or erase them with `purge`. Raises NotFound."""
