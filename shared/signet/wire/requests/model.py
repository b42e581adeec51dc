"""The base of all request models, and kinds of fields that need a word."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    Strict,
    StringConstraints,
    model_validator,
)

from signet import clock

#: Whole numbers up to here are the same in every JSON reader, and SQLite can store them.
SAFE_INTEGER = 2**53 - 1


#: What names something is no longer than this, what points at something (a path, an address, a key) than that; both
#: are stored with each memory and sent with each answer.
NAME_CHARS, KEY_CHARS = 256, 4_096


class Body(BaseModel):
    """A JSON object sent by a client; a field that is null counts as left out."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, sent: object) -> object:
        if not isinstance(sent, Mapping):
            return sent
        return {name: value for name, value in sent.items() if value is not None}


def spelled(*names: str, default: Any = None, **limits: Any) -> Any:
    """Return a field that is accepted under each of the names; the first is the documented one."""
    return Field(
        default, validation_alias=AliasChoices(*names), serialization_alias=names[0], **limits
    )


def _instant(sent: object) -> object:
    try:
        return clock.parse(sent) if isinstance(sent, str) else sent
    except ValueError as error:
        raise ValueError("not an ISO timestamp") from error


#: The name of a kind of memory, and of whoever wrote it.
TypeName = Annotated[str, StringConstraints(strip_whitespace=True, max_length=64)]
Author = Annotated[str, StringConstraints(strip_whitespace=True, max_length=NAME_CHARS)]


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("an id must not be blank")
    return text.strip()


#: The id of a row, without blanks around it.
Id = Annotated[str, AfterValidator(_not_blank)]

#: An ISO-8601 time as text; one without zone is UTC.
Instant = Annotated[datetime, Strict(), BeforeValidator(_instant)]
