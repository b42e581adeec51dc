"""Spaces and shares, and the audit log."""

from typing import Annotated, Literal

from pydantic import Field

from signet.wire.audit import AuditAction
from signet.wire.requests.changes import MAX_REASON_CHARS
from signet.wire.requests.model import (
    NAME_CHARS,
    SAFE_INTEGER,
    Body,
    ClampedInt,
    Params,
    Text,
    spelled,
)

SpaceName = Annotated[str, Field(min_length=1, max_length=NAME_CHARS)]


class SpaceBody(Body):
    """What a space says about itself, and whether what is shared waits for approval."""

    description: str | None = Field(None, max_length=1_000)
    review: bool | None = None


class NewSpaceBody(SpaceBody):
    """A new space; its name is small letters, digits and hyphens."""

    name: SpaceName


class ShareBody(Body):
    """The space that a memory enters, and why."""

    space: SpaceName
    note: str | None = Field(None, max_length=MAX_REASON_CHARS)
    agent_id: str | None = spelled("agentId", "agent_id")


class DecideBody(Body):
    """The decision about a proposed memory."""

    approve: bool


class ShareParams(Params):
    """A page of shares: of a space, in a state, of a memory."""

    space: Text = None
    state: Literal["proposed", "shared", "refused", "withdrawn"] | None = None
    memory_id: Text = spelled("memory_id", "memoryId")
    limit: Annotated[int, ClampedInt(1, 1_000)] = 100
    cursor: Text = None


class AuditParams(Params):
    """A part of the audit log: from a time, to a time, of an actor, an action, a space; after `cursor`.

    `newest` takes the last entries instead of the first.
    """

    since: str | None = None
    until: str | None = None
    actor: Text = None
    action: AuditAction | None = None
    space: Text = None
    newest: bool = False
    cursor: Annotated[int, ClampedInt(0, SAFE_INTEGER)] = 0
    limit: Annotated[int, ClampedInt(1, 1_000)] = 200
