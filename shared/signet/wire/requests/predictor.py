"""Learning anew, and taking back what was learned."""

from pydantic import Field, StrictInt

from signet.wire.requests.model import NAME_CHARS, Body, spelled


class TrainBody(Body):
    """Whose labels; `limit` and `epochs` are those of a fitted model, checked and of no effect: every label is read."""

    agent_id: str | None = spelled("agent_id", "agentId", max_length=NAME_CHARS)
    limit: StrictInt = Field(5_000, ge=1, le=50_000)
    epochs: StrictInt = Field(3, ge=1, le=100)


class RollBackBody(Body):
    """Whose order; `version` would be an earlier model, of which there are none."""

    agent_id: str | None = spelled("agent_id", "agentId", max_length=NAME_CHARS)
    version: StrictInt | None = None
