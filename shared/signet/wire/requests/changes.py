"""Changing, forgetting, recovering and rating memories."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, StrictBool, model_validator
from pydantic_core import PydanticCustomError

from signet.wire.requests.memory import MAX_CONTENT_CHARS
from signet.wire.requests.model import (
    KEY_CHARS,
    NAME_CHARS,
    SAFE_INTEGER,
    Author,
    Body,
    Id,
    Tags,
    TypeName,
    spelled,
)

#: Maximum memories per batch.
MAX_ITEMS = 200
#: Maximum length of a request to forget by words.
MAX_REQUEST_CHARS = 4_096
#: Maximum length of a reason.
MAX_REASON_CHARS = 4_096


def _said(reason: str) -> str:
    if not reason.strip():
        raise PydanticCustomError("missing", "Field required")
    return reason.strip()


def _no_bool(sent: object) -> object:
    if isinstance(sent, bool):
        raise ValueError("not a positive whole number")
    return sent


Reason = Annotated[str, Field(max_length=MAX_REASON_CHARS), AfterValidator(_said)]
Version = Annotated[int, Field(ge=1, le=SAFE_INTEGER), BeforeValidator(_no_bool)]

#: Fields that a patch may change.
PATCHABLE = ("content", "type", "tags", "importance", "pinned", "who", "project")


class ChangeBody(Body):
    """The author of a change."""

    agent_id: str | None = spelled("agentId", "agent_id")
    session_key: str | None = spelled("sessionKey", "session_key")
    changed_by: str | None = spelled("changed_by", "changedBy", max_length=256)


class PatchBody(ChangeBody):
    """New values for one memory: at least one; tags null clear them.

    `project` is a folder of the repository that it belongs to, empty for every project. Facts read from it follow.
    """

    reason: Reason
    if_version: Version | None = spelled("if_version", "ifVersion")
    content: str | None = Field(None, max_length=MAX_CONTENT_CHARS)
    type: TypeName | None = Field(None, min_length=1)
    tags: Tags | None = None
    importance: float | None = Field(None, ge=0, le=1)
    pinned: bool | None = None
    who: Author | None = Field(None, min_length=1)
    project: str | None = Field(None, max_length=KEY_CHARS)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, sent: object) -> object:
        if not isinstance(sent, Mapping):
            return sent
        given = {name: value for name, value in sent.items() if value is not None}
        return given | {"tags": ()} if "tags" in sent and sent["tags"] is None else given

    @model_validator(mode="after")
    def _changes_something(self) -> "PatchBody":
        if not self.model_fields_set & set(PATCHABLE):
            raise ValueError(f"at least one of {', '.join(PATCHABLE)} is required")
        return self


class PatchItem(PatchBody):
    """One patch of a batch."""

    id: str = spelled("id", "memoryId", default=..., min_length=1)


class ModifyBody(ChangeBody):
    """Several independent patches. `reason` is the default for those without one."""

    patches: list[Any] = Field(min_length=1, max_length=MAX_ITEMS)
    reason: str | None = Field(None, max_length=MAX_REASON_CHARS)


class ForgetOneBody(ChangeBody):
    """Why a memory is forgotten; the query string may contain every field instead."""

    reason: str = Field("", max_length=MAX_REASON_CHARS)
    force: bool = False
    wrong: bool = False
    erase: bool = False
    if_version: Version | None = spelled("if_version", "ifVersion")


class RecoverManyBody(ChangeBody):
    """Memories to recover, and why."""

    ids: list[Id] = Field(min_length=1, max_length=MAX_ITEMS)
    reason: Reason


class RecoverBody(ChangeBody):
    """Why a memory is recovered; the query string may contain every field instead."""

    reason: str = Field("", max_length=MAX_REASON_CHARS)
    if_version: Version | None = spelled("if_version", "ifVersion")


class DecisionBody(Body):
    """The owner of a reviewed memory."""

    agent_id: str | None = spelled("agent_id", "agentId", max_length=NAME_CHARS)


class VerdictBody(DecisionBody):
    """A person's verdict on a memory."""

    verdict: Literal["keep", "fade", "wrong", "none"]


class ForgetBody(ChangeBody):
    """A selection of memories by IDs, words and filters, combined with AND; `preview` writes nothing.

    `all` selects every match; `limit` is then the number that a preview shows.
    """

    mode: Literal["preview", "execute"] = "preview"
    ids: list[Id] | None = Field(None, min_length=1, max_length=MAX_ITEMS)
    query: str = Field("", max_length=MAX_REQUEST_CHARS)
    type: str | None = None
    # A factory, so that OpenAPI has no default: generated clients send a list's default as the text "[]".
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
    all: StrictBool = False
    reason: str = Field("", max_length=MAX_REASON_CHARS)
    force: StrictBool = False
    wrong: StrictBool = False
    undo: StrictBool = False
    confirm_token: str | None = spelled("confirm_token", "confirmToken")

    @model_validator(mode="before")
    @classmethod
    def _of_no_version(cls, sent: object) -> object:
        if isinstance(sent, Mapping) and (sent.keys() & {"if_version", "ifVersion"}):
            raise ValueError("if_version is for one memory: use DELETE /api/memory/{id}")
        return sent


class PathBody(Body):
    """How a memory was found."""

    aspect_ids: Sequence[str] = spelled("aspect_ids", "aspectIds", default=())
    dependency_ids: Sequence[str] = spelled("dependency_ids", "dependencyIds", default=())


class RewardBody(Body):
    """How a memory was used afterwards, as counts or shares."""

    forward_citation: float = spelled("forward_citation", "forwardCitation", default=0.0)
    update_after_retrieval: float = spelled(
        "update_after_retrieval", "updateAfterRetrieval", default=0.0
    )
    downstream_creation: float = spelled("downstream_creation", "downstreamCreation", default=0.0)
    dead_end: float = spelled("dead_end", "deadEnd", default=0.0)


class FeedbackBody(Body):
    """Ratings of several memories (`sessionKey`, `feedback`), or of one (`session_id`, `memory_id`)."""

    session_key: str | None = spelled("sessionKey", "session_key")
    feedback: object = None
    paths: Mapping[str, PathBody] = Field(default_factory=dict)
    rewards: Mapping[str, RewardBody] = Field(default_factory=dict)
    session_id: str | None = spelled("session_id", "sessionId")
    memory_id: str | None = spelled("memory_id", "memoryId")
    feedback_type: str | None = spelled("feedback_type", "feedbackType")
    correction_text: str | None = spelled("correction_text", "correctionText")
    agent_id: str | None = spelled("agentId", "agent_id")
