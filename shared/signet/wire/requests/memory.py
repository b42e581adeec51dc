"""Saving a memory with a client's entities, and importing records."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from signet.text.spelling import unknown_field
from signet.wire.origin import Origin
from signet.wire.requests.model import (
    KEY_CHARS,
    NAME_CHARS,
    SAFE_INTEGER,
    Author,
    Body,
    Id,
    Instant,
    Readers,
    Tags,
    TypeName,
    spelled,
)

#: Maximum number of entities in one save.
MAX_TOLD = 100

Share = Annotated[float, Field(ge=0, le=1)]


def _named(sent: object) -> object:
    return {"name": sent} if isinstance(sent, str) else sent


def _stated(sent: object) -> object:
    return {"content": sent} if isinstance(sent, str) else sent


class EntityBody(Body):
    """A named entity, alone or with a relation to another; a name may be sent as text."""

    name: str | None = None
    type: str | None = Field(None, max_length=64)
    source: str | None = None
    source_type: str | None = spelled("sourceType", "source_type", max_length=64)
    relationship: str | None = None
    target: str | None = None
    target_type: str | None = spelled("targetType", "target_type", max_length=64)
    confidence: Share | None = None

    @model_validator(mode="after")
    def _whole(self) -> "EntityBody":
        ends = (self.source, self.relationship, self.target)
        if not self.name and not all(ends):
            raise ValueError("neither a name nor source, relationship and target")
        return self


class AttributeBody(Body):
    """One attribute; may be sent as text."""

    content: str = spelled("content", "value", default=..., min_length=1)
    kind: Literal["attribute", "constraint"] = "attribute"
    confidence: Share | None = None
    importance: Share | None = None


class AspectBody(Body):
    """An entity's attributes under one aspect: one `content`, or several `attributes`."""

    entity: str = spelled("entity", "entityName", "entity_name", default=..., min_length=1)
    aspect: str = Field(min_length=1, max_length=60)
    attributes: list[
        Annotated[
            AttributeBody, BeforeValidator(_stated, json_schema_input_type=str | AttributeBody)
        ]
    ] = Field(min_length=1, max_length=MAX_TOLD)

    @model_validator(mode="before")
    @classmethod
    def _one_is_a_list(cls, sent: object) -> object:
        if (
            isinstance(sent, Mapping)
            and "attributes" not in sent
            and {"content", "value"} & set(sent)
        ):
            return {**sent, "attributes": [sent]}
        return sent


Entities = Annotated[
    list[Annotated[EntityBody, BeforeValidator(_named, json_schema_input_type=str | EntityBody)]],
    Field(max_length=MAX_TOLD),
]
Aspects = Annotated[list[AspectBody], Field(max_length=MAX_TOLD)]


def _listed(sent: object) -> object:
    return [sent] if isinstance(sent, str) else sent


#: One ID, or a list of IDs.
Ids = Annotated[
    list[Id],
    Field(max_length=MAX_TOLD),
    BeforeValidator(_listed, json_schema_input_type=str | list[str]),
]


#: Maximum length of a text; longer ones are documents. Saving this much takes one transaction of a second or two, in
#: two thousand pieces, during which other writers wait.
MAX_CONTENT_CHARS = 1_048_576

#: Parts of a save that some clients send inside an object `structured`.
_STRUCTURED = ("entities", "aspects", "hints")


class RememberBody(Body):
    """One text to save; only `content` is required."""

    content: str = ""
    type: TypeName | None = None
    who: Author | None = None
    origin: Origin | None = None
    project: str | None = Field(None, max_length=KEY_CHARS)
    importance: float | None = Field(None, ge=0, le=1)
    tags: Tags | None = None
    pinned: bool = False
    source_type: str | None = spelled("sourceType", "source_type", max_length=NAME_CHARS)
    source_id: str | None = spelled("sourceId", "source_id", max_length=KEY_CHARS)
    ordinal: int | None = Field(None, ge=-SAFE_INTEGER, le=SAFE_INTEGER)
    created_at: Instant | None = spelled("createdAt", "created_at")
    event_at: Instant | None = spelled("eventAt", "event_at")
    agent_id: str | None = spelled("agentId", "agent_id", max_length=NAME_CHARS)
    session_key: str | None = spelled("sessionKey", "session_key", max_length=KEY_CHARS)
    visibility: Readers = None
    scope: str | None = Field(None, max_length=NAME_CHARS)
    hints: list[str] | None = Field(None, max_length=100)
    entities: Entities = Field(default_factory=list)
    aspects: Aspects = Field(default_factory=list)
    transcript: str | None = None
    harness: str | None = Field(None, max_length=NAME_CHARS)
    idempotency_key: str | None = spelled("idempotencyKey", "idempotency_key", max_length=KEY_CHARS)
    supersedes: Ids = Field(default_factory=list)
    changed_by: str | None = spelled("changed_by", "changedBy", max_length=256)

    @model_validator(mode="before")
    @classmethod
    def _flat(cls, sent: object) -> object:
        """Merge `structured` into the body; outer fields take precedence."""
        if not isinstance(sent, Mapping) or sent.get("structured") is None:
            return sent
        inner = sent["structured"]
        if not isinstance(inner, Mapping):
            raise ValueError("structured is not an object")
        if error := unknown_field(inner, _STRUCTURED):
            raise ValueError(error)
        return {name: inner[name] for name in _STRUCTURED if name in inner} | {
            name: value for name, value in sent.items() if value is not None
        }


#: Maximum records per request.
MAX_RECORDS = 1_000


class ImportBody(Body):
    """Records of an import, in file order."""

    records: list[dict[str, object]] = Field(max_length=MAX_RECORDS)
    vectors: bool = False
    preview: str | None = None
    last: bool = False


class TextBody(RememberBody):
    """A record of kind `text`."""

    source_path: str | None = spelled("source_path", "sourcePath")
    source_section: str | None = spelled("source_section", "sourceSection")
