"""The base of all request models, and fields with two spellings."""

from typing import Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field


class Body(BaseModel):
    """A JSON object sent by a client."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True, str_strip_whitespace=False)


def spelled(*names: str, default: Any = None, **limits: Any) -> Any:
    """Return a field that is accepted under each of the names; the first is the documented one."""
    return Field(
        default, validation_alias=AliasChoices(*names), serialization_alias=names[0], **limits
    )
