"""Recomputing and resetting learned ranking, and replaying past sessions."""

from pydantic import Field, JsonValue, StrictInt

from signet.wire.requests.model import NAME_CHARS, Body, spelled

#: Maximum settings per request.
MOST_SETTINGS = 20


class TrainBody(Body):
    """The owner of the labels; `limit` and `epochs` are validated but have no effect: every label is read."""

    agent_id: str | None = spelled("agent_id", "agentId", max_length=NAME_CHARS)
    limit: StrictInt = Field(5_000, ge=1, le=50_000)
    epochs: StrictInt = Field(3, ge=1, le=100)


class RollBackBody(Body):
    """The owner of the order; `version` is refused, because there are no earlier models."""

    agent_id: str | None = spelled("agent_id", "agentId", max_length=NAME_CHARS)
    version: StrictInt | None = None


class ReplayBody(Body):
    """One past session; `settings` are values by dotted key for a second replay."""

    session_key: str = spelled("sessionKey", "session_key", default=..., min_length=1)
    settings: dict[str, JsonValue] | None = Field(None, min_length=1, max_length=MOST_SETTINGS)
    agent_id: str | None = spelled("agentId", "agent_id")
