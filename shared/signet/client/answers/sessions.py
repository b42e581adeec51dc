"""Answers about sessions: what hooks are told, which sessions run, what was said in them."""

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


class RunningSession(TypedDict):
    """A session that runs now."""

    key: str
    runtimePath: str
    claimedAt: str | None
    expiresAt: str | None
    agentId: str
    bypassed: bool


class Bypassed(TypedDict):
    """Whether the hooks of a session do nothing now."""

    key: str
    bypassed: bool


class RenewedSession(TypedDict):
    """Until when a session is claimed now."""

    key: str
    renewed: bool
    expiresAt: str


class Transcript(TypedDict):
    """What was said in a session."""

    sessionKey: str
    agentId: str
    harness: str | None
    project: str | None
    content: str
    createdAt: str
    updatedAt: str | None


class Excerpt(TypedDict):
    """A part of what was said in an earlier session."""

    sessionKey: str
    agentId: str
    harness: str | None
    project: str | None
    at: str
    excerpt: str
    hits: int


class SessionSummary(TypedDict):
    """A summary of a session, or of several."""

    id: str
    project: str | None
    depth: int
    kind: str
    content: str
    token_count: int | None
    earliest_at: str
    latest_at: str
    session_key: str | None
    harness: str | None
    agent_id: str
    created_at: str
    childCount: int


class SummaryPage(TypedDict):
    """Some summaries, and how many there are."""

    summaries: list[SessionSummary]
    total: int


class Checkpoint(TypedDict):
    """How far a session was at one moment."""

    id: str
    session_key: str
    harness: str
    project: str | None
    trigger: str
    digest: str
    prompt_count: int
    memoryQueries: list[str]
    recentRemembers: list[str]
    focalEntityNames: list[str]
    created_at: str
