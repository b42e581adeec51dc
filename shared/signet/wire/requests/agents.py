"""Naming an agent, and what agents say to each other."""

from typing import Annotated

from signet.wire.requests.model import Body, Flag, Params, Text, Whole, spelled

#: Sessions of one answer, and messages of one answer, at most.
MOST_SESSIONS, MOST_MESSAGES = 200, 500


class AgentBody(Body):
    """A new agent; without a policy it is isolated."""

    name: str = ""
    read_policy: str | None = spelled("read_policy", "readPolicy")
    policy_group: str | None = spelled("policy_group", "policyGroup")


class PresenceBody(Body):
    """A session that is at work."""

    harness: str = ""
    session_key: str | None = spelled("sessionKey", "session_key")
    agent_id: str | None = spelled("agentId", "agent_id")
    project: str | None = None
    runtime_path: str | None = spelled("runtimePath", "runtime_path")
    provider: str | None = None


class RelayBody(Body):
    """Where a relay is, and for whom the message is there."""

    base_url: str | None = spelled("baseUrl", "base_url")
    target_agent_name: str | None = spelled("targetAgentName", "target_agent_name")
    timeout_ms: float | None = spelled("timeoutMs", "timeout_ms")


class MessageBody(Body):
    """A message to an agent, to a session, or to everybody."""

    content: str = ""
    type: str | None = None
    from_agent_id: str | None = spelled("fromAgentId", "from_agent_id")
    from_session_key: str | None = spelled("fromSessionKey", "from_session_key")
    to_agent_id: str | None = spelled("toAgentId", "to_agent_id")
    to_session_key: str | None = spelled("toSessionKey", "to_session_key")
    broadcast: bool = False
    via: str = "local"
    acp: RelayBody | None = None
    acp_base_url: str | None = spelled("acpBaseUrl", "acp_base_url")
    acp_target_agent_name: str | None = spelled("acpTargetAgentName", "acp_target_agent_name")
    acp_timeout_ms: float | None = spelled("acpTimeoutMs", "acp_timeout_ms")


class InboxParams(Params):
    """Whose messages are wanted."""

    agent_id: Text = None
    session_key: Text = None
    include_sent: Flag = False
    include_broadcast: Flag = True


class MessagesParams(InboxParams):
    """Which messages are wanted."""

    limit: Annotated[int, Whole(1, MOST_MESSAGES)] = 100


class PeerParams(Params):
    """Which sessions at work are wanted."""

    agent_id: Text = None
    session_key: Text = None
    project: Text = None
    include_self: Flag = False
    limit: Annotated[int, Whole(1, MOST_SESSIONS)] = 50


class StreamParams(PeerParams, InboxParams):
    """Which sessions and messages a stream tells of."""

    limit: Annotated[int, Whole(1, MOST_SESSIONS)] = MOST_SESSIONS
