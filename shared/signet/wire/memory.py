"""Saving a memory (spec/memory.md §4)."""

from pydantic import Field

from signet.wire.model import Body, Instant, spelled
from signet.wire.tags import Tags

#: Whole numbers up to here are the same in every JSON reader, and SQLite can store them.
SAFE_INTEGER = 2**53 - 1


class RememberBody(Body):
    """One text to remember; only `content` is needed."""

    content: str = ""
    type: str | None = Field(None, max_length=64)
    who: str | None = Field(None, max_length=256)
    project: str | None = None
    importance: float | None = Field(None, ge=0, le=1)
    tags: Tags | None = None
    pinned: bool = False
    source_type: str | None = spelled("sourceType", "source_type")
    source_id: str | None = spelled("sourceId", "source_id")
    #: Place in its source, for example the turn in a conversation.
    ordinal: int | None = Field(None, ge=-SAFE_INTEGER, le=SAFE_INTEGER)
    created_at: Instant | None = spelled("createdAt", "created_at")
    event_at: Instant | None = spelled("eventAt", "event_at")
    agent_id: str | None = spelled("agentId", "agent_id")
    session_key: str | None = spelled("sessionKey", "session_key")
    visibility: str | None = None
    scope: str | None = None
    hints: list[str] | None = Field(None, max_length=100)
    transcript: str | None = None
    harness: str | None = None
    idempotency_key: str | None = spelled("idempotencyKey", "idempotency_key")
