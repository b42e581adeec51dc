"""Answers about the daemon and its queue."""

from typing import Any, NotRequired, TypedDict


class PipelineStatus(TypedDict):
    """What runs, what waits and what died; `queues.memory.byType` has counts, rate and time left of each kind."""

    mode: str
    paused: bool
    workers: dict[str, dict[str, Any]]
    queues: dict[str, dict[str, Any]]
    queue: int
    processing: int
    deadLetter: int
    providers: dict[str, list[dict[str, Any]]]
    errorSummary: dict[str, int]
    traversal: dict[str, Any]
    diagnostics: dict[str, Any] | None
    latency: dict[str, Any]
    feedback: dict[str, Any]
    predictor: dict[str, Any]


class Paused(TypedDict):
    """Whether the queue is paused now."""

    success: bool
    paused: bool


class Health(TypedDict):
    """That the daemon answers; `db` is false when its database does not."""

    status: str
    uptime: float
    pid: int
    version: str
    port: int
    agentsDir: str
    db: bool
    reasons: list[str]


class Ready(TypedDict):
    """Whether database, schema, worker and scheduler are there, and what is missing."""

    status: str
    reasons: list[str]
    error: NotRequired[str]
    checks: NotRequired[dict[str, Any]]


class Status(TypedDict):
    """Version, processes, queue, providers and settings in force."""

    status: str
    version: str
    pid: int
    uptime: float
    startedAt: str
    port: int
    host: str
    bindHost: str
    agentsDir: str
    memoryDb: bool
    pipelineV2: dict[str, Any]
    health: dict[str, Any]
    reasons: list[str]
    activeSessions: int
    configError: str | None
    configWarnings: list[str]
    restartRequired: list[str]
    processes: list[dict[str, Any]]
    queue: dict[str, Any]
    oldestDueSeconds: float | None
    waitingForProvider: dict[str, str]
    embedding: dict[str, Any]
    sqlite: dict[str, Any]
