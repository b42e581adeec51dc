"""Answers about memories."""

from typing import Any, Literal, NotRequired, TypedDict


class Remembered(TypedDict):
    """A saved memory; `deduped` says that it was there before. A long text becomes several: `chunked`, `ids`."""

    success: bool
    id: str
    memoryId: str
    type: str
    tags: str | None
    pinned: bool
    importance: float
    content: str
    embedded: bool
    deduped: bool
    entities_linked: int
    hints_written: int
    superseded: NotRequired[list[str]]
    masked: NotRequired[list[str]]
    chunked: NotRequired[bool]
    chunk_count: NotRequired[int]
    ids: NotRequired[list[str]]
    group_id: NotRequired[str | None]


class MemorySummary(TypedDict):
    """One memory in a list."""

    id: str
    content: str
    created_at: str
    who: str | None
    importance: float
    tags: str | None
    source_type: str | None
    pinned: bool
    type: str


class Memory(TypedDict):
    """One whole memory."""

    id: str
    content: str
    type: str
    importance: float
    tags: str | None
    pinned: int
    who: str | None
    source_id: str | None
    source_type: str | None
    project: str | None
    session_id: str | None
    sessionId: str | None
    confidence: float | None
    access_count: int
    last_accessed: str | None
    is_deleted: int
    deleted_at: str | None
    extraction_status: str | None
    embedding_model: str | None
    version: int
    created_at: str
    updated_at: str
    updated_by: str | None
    agent_id: str
    visibility: str
    scope: str | None


class MemoryStats(TypedDict):
    """Counts over all memories."""

    total: int
    withEmbeddings: int
    critical: int


class MemoryPage(TypedDict):
    """A page of memories, newest first."""

    memories: list[MemorySummary]
    stats: MemoryStats


class KeyCount(TypedDict):
    """A name and how often it occurs."""

    key: str
    count: int


class MemoryEra(TypedDict):
    """What was remembered from `start` to `end`, and what happened to memories meanwhile."""

    rangeKey: str
    label: str
    start: str
    end: str
    memoriesAdded: int
    trackedEvents: int
    evolved: int
    strengthened: int
    recovered: int
    avgImportance: float
    pinned: int
    typeBreakdown: list[KeyCount]
    sourceBreakdown: list[KeyCount]
    topTags: list[KeyCount]


class MemoryTimeline(TypedDict):
    """Today, the last week and the last month; each holds those before it."""

    generatedAt: str
    totalMemories: int
    totalHistoryEvents: int
    buckets: list[MemoryEra]


class Change(TypedDict):
    """One event in the history of a memory."""

    id: str
    event: str
    oldContent: str | None
    newContent: str | None
    changedBy: str
    actorType: str | None
    reason: str | None
    metadata: dict[str, Any] | str | None
    createdAt: str
    sessionId: str | None
    requestId: str | None


class Modified(TypedDict):
    """What became of one patch; a refused one of `modify_many` says why in `status` and `error`."""

    id: str | None
    status: str
    success: NotRequired[bool]
    currentVersion: NotRequired[int]
    newVersion: NotRequired[int]
    contentChanged: NotRequired[bool]
    embedded: NotRequired[bool]
    duplicateMemoryId: NotRequired[str]
    error: NotRequired[str]


class ModifiedMany(TypedDict):
    """What became of each patch, in the order they were sent."""

    total: int
    updated: int
    results: list[Modified]


class Forgotten(TypedDict):
    """What became of one memory that was to be forgotten."""

    id: str
    status: str
    success: NotRequired[bool]
    currentVersion: NotRequired[int]
    newVersion: NotRequired[int]


class Candidate(TypedDict):
    """A memory that a forget request would take."""

    id: str
    score: float
    pinned: bool
    version: int


class ForgetPreview(TypedDict):
    """What a forget request would take; `confirmToken` confirms exactly these. `total` is how many match."""

    mode: Literal["preview"]
    count: int
    total: int
    requiresConfirm: bool
    confirmToken: str
    candidates: list[Candidate]


class ForgottenMany(TypedDict):
    """What a forget request did."""

    mode: Literal["execute"]
    requested: int
    deleted: int
    #: How many matched before.
    total: int
    results: list[Forgotten]
    #: Only where many were forgotten: the copy that was made before, or why there is none.
    backup: NotRequired[str | None]
    backupSkipped: NotRequired[str]


class Recovered(TypedDict):
    """A forgotten memory that is back."""

    id: str
    status: str
    success: NotRequired[bool]
    currentVersion: int
    newVersion: int
    retentionDays: int


class Rated(TypedDict):
    """Ratings that were taken, and ids that the session has not seen; `propagated` counts what moved by them."""

    ok: bool
    recorded: int
    unknown: list[str]
    accepted: int
    rejected: int
    propagated: int
