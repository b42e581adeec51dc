"""Answers of hooks: what a session is given."""

from typing import NotRequired, TypedDict


class ToldMemory(TypedDict):
    """A memory that a session was begun with."""

    id: str
    content: str
    type: str
    importance: float
    created_at: str


class StartedSession(TypedDict):
    """What a session begins with; `inject` is the text for the model. Without identity when nothing is told."""

    inject: str
    memories: list[ToldMemory]
    identity: NotRequired[dict[str, str]]
    recentContext: NotRequired[str]
    warnings: NotRequired[list[str]]
    bypassed: NotRequired[bool]


class Prompted(TypedDict):
    """What a prompt brings to mind; `inject` is the text for the model."""

    inject: str
    memoryCount: int
    queryTerms: NotRequired[str]
    engine: NotRequired[str]
    warnings: NotRequired[list[str]]
    bypassed: NotRequired[bool]


class EndedTurn(TypedDict):
    """Whether something new of a session is to be read, and by which job."""

    queued: NotRequired[bool]
    jobId: NotRequired[str]
    skipped: NotRequired[bool]


class EndedSession(TypedDict):
    """A session that is over; its transcript is read by a job."""

    memoriesSaved: int
    queued: NotRequired[bool]
    jobId: NotRequired[str]


class Precompaction(TypedDict):
    """What to write down before a context is shortened."""

    summaryPrompt: str
    guidelines: str


class Compacted(TypedDict):
    """The memory that a summary has become, if it has."""

    success: bool
    memoryId: NotRequired[str]
