"""The bases of all request models, and kinds of fields that need a word."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    Strict,
    StringConstraints,
    model_validator,
)
from pydantic_core import PydanticCustomError, PydanticUseDefault, core_schema

from signet import clock
from signet.text.surrogates import encodable

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

    @model_validator(mode="before")
    @classmethod
    def _storable(cls, sent: object) -> object:
        try:
            return storable(sent)
        except RecursionError as error:
            raise _NO_JSON from error


class Params(Body):
    """The parameters of an address; an empty one counts as left out."""

    @model_validator(mode="before")
    @classmethod
    def _without_blanks(cls, sent: object) -> object:
        if not isinstance(sent, Mapping):
            return sent
        return {name: value for name, value in sent.items() if value not in ("", [""])}


#: Answered as text that is no JSON at all.
_NO_JSON = PydanticCustomError("json_invalid", "Invalid JSON body")


def storable(sent: object) -> object:
    """Return a JSON value as it can be stored and sent again.

    Half of a surrogate pair becomes U+FFFD: UTF-8 and SQLite have none. Raises PydanticCustomError for the numbers NaN
    and infinity, which Python reads though no standard has them, and RecursionError for what is nested too deep.
    """
    if isinstance(sent, str):
        return sent if sent.isascii() else encodable(sent)
    if isinstance(sent, float) and not math.isfinite(sent):
        raise _NO_JSON
    if isinstance(sent, dict):
        return {storable(name): storable(value) for name, value in sent.items()}
    if isinstance(sent, list):
        return [storable(value) for value in sent]
    return sent


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


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number within bounds, in `Annotated`: one outside is the bound, and what is no number is the default."""

    low: int
    high: int

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        """Return the schema; OpenAPI names the bounds."""
        bounded = core_schema.int_schema(ge=self.low, le=self.high)
        return core_schema.no_info_before_validator_function(self._read, bounded)

    def _read(self, sent: object) -> int:
        try:
            return min(self.high, max(self.low, int(str(sent))))
        except ValueError:
            raise PydanticUseDefault from None


def _by_commas(sent: object) -> object:
    """Return a comma list in an address, which FastAPI gives as a list of all that have the name."""
    return ",".join(map(str, sent)) if isinstance(sent, list | tuple) else sent


#: For `Annotated`: a list in an address, where commas part it.
BY_COMMAS = BeforeValidator(_by_commas, json_schema_input_type=str)

#: Yes or no in an address: `true` and `1` are yes, whatever else is said is no.
Flag = Annotated[bool, BeforeValidator(lambda sent: str(sent).lower() in ("true", "1"))]

#: A text in an address; an empty one counts as left out.
Text = Annotated[str | None, BeforeValidator(lambda sent: sent or None)]


#: Each tag of a question is a condition of its own, and SQLite takes a thousand at most.
MAX_TAGS = 100


def _split(sent: object) -> object:
    if isinstance(sent, str):
        return sent.split(",")
    if isinstance(sent, list | tuple):
        return sent
    raise ValueError("neither a string nor a list of strings")


def _bounded(tags: tuple[str, ...]) -> tuple[str, ...]:
    found = tuple(tag for raw in tags if (tag := raw.strip().lower()))
    if len(found) > MAX_TAGS:
        raise ValueError(f"more than {MAX_TAGS} tags")
    return found


#: What was meant, in lower case and without empty ones.
Tags = Annotated[
    tuple[str, ...],
    AfterValidator(_bounded),
    BeforeValidator(_split, json_schema_input_type=str | list[str]),
]
