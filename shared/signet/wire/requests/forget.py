"""Forgetting many memories: which, and whether only to look."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, StrictBool, model_validator

from signet.wire.requests.changes import MAX_ITEMS, MAX_REASON_CHARS, Asked
from signet.wire.requests.model import SAFE_INTEGER, Id, spelled
from signet.wire.requests.tags import Tags


class ForgetBody(Asked):
    """A choice of memories by ids, words and filters, which all must hold; `preview` writes nothing."""

    mode: Literal["preview", "execute"] = "preview"
    ids: list[Id] | None = Field(None, min_length=1, max_length=MAX_ITEMS)
    query: str = ""
    type: str | None = None
    # A factory, so that the description names no default: generated clients send a list's as the text "[]".
    tags: Tags = Field(default_factory=tuple)
    who: str | None = None
    project: str | None = None
    pinned: bool | None = None
    source_type: str | None = spelled("source_type", "sourceType")
    since: str | None = None
    until: str | None = None
    scope: str | None = None
    limit: int | None = Field(None, ge=1)
    offset: int = Field(0, ge=0, le=SAFE_INTEGER)
    reason: str = Field("", max_length=MAX_REASON_CHARS)
    force: StrictBool = False
    wrong: StrictBool = False
    confirm_token: str | None = spelled("confirm_token", "confirmToken")

    @model_validator(mode="before")
    @classmethod
    def _of_no_version(cls, sent: object) -> object:
        if isinstance(sent, Mapping) and (sent.keys() & {"if_version", "ifVersion"}):
            raise ValueError("if_version is for one memory: use DELETE /api/memory/{id}")
        return sent
