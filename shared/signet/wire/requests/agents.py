"""Naming an agent, and what agents say to each other (spec/harnesses.md §8, spec/hooks.md §10)."""

from signet.wire.requests.model import Body, spelled


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
