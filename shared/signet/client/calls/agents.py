"""Named agents, which of them work now, and what they say to each other."""

from signet.client.method import asks
from signet.wire import agents as wire


class AgentCalls:
    """Named agents, which of them work now, and what they say to each other."""

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
        """Name an agent; its policy is isolated, shared, or group with a `policy_group`. Raises Invalid or Conflict."""

    @asks(wire.REMOVE_AGENT)
    def remove_agent(self, name: str, *, purge: bool = False) -> wire.RemovedAgent:
        """Remove an agent; its memories are archived, or with `purge` erased. Raises NotFound."""

    @asks(wire.PEERS, pick=lambda found: found["sessions"])
    def peers(
        self,
        *,
        session_key: str | None = None,
        agent_id: str | None = None,
        project: str | None = None,
        include_self: bool = False,
        limit: int = 50,
    ) -> list[wire.PresentSession]:
        """Return the other sessions at work, seen last first."""

    @asks(wire.ANNOUNCE, is_safe=True)
    def announce(
        self,
        harness: str,
        *,
        session_key: str | None = None,
        agent_id: str | None = None,
        project: str | None = None,
        runtime_path: str | None = None,
        provider: str | None = None,
    ) -> wire.Announced:
        """Say that a session is at work now; it counts as gone after four hours of silence."""

    @asks(wire.WITHDRAW)
    def withdraw(self, session_key: str, *, agent_id: str | None = None) -> wire.Withdrawn:
        """Say that a session is not at work any more."""

    @asks(
        wire.SEND_MESSAGE,
        names={
            "to_agent": "to_agent_id",
            "to_session": "to_session_key",
            "from_agent": "from_agent_id",
            "from_session": "from_session_key",
        },
    )
    def send_message(
        self,
        content: str,
        *,
        to_agent: str | None = None,
        to_session: str | None = None,
        broadcast: bool = False,
        type: str = "info",
        from_agent: str | None = None,
        from_session: str | None = None,
    ) -> wire.SentMessage:
        """Send a message to an agent, to a session or to everybody; it waits in their inbox.

        `type` is assist_request, decision_update, info or question. Raises Invalid, RateLimited, and Forbidden for a
        session of another agent.
        """

    @asks(wire.INBOX, pick=lambda found: found["items"])
    def inbox(
        self,
        *,
        agent_id: str | None = None,
        session_key: str | None = None,
        since: str | None = None,
        include_sent: bool = False,
        include_broadcast: bool = True,
        limit: int = 100,
    ) -> list[wire.AgentMessage]:
        """Return the messages of an agent or of one of its sessions, newest first."""
