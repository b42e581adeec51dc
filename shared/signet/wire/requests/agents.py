"""Adding an agent."""

from signet.wire.requests.model import Body, spelled


class AgentBody(Body):
    """A new agent; without a policy it is isolated."""

    name: str = ""
    read_policy: str | None = spelled("read_policy", "readPolicy")
    policy_group: str | None = spelled("policy_group", "policyGroup")
