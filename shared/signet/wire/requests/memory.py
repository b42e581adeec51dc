"""Saving a memory."""

from collections.abc import Mapping

from pydantic import Field, model_validator

from signet.wire.origin import Origin
from signet.wire.requests.model import (
    KEY_CHARS,
    NAME_CHARS,
    SAFE_INTEGER,
    Author,
    Body,
    Instant,
    TypeName,
    spelled,
)
from signet.wire.requests.tags import Tags
from signet.wire.requests.told import Aspects, Entities, Ids

#: A longer text is a document. This much is saved in two thousand pieces by one transaction of a second or two, for
#: which every other writer waits.
MAX_CONTENT_CHARS = 1_048_576

#: Parts of a save that clients also send inside an object `structured`.
_STRUCTURED = ("entities", "aspects", "hints")


class RememberBody(Body):
    """One text to remember; only `content` is needed."""

    content: str = ""
    type: TypeName | None = None
    who: Author | None = None
    origin: Origin | None = Field(
        None, description="whose words these are; a claim beyond the caller's right is lowered"
    )
    project: str | None = Field(None, max_length=KEY_CHARS)
    importance: float | None = Field(None, ge=0, le=1)
    tags: Tags | None = None
    pinned: bool = False
    source_type: str | None = spelled("sourceType", "source_type", max_length=NAME_CHARS)
    source_id: str | None = spelled("sourceId", "source_id", max_length=KEY_CHARS)
    #: Place in its source, for example the turn in a conversation.
    ordinal: int | None = Field(None, ge=-SAFE_INTEGER, le=SAFE_INTEGER)
    created_at: Instant | None = spelled("createdAt", "created_at")
    event_at: Instant | None = spelled("eventAt", "event_at")
    agent_id: str | None = spelled("agentId", "agent_id", max_length=NAME_CHARS)
    session_key: str | None = spelled("sessionKey", "session_key", max_length=KEY_CHARS)
    visibility: str | None = None
    scope: str | None = Field(None, max_length=NAME_CHARS)
    hints: list[str] | None = Field(None, max_length=100)
    entities: Entities = Field(
        default_factory=list, description="entities, or relations between two of them"
    )
    aspects: Aspects = Field(default_factory=list, description="facts about an entity")
    transcript: str | None = None
    harness: str | None = Field(None, max_length=NAME_CHARS)
    idempotency_key: str | None = spelled("idempotencyKey", "idempotency_key", max_length=KEY_CHARS)
    supersedes: Ids = Field(
        default_factory=list, description="ids of memories that this one replaces"
    )
    changed_by: str | None = spelled("changed_by", "changedBy", max_length=256)

    @model_validator(mode="before")
    @classmethod
    def _flat(cls, sent: object) -> object:
        """Take what is inside `structured` for what it is outside; the outer one wins."""
        if not isinstance(sent, Mapping) or sent.get("structured") is None:
            return sent
        inner = sent["structured"]
        if not isinstance(inner, Mapping):
            raise ValueError("structured is not an object")
        return {name: inner[name] for name in _STRUCTURED if name in inner} | {
            name: value for name, value in sent.items() if value is not None
        }
