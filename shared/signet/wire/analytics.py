"""What was used, how fast it was, what went wrong, what happened to one memory, job, request or session."""

from typing import Any, NotRequired, TypedDict

from signet.wire import access
from signet.wire.diagnostics import Diagnosis
from signet.wire.operation import Operation


class Usage(TypedDict):
    """Counts by route, provider, caller and connector since the daemon started."""

    endpoints: dict[str, dict[str, float]]
    providers: dict[str, dict[str, float]]
    actors: dict[str, dict[str, int]]
    connectors: dict[str, dict[str, int]]


class NotedError(TypedDict):
    """An error of this life of the daemon."""

    timestamp: str
    stage: str
    code: str
    message: str
    requestId: NotRequired[str]
    memoryId: NotRequired[str]
    actor: NotRequired[str]


class Errors(TypedDict):
    """The newest errors, oldest first, and how many there are of each code."""

    errors: list[NotedError]
    summary: dict[str, int]


class MemorySafety(TypedDict):
    """How changes of memories go."""

    mutation: Diagnosis
    recentErrors: list[NotedError]
    errorSummary: dict[str, int]


class SessionScore(TypedDict):
    """How well recall served a session."""

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


class Continuity(TypedDict):
    """Scores of sessions, newest first."""

    scores: list[SessionScore]
    summary: ScoreSummary


class ProjectScore(TypedDict):
    """The newest score of a project."""

    project: str | None
    score: float
    created_at: str


class ProjectScores(TypedDict):
    """The newest score of each project, newest first."""

    scores: list[ProjectScore]


class TimelineEvent(TypedDict):
    """Something that happened."""

    timestamp: str
    source: str
    event: str
    details: dict[str, Any]


class Timeline(TypedDict):
    """What happened to a memory, a session or a request, in order."""

    entityType: str
    entityId: str
    events: list[TimelineEvent]
    generatedAt: str


class Series(TypedDict):
    """How much happened in each ten minutes, hour or day: `starts` says when each began, the last one is running.

    `series` has a number for each of them by metric; `told_tokens` is an estimate of four characters a token,
    `recall_p95` in milliseconds; recalls are counted while `telemetryEnabled`.
    """

    step: str
    tz: str
    starts: list[str]
    series: dict[str, list[int]]


class TimelineMeta(TypedDict):
    """Where an exported timeline comes from."""

    version: str
    exportedAt: str
    entityId: str


class ExportedTimeline(TypedDict):
    """A timeline in the envelope of an export."""

    meta: TimelineMeta
    timeline: Timeline


USAGE = Operation("GET", "/api/analytics/usage", access.ANALYTICS, Usage)
LATENCY = Operation("GET", "/api/analytics/latency", access.ANALYTICS, dict[str, dict[str, float]])
ERRORS = Operation("GET", "/api/analytics/errors", access.ANALYTICS, Errors)
MEMORY_SAFETY = Operation("GET", "/api/analytics/memory-safety", access.ANALYTICS, MemorySafety)
CONTINUITY = Operation("GET", "/api/analytics/continuity", access.ANALYTICS, Continuity)
LATEST_CONTINUITY = Operation(
    "GET", "/api/analytics/continuity/latest", access.ANALYTICS, ProjectScores
)
SERIES = Operation("GET", "/api/analytics/series", access.ANALYTICS, Series)
TIMELINE = Operation("GET", "/api/timeline/{entity_id}", access.ANALYTICS, Timeline)
EXPORT_TIMELINE = Operation(
    "GET", "/api/timeline/{entity_id}/export", access.ANALYTICS, ExportedTimeline
)
