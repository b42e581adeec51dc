"""Bases of all request models, and special field types."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache, lru_cache
from typing import Annotated, Any, Literal

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
from signet.text import json_text
from signet.text.controls import encodable
from signet.text.spelling import MAX_CHARS, MAX_NAMES, unknown_field

#: Largest integer that every JSON reader handles exactly and SQLite can store.
SAFE_INTEGER = 2**53 - 1


#: Maximum length of names, and of references (paths, addresses, keys); both are stored with each memory and sent with
#: each answer.
NAME_CHARS, KEY_CHARS = 256, 4_096


class Body(BaseModel):
    """A JSON object from a client; null fields count as missing."""

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
        """Refuse a misspelled field: ignoring `visiblity` would store a private text for everyone."""
        if isinstance(sent, dict) and (unknown := sent.keys() - spellings(cls).keys()):
            is_short = max(map(len, unknown)) <= MAX_CHARS and len(unknown) <= MAX_NAMES
            if not is_short or _has_misspelled(cls, frozenset(unknown)):
                said = [name for name in sorted(unknown) if sent[name] is not None]
                if error := unknown_field(said, [*spellings(cls)]):
                    raise ValueError(error)
        try:
            return storable(sent)
        except RecursionError as error:
            raise _NO_JSON from error


@cache
def spellings(model: type[BaseModel]) -> dict[str, None]:
    """Return the names under which a model's fields are sent, the documented one of each first."""
    found: list[str] = []
    for name, field in model.model_fields.items():
        alias = field.validation_alias
        choices = alias.choices if isinstance(alias, AliasChoices) else [alias or name]
        found += (one for one in choices if isinstance(one, str))
    return dict.fromkeys(found)


@lru_cache(1_024)
def _has_misspelled(model: type[BaseModel], names: frozenset[str]) -> bool:
    return unknown_field(names, [*spellings(model)]) is not None


class Params(Body):
    """Query parameters; empty ones count as missing."""

    @model_validator(mode="before")
    @classmethod
    def _without_blanks(cls, sent: object) -> object:
        if not isinstance(sent, Mapping):
            return sent
        return {name: value for name, value in sent.items() if value not in ("", [""])}


#: The error for text that is not JSON.
_NO_JSON = PydanticCustomError("json_invalid", "Invalid JSON body")


def storable(sent: object) -> object:
    """Return a JSON value that can be stored and sent again.

    A lone surrogate becomes U+FFFD, because UTF-8 and SQLite have none. Raises PydanticCustomError for NaN and
    infinity, which Python accepts against the standard, and RecursionError for deep nesting.
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
    """Return a field that is accepted under each of the names; the first is documented."""
    return Field(
        default, validation_alias=AliasChoices(*names), serialization_alias=names[0], **limits
    )


def _instant(sent: object) -> object:
    try:
        return sent if isinstance(sent, datetime) else clock.given(sent)
    except (ValueError, OSError) as error:
        raise ValueError("not an ISO timestamp") from error


#: A memory's type or author.
TypeName = Annotated[str, StringConstraints(strip_whitespace=True, max_length=64)]
Author = Annotated[str, StringConstraints(strip_whitespace=True, max_length=NAME_CHARS)]


def _plain(sent: object) -> object:
    return sent.strip().lower() or None if isinstance(sent, str) else sent


#: Who may read a saved memory; default: as its owner usually saves.
Readers = Annotated[Literal["global", "private"] | None, BeforeValidator(_plain)]


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("an id must not be blank")
    return text.strip()


#: The ID of a row, stripped.
Id = Annotated[str, AfterValidator(_not_blank)]

#: An ISO-8601 time, local where it names no zone, or seconds or milliseconds since 1970.
Instant = Annotated[
    datetime, Strict(), BeforeValidator(_instant, json_schema_input_type=str | float)
]


@dataclass(frozen=True, slots=True)
class ClampedInt:
    """An integer within bounds, for `Annotated`: values outside are clamped, and an empty text means the default."""

    low: int
    high: int

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        """Return the schema; OpenAPI shows the bounds."""
        bounded = core_schema.int_schema(ge=self.low, le=self.high)
        return core_schema.no_info_before_validator_function(self._read, bounded)

    def _read(self, sent: object) -> int:
        try:
            number = float(str(_given(sent)))
            if number % 1 > 0 or number != number:
                raise ValueError
            return int(min(self.high, max(self.low, number)))
        except ValueError as error:
            raise ValueError("not a whole number") from error


def _by_commas(sent: object) -> object:
    """Split comma-separated values of a query parameter, which FastAPI passes as a list."""
    return ",".join(map(str, sent)) if isinstance(sent, list | tuple) else sent


#: For `Annotated`: a comma-separated list in a query string.
BY_COMMAS = BeforeValidator(_by_commas, json_schema_input_type=str)


def _given(sent: object) -> object:
    if sent == "":
        raise PydanticUseDefault
    return sent


#: For `Annotated`: an empty query parameter counts as missing.
GIVEN = BeforeValidator(_given)
#: A boolean query parameter, and a text.
Flag = Annotated[bool, GIVEN]
Text = Annotated[str | None, GIVEN]


#: Maximum tags; each is an SQL condition, and SQLite accepts at most a thousand.
MAX_TAGS = 100


#: A list as Python writes it, or without any quotes.
_LISTED = re.compile(r"\s*\[(.*)\]\s*", re.DOTALL)


def _split(sent: object) -> object:
    if isinstance(sent, str):
        listed = json_text.value(sent) if sent.lstrip().startswith(("[", '"')) else None
        if listed is None and (inside := _LISTED.fullmatch(sent)):
            return [one.strip().strip("\"'") for one in inside[1].split(",")]
        return _split(listed) if isinstance(listed, str | list) else sent.split(",")
    if isinstance(sent, list | tuple):
        texts = [str(one) if isinstance(one, int | float) else one for one in sent]
        return [
            part for one in texts for part in (one.split(",") if isinstance(one, str) else [one])
        ]
    raise ValueError("neither a string nor a list of strings")


def _bounded(tags: tuple[str, ...]) -> tuple[str, ...]:
    found = tuple(tag for raw in tags if (tag := raw.strip().lower()))
    if len(found) > MAX_TAGS:
        raise ValueError(f"more than {MAX_TAGS} tags")
    return found


#: Tags as a list, as the JSON of one, or parted by commas; in lower case, without empty ones.
Tags = Annotated[
    tuple[str, ...],
    AfterValidator(_bounded),
    BeforeValidator(_split, json_schema_input_type=str | list[str]),
]
