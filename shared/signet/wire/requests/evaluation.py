"""Asking what past sessions would be given now."""

from pydantic import Field, JsonValue

from signet.wire.requests.model import Body, spelled

#: Settings that one request may change.
MOST_SETTINGS = 20


class ReplayBody(Body):
    """One past session; `settings` are values by dotted key, for a second replay beside that with those in force."""

    session_key: str = spelled("sessionKey", "session_key", default=..., min_length=1)
    settings: dict[str, JsonValue] | None = Field(None, min_length=1, max_length=MOST_SETTINGS)
    agent_id: str | None = spelled("agentId", "agent_id")
