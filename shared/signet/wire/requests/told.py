"""What a client says itself of the things that a memory names (`entities` and `aspects` of a save)."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from signet.wire.requests.model import Body, Id, spelled

#: As many as one model answer may name; more are a document.
MAX_TOLD = 100

Share = Annotated[float, Field(ge=0, le=1)]


def _named(sent: object) -> object:
    return {"name": sent} if isinstance(sent, str) else sent


def _stated(sent: object) -> object:
    return {"content": sent} if isinstance(sent, str) else sent


class EntityBody(Body):
    """A named thing, alone or as it relates to another; a mere name may be sent as a text."""

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
    """One thing that holds; it may be sent as a text."""

    content: str = spelled("content", "value", default=..., min_length=1)
    kind: Literal["attribute", "constraint"] = "attribute"
    confidence: Share | None = None
    importance: Share | None = None


class AspectBody(Body):
    """What holds of a named thing under one aspect: one `content`, or several `attributes`."""

    entity: str = spelled("entity", "entityName", "entity_name", default=..., min_length=1)
    aspect: str = Field(min_length=1, max_length=60)
    attributes: list[Annotated[AttributeBody, BeforeValidator(_stated)]] = Field(
        min_length=1, max_length=MAX_TOLD
    )

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
    list[Annotated[EntityBody, BeforeValidator(_named)]], Field(max_length=MAX_TOLD)
]
Aspects = Annotated[list[AspectBody], Field(max_length=MAX_TOLD)]


def _listed(sent: object) -> object:
    return [sent] if isinstance(sent, str) else sent


#: One id, or a list of ids.
Ids = Annotated[
    list[Id],
    Field(max_length=MAX_TOLD),
    BeforeValidator(_listed, json_schema_input_type=str | list[str]),
]
