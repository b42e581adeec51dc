"""The base of all request models, and kinds of fields that need a word."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    model_validator,
)

#: Whole numbers up to here are the same in every JSON reader, and SQLite can store them.
SAFE_INTEGER = 2**53 - 1


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


def _in_utc(instant: datetime) -> datetime:
    if instant.tzinfo is None:
        return instant.replace(tzinfo=UTC)
    try:
        return instant.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("outside the years 1 to 9999") from error


#: An ISO-8601 time; one without zone is UTC.
Instant = Annotated[datetime, AfterValidator(_in_utc)]
