"""Background work: status, pause, and available models."""

from typing import Any, TypedDict

from signet.wire import access
from signet.wire.diagnostics import Diagnoses
from signet.wire.operation import get, post


class LastFeedback(TypedDict):
    """The effect of the latest session feedback on the graph's weights."""

    lastRunAt: str | None
    feedbackAspectsUpdated: int
    feedbackFtsConfirmations: int
    feedbackDecayedAspects: int
    feedbackPropagatedAttributes: int


class StoredStatus(TypedDict):
    """The status of background work from the rows."""

    mode: str
    paused: bool
    pauses: list[dict[str, str | None]]
    workers: dict[str, dict[str, Any]]
    queues: dict[str, dict[str, Any]]
    queue: int
    processing: int
    deadLetter: int
    providers: dict[str, list[dict[str, Any]]]
    errorSummary: dict[str, int]
    traversal: dict[str, Any]
    feedback: LastFeedback
    predictor: dict[str, Any]


class PipelineStatus(StoredStatus):
    """Running, waiting and dead jobs.

    `queues.memory.byType` has counts, rate and time left of each kind, `queues.memory.unserved` the waiting jobs that
    no worker of this version runs.
    """

    latency: dict[str, dict[str, float]]
    diagnostics: Diagnoses


class Paused(TypedDict):
    """Whether all queues are paused, and each pause: `queue` ("all" for every queue), `since` and `by`."""

    success: bool
    paused: bool
    pauses: list[dict[str, str | None]]


class Nudged(TypedDict):
    """The workers that were woken."""

    success: bool
    nudged: list[str]


class OfferedModel(TypedDict):
    """An available model; `tier` is low, mid or high."""

    id: str
    provider: str
    label: str
    tier: str
    deprecated: bool


class ModelRegistry(TypedDict):
    """The age of the model list; `error` explains an unreachable server."""

    enabled: bool
    lastRefreshAt: str | None
    error: str | None
    modelCounts: dict[str, int]


class Models(TypedDict):
    models: list[OfferedModel]
    registry: ModelRegistry


class RefreshedModels(TypedDict):
    """The models of each provider; `throttled` if the list was just refreshed."""

    models: dict[str, list[OfferedModel]]
    registry: ModelRegistry
    throttled: bool


PIPELINE_STATUS = get("/api/pipeline/status", access.DIAGNOSTICS, PipelineStatus)
PAUSE = post("/api/pipeline/pause", access.OPERATOR, Paused)
RESUME = post("/api/pipeline/resume", access.OPERATOR, Paused)
NUDGE = post("/api/pipeline/nudge", access.OPERATOR, Nudged)
MODELS = get("/api/pipeline/models", access.DIAGNOSTICS, Models)
MODELS_BY_PROVIDER = get(
    "/api/pipeline/models/by-provider", access.DIAGNOSTICS, dict[str, list[OfferedModel]]
)
REFRESH_MODELS = post("/api/pipeline/models/refresh", access.OPERATOR, RefreshedModels)
