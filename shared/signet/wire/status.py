"""The daemon: is it there, is it ready, how is it, what does it measure."""

from typing import Any, NotRequired, TypedDict

from signet.wire import access
from signet.wire.capture import Capture
from signet.wire.diagnostics import Diagnosis
from signet.wire.operation import Operation


class Health(TypedDict):
    """That the daemon answers; `db` is false when its database does not, `agentsDir` only for the daemon's user."""

    status: str
    uptime: float
    pid: int
    version: str
    port: int
    agentsDir: NotRequired[str]
    db: bool
    reasons: list[str]
    updateAvailable: bool
    pendingRestart: str | None


class Live(TypedDict):
    """That the process is not stuck."""

    status: str


class Ready(TypedDict):
    """Whether database, schema, worker and scheduler are there, and what is missing."""

    status: str
    reasons: list[str]
    error: NotRequired[str]
    code: NotRequired[str]
    checks: NotRequired[dict[str, Any]]


class LogFiles(TypedDict):
    """Where the log of today is."""

    logDir: str
    logFile: str


class UpdateStatus(TypedDict):
    """What is known of new versions."""

    currentVersion: str
    latestVersion: str | None
    updateAvailable: bool
    pendingRestart: str | None
    autoInstall: bool
    checkInterval: int
    lastCheckAt: str | None
    lastError: str | None
    timerActive: bool


class Sqlite(TypedDict):
    """The database engine, whether it is free of known faults, and what searches vectors."""

    version: str
    safe: bool
    vectors: str


class EmbeddingState(TypedDict):
    """Who makes vectors, and how many memories have one."""

    provider: str
    model: str | None
    available: bool
    total: int
    embedded: int


class Status(TypedDict):
    """Version, processes, queue, providers and settings in force; from `memoryDb` on all, or the parts asked for."""

    status: str
    version: str
    pid: int
    uptime: float
    startedAt: str
    port: int
    host: str
    bindHost: str
    agentsDir: str
    memoryDb: NotRequired[bool]
    pipelineV2: NotRequired[dict[str, Any]]
    health: NotRequired[Diagnosis]
    reasons: NotRequired[list[str]]
    agentCreatedAt: NotRequired[str | None]
    #: Share of sessions that are given no memories unasked, to compare the others with.
    holdout: NotRequired[float]
    configError: NotRequired[str | None]
    configWarnings: NotRequired[list[str]]
    restartRequired: NotRequired[list[str]]
    logging: NotRequired[LogFiles]
    update: NotRequired[UpdateStatus]
    sqlite: NotRequired[Sqlite]
    processes: NotRequired[list[dict[str, Any]]]
    activeSessions: NotRequired[int]
    bypassedSessions: NotRequired[int]
    providerResolution: NotRequired[dict[str, dict[str, Any]]]
    queue: NotRequired[dict[str, Any]]
    oldestDueSeconds: NotRequired[float | None]
    waitingForProvider: NotRequired[dict[str, str]]
    embedding: NotRequired[EmbeddingState]
    #: Memories that are not delivered unasked until a person approves them.
    reviewsWaiting: NotRequired[int]
    capture: NotRequired[Capture]


class ProcessCost(TypedDict):
    """What one process of the daemon takes; null where the system does not tell, or it does not run."""

    name: str
    pid: int | None
    uptime: float | None
    restarts: int
    memoryBytes: int | None
    cpuSeconds: float | None


class DiskPart(TypedDict):
    """What a part of the workspace takes on disk, in bytes."""

    part: str
    bytes: int


class Resources(TypedDict):
    """What the daemon takes of this machine."""

    processes: list[ProcessCost]
    disk: list[DiskPart]


HEALTH = Operation("GET", "/health", access.OPEN, Health)
HEALTH_LIVE = Operation("GET", "/health/live", access.KNOWN, Live)
LIVE = Operation("GET", "/livez", access.KNOWN, Live)
HEALTH_READY = Operation("GET", "/health/ready", access.KNOWN, Ready)
READY = Operation("GET", "/readyz", access.KNOWN, Ready)
STATUS = Operation("GET", "/api/status", access.KNOWN, Status)
RESOURCES = Operation("GET", "/api/status/resources", access.ANALYTICS, Resources)
FEATURES = Operation("GET", "/api/features", access.KNOWN, dict[str, bool])
METRICS = Operation(
    "GET",
    "/metrics",
    access.ANALYTICS,
    str,
    media_type="text/plain; version=0.0.4; charset=utf-8",
)
