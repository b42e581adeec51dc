"""Answers about how the daemon does its work."""

from typing import Any, NotRequired, TypedDict


class Diagnosis(TypedDict):
    """How well a part of the daemon is, and why; more fields say what was counted."""

    score: float
    status: str
    reasons: list[str]


class Diagnoses(TypedDict):
    """How well all parts are: `composite` sums up the others."""

    timestamp: str
    composite: Diagnosis
    queue: Diagnosis
    storage: Diagnosis
    index: Diagnosis
    provider: Diagnosis


class OfferedModel(TypedDict):
    """A model that can be chosen; `tier` is low, mid or high."""

    id: str
    provider: str
    label: str
    tier: str
    deprecated: bool


class Models(TypedDict):
    """The models that can be chosen, and how new the list is."""

    models: list[OfferedModel]
    registry: dict[str, Any]


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


class TelemetryPage(TypedDict):
    """What was noted of the work, and whether it is noted at all."""

    events: list[dict[str, Any]]
    enabled: bool


class TelemetryStats(TypedDict):
    """What the noted work comes to."""

    enabled: bool
    totalEvents: NotRequired[int]
    llm: NotRequired[dict[str, float]]
    pipelineErrors: NotRequired[int]


class Repaired(TypedDict):
    """What a repair has done, or that it waits for the worker (`details.jobId`)."""

    action: str
    success: bool
    affected: int
    message: str
    details: NotRequired[dict[str, Any]]
