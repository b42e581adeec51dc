"""Asking for memories (spec/recall.md §1)."""

from collections.abc import Mapping

from pydantic import Field, model_validator

from signet.wire.requests.model import Body, Instant, spelled
from signet.wire.requests.tags import Tags


class RecallBody(Body):
    """One question; only `query` is needed. A field that is null or an empty text counts as left out."""

    query: str = ""
    keyword_query: str | None = spelled("keywordQuery", "keyword_query")
    limit: int = 10
    type: str | None = None
    tags: Tags = ()
    who: str | None = None
    pinned: bool | None = None
    importance_min: float | None = spelled("importance_min", "importanceMin")
    min_score: float | None = spelled("min_score", "minScore")
    floor: float | None = Field(
        None, ge=0, le=1, description="relevance a result must have; 0 asks for all"
    )
    since: str | None = None
    until: str | None = None
    as_of: Instant | None = spelled(
        "as_of", "asOf", description="answer as the store would have then"
    )
    now: Instant | None = spelled(
        "now", "asked_at", "askedAt", description="what `yesterday` is measured from"
    )
    timezone: str | None = Field(None, max_length=64, description="IANA name: where days begin")
    project: str | None = None
    scope: str | None = None
    agent_id: str | None = spelled("agentId", "agent_id")
    session_key: str | None = spelled("sessionKey", "session_key")
    community: bool = Field(False, description="keep to the communities of what it names")
    expand: bool = False
    entities: bool = False
    cards: bool = False
    explain: bool = Field(False, description="say for each result why it is where it is")

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, sent: object) -> object:
        if not isinstance(sent, Mapping):
            return sent
        return {name: value for name, value in sent.items() if value not in (None, "")}
