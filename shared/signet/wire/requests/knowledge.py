"""Querying and changing the graph."""

from typing import Any

from pydantic import Field, model_validator

from signet.wire.requests.model import Body, spelled

#: Maximum length of a reason.
MAX_REASON_CHARS = 500
MAX_WEIGHT = 2
#: Maximum length of a name or question.
MAX_NAME_CHARS = 1_000
MAX_QUESTION_CHARS = 8_192


class PinBody(Body):
    """A person's choice for an entity; without a body it is pinned."""

    pin_type: Any = spelled("pin_type", "pinType", default="pin")
    weight_override: Any = spelled("weight_override", "weightOverride")
    reason: str | None = Field(None, max_length=MAX_REASON_CHARS)
    agent_id: str | None = spelled("agentId", "agent_id")

    @model_validator(mode="after")
    def _makes_sense(self) -> "PinBody":
        if self.pin_type not in ("pin", "suppress"):
            raise ValueError("pin_type must be pin or suppress")
        weight = self.weight_override
        is_number = isinstance(weight, int | float) and not isinstance(weight, bool)
        if weight is not None and not (is_number and 0 <= weight <= MAX_WEIGHT):
            raise ValueError("weight_override must be between 0 and 2")
        return self


class ExpandBody(Body):
    """The entity to expand, and the budget."""

    entity: str = Field("", max_length=MAX_NAME_CHARS)
    aspect: str | None = Field(None, max_length=MAX_NAME_CHARS)
    question: str = Field("", max_length=MAX_QUESTION_CHARS)
    max_tokens: int = spelled("maxTokens", "max_tokens", default=2_000)
    agent_id: str | None = spelled("agentId", "agent_id")


class ExpandSessionBody(Body):
    """The entity whose sessions to list, and since when."""

    entity_name: str = spelled("entityName", "entity_name", default="", max_length=MAX_NAME_CHARS)
    session_id: str | None = spelled("sessionId", "session_id")
    time_range: str | None = spelled("timeRange", "time_range")
    max_results: int = spelled("maxResults", "max_results", default=10)
    agent_id: str | None = spelled("agentId", "agent_id")


class ImpactBody(Body):
    """The changed entity, and the direction to follow."""

    entity_id: str = spelled("entityId", "entity_id", default="")
    direction: str = "downstream"
    max_depth: int = spelled("maxDepth", "max_depth", default=3)
    agent_id: str | None = spelled("agentId", "agent_id")
