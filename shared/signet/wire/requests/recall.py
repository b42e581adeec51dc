"""Recall requests."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, model_validator

from signet.wire.requests.browse import ListedTags
from signet.wire.requests.model import Body, ClampedInt, Instant, Tags, spelled


class RecallBody(Body):
    """One question; only `query` is required. Null and empty fields count as missing."""

    query: str = ""
    keyword_query: str | None = spelled("keywordQuery", "keyword_query")
    limit: int = 10
    type: str | None = None
    # A factory, so that OpenAPI has no default: generated clients send a list's default as the text "[]".
    tags: Tags = Field(default_factory=tuple)
    who: str | None = None
    pinned: bool | None = None
    importance_min: float | None = spelled("importance_min", "importanceMin")
    min_score: float | None = spelled("min_score", "minScore")
    floor: float | None = Field(None, ge=0, le=1)
    since: str | None = None
    until: str | None = None
    as_of: Instant | None = spelled("as_of", "asOf")
    now: Instant | None = spelled("now", "asked_at", "askedAt")
    timezone: str | None = Field(None, max_length=64)
    project: str | None = None
    scope: str | None = None
    agent_id: str | None = spelled("agentId", "agent_id")
    session_key: str | None = spelled("sessionKey", "session_key")
    community: bool = False
    expand: bool = False
    entities: bool = False
    cards: bool = False
    explain: bool = False
    touch: bool = True
    highlights: bool = False
    why_not: str | None = spelled("why_not", "whyNot")
    as_prompt: bool = spelled("as_prompt", "asPrompt", default=False)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, sent: object) -> object:
        if not isinstance(sent, Mapping):
            return sent
        return {name: value for name, value in sent.items() if value not in (None, "")}


class RecallParams(RecallBody):
    """The question in a query string, with the body's field names, but `q` for `query`."""

    query: str = spelled("q", default="")
    limit: Annotated[int, ClampedInt(1, 100)] = 10
    tags: ListedTags = ()
