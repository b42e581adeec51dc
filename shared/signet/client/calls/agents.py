"""Named agents, which of them work now, and what they say to each other."""

from signet.client.call import Call, ask
from signet.client.method import method
from signet.wire import agents as wire
from signet.wire.agents import (
    AgentMessage,
    Announced,
    CountedAgent,
    NamedAgent,
    PresentSession,
    RemovedAgent,
    SentMessage,
    WholeAgent,
    Withdrawn,
)


class AgentCalls:
    """Named agents, which of them work now, and what they say to each other."""

    @method
    def agents(self) -> Call[list[CountedAgent]]:
        """Return every agent, the default one first."""
        return ask(wire.AGENTS).picking(lambda found: found["agents"])

    @method
    def agent(self, name: str) -> Call[WholeAgent]:
        """Return one agent with its memories by visibility; raises NotFound."""
        return ask(wire.AGENT, name)

    @method
    def add_agent(
        self, name: str, *, read_policy: str = "isolated", policy_group: str | None = None
    ) -> Call[NamedAgent]:
        """Name an agent; its policy is isolated, shared, or group with a `policy_group`. Raises Invalid or Conflict."""
        body = {"name": name, "read_policy": read_policy, "policy_group": policy_group}
        return ask(wire.ADD_AGENT, body=body)

    @method
    def remove_agent(self, name: str, *, purge: bool = False) -> Call[RemovedAgent]:
        """Remove an agent; its memories are archived, or with `purge` erased. Raises NotFound."""
        return ask(wire.REMOVE_AGENT, name, purge=purge or None)

    @method
    def peers(
        self,
        *,
        session_key: str | None = None,
        agent_id: str | None = None,
        project: str | None = None,
        include_self: bool = False,
        limit: int = 50,
    ) -> Call[list[PresentSession]]:
        """Return the other sessions at work, seen last first."""
        return ask(
            wire.PEERS,
            session_key=session_key,
            agent_id=agent_id,
            project=project,
            include_self=include_self,
            limit=limit,
        ).picking(lambda found: found["sessions"])

    @method
    def announce(
        self,
        harness: str,
        *,
        session_key: str | None = None,
        agent_id: str | None = None,
        project: str | None = None,
        runtime_path: str | None = None,
        provider: str | None = None,
    ) -> Call[Announced]:
        """Say that a session is at work now; it counts as gone after four hours of silence."""
        body = {
            "harness": harness,
            "sessionKey": session_key,
            "agentId": agent_id,
            "project": project,
            "runtimePath": runtime_path,
            "provider": provider,
        }
        return ask(wire.ANNOUNCE, body=body, is_safe=True)

    @method
    def withdraw(self, session_key: str, *, agent_id: str | None = None) -> Call[Withdrawn]:
        """Say that a session is not at work any more."""
        return ask(wire.WITHDRAW, session_key, agent_id=agent_id)

    @method
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
    ) -> Call[SentMessage]:
        """Send a message to an agent, to a session or to everybody; it waits in their inbox.

        `type` is assist_request, decision_update, info or question. Raises Invalid, RateLimited, and Forbidden for a
        session of another agent.
        """
        body = {
            "content": content,
            "toAgentId": to_agent,
            "toSessionKey": to_session,
            "broadcast": broadcast,
            "type": type,
            "fromAgentId": from_agent,
            "fromSessionKey": from_session,
        }
        return ask(wire.SEND_MESSAGE, body=body)

    @method
    def inbox(
        self,
        *,
        agent_id: str | None = None,
        session_key: str | None = None,
        since: str | None = None,
        include_sent: bool = False,
        include_broadcast: bool = True,
        limit: int = 100,
    ) -> Call[list[AgentMessage]]:
        """Return the messages of an agent or of one of its sessions, newest first."""
        return ask(
            wire.INBOX,
            agent_id=agent_id,
            session_key=session_key,
            since=since,
            include_sent=include_sent,
            include_broadcast=include_broadcast,
            limit=limit,
        ).picking(lambda found: found["items"])
