"""Telemetry events, which never leave this machine."""

from typing import Any, NotRequired, TypedDict

from signet.wire import access
from signet.wire.operation import get

NDJSON = "application/x-ndjson"


class TelemetryEvent(TypedDict):
    """An event: no text, no question, no path."""

    id: str
    event: str
    timestamp: str
    properties: dict[str, Any]


class TelemetryPage(TypedDict):
    """Telemetry events, latest first, and whether telemetry is enabled."""

    events: list[TelemetryEvent]
    enabled: bool


class LlmStats(TypedDict):
    """Language model calls; p50 and p95 are in milliseconds."""

    calls: int
    errors: int
    totalInputTokens: int
    totalOutputTokens: int
    totalCost: float
    p50: float
    p95: float


class TelemetryStats(TypedDict):
    enabled: bool
    totalEvents: NotRequired[int]
    llm: NotRequired[LlmStats]
    pipelineErrors: NotRequired[int]
    pipelineErrorsByStage: NotRequired[dict[str, int]]
    pipelineErrorsByCode: NotRequired[dict[str, int]]


TELEMETRY_EVENTS = get("/api/telemetry/events", access.ANALYTICS, TelemetryPage)
TELEMETRY_STATS = get("/api/telemetry/stats", access.ANALYTICS, TelemetryStats)
EXPORT_TELEMETRY = get("/api/telemetry/export", access.ANALYTICS, str, media_type=NDJSON)
EXPORT_TRAINING = get("/api/telemetry/training-export", access.ANALYTICS, str, media_type=NDJSON)
