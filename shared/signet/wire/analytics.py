"""Usage, latency, errors, and timelines of memories, jobs, requests and sessions."""

from typing import Any, NotRequired, TypedDict

from signet.wire import access
from signet.wire.diagnostics import Diagnosis
from signet.wire.operation import get


class Usage(TypedDict):
    endpoints: dict[str, dict[str, float]]
    providers: dict[str, dict[str, float]]
    actors: dict[str, dict[str, int]]
    connectors: dict[str, dict[str, int]]


class NotedError(TypedDict):
    timestamp: str
    stage: str
    code: str
    message: str
    requestId: NotRequired[str]
    memoryId: NotRequired[str]
    actor: NotRequired[str]


class Errors(TypedDict):
    """The newest errors, oldest first, and counts by code."""

    errors: list[NotedError]
    summary: dict[str, int]


class MemorySafety(TypedDict):
    """Counts of memory changes by result."""

    mutation: Diagnosis
    recentErrors: list[NotedError]
    errorSummary: dict[str, int]


class SessionScore(TypedDict):
    id: str
    session_key: str
    project: str | None
    harness: str | None
    score: float
    memories_recalled: int | None
    memories_used: int | None
    novel_context_count: int | None
    reasoning: str | None
    created_at: str


class ScoreSummary(TypedDict):
    """Count, average, trend (newest − oldest) and newest of some scores."""

    count: int
    average: float
    trend: float
    latest: float | None


class SessionScores(TypedDict):
    scores: list[SessionScore]
    summary: ScoreSummary


class ProjectScore(TypedDict):
    project: str | None
    score: float
    created_at: str


class ProjectScores(TypedDict):
    scores: list[ProjectScore]


class TimelineEvent(TypedDict):
    timestamp: str
    source: str
    event: str
    details: dict[str, Any]


class Timeline(TypedDict):
    entityType: str
    entityId: str
    events: list[TimelineEvent]
    generatedAt: str


class Series(TypedDict):
    """Counts per ten minutes, hour or day: `starts` has the start of each, the last one is still running.

    `series` has one number per interval and metric; `told_tokens` is an estimate of four characters per token,
    `recall_p95` in milliseconds; recalls are counted while `telemetryEnabled`.
    """

    step: str
    tz: str
    starts: list[str]
    series: dict[str, list[int]]


class TimelineMeta(TypedDict):
    version: str
    exportedAt: str
    entityId: str


class ExportedTimeline(TypedDict):
    meta: TimelineMeta
    timeline: Timeline


USAGE = get("/api/analytics/usage", access.ANALYTICS, Usage)
LATENCY = get("/api/analytics/latency", access.ANALYTICS, dict[str, dict[str, float]])
ERRORS = get("/api/analytics/errors", access.ANALYTICS, Errors)
MEMORY_SAFETY = get("/api/analytics/memory-safety", access.ANALYTICS, MemorySafety)
CONTINUITY = get("/api/analytics/continuity", access.ANALYTICS, SessionScores)
LATEST_CONTINUITY = get("/api/analytics/continuity/latest", access.ANALYTICS, ProjectScores)
SERIES = get("/api/analytics/series", access.ANALYTICS, Series)
TIMELINE = get("/api/timeline/{entity_id}", access.ANALYTICS, Timeline)
EXPORT_TIMELINE = get("/api/timeline/{entity_id}/export", access.ANALYTICS, ExportedTimeline)
