"""Status, health and readiness of the daemon."""

from typing import Any, NotRequired, TypedDict

from signet.wire import access
from signet.wire.capture import Capture
from signet.wire.diagnostics import Diagnosis
from signet.wire.operation import get


class Health(TypedDict):
    """The daemon answers; `db` is false if its database does not."""

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
    """The process is not stuck."""

    status: str


class Ready(TypedDict):
    """Whether database, schema, worker and scheduler are ready, and what is missing."""

    status: str
    reasons: list[str]
    error: NotRequired[str]
    code: NotRequired[str]
    checks: NotRequired[dict[str, Any]]


class LogFiles(TypedDict):
    logDir: str
    logFile: str


class UpdateStatus(TypedDict):
    """State of update checks."""

    currentVersion: str
    latestVersion: str | None
    updateAvailable: bool
    pendingRestart: str | None
    autoInstall: bool
    checkInterval: int
    lastCheckAt: str | None
    lastError: str | None
    timerActive: bool


class Storage(TypedDict):
    """The database engine (sqlite or postgresql), its address, whether it has known faults, and the vector search in
    use.
    """

    engine: str
    address: str | None
    version: str
    safe: bool
    vectors: str


class EmbeddingState(TypedDict):
    """The embedding provider, and the number of memories with a vector."""

    provider: str
    model: str | None
    available: bool
    total: int
    embedded: int


class Status(TypedDict):
    """State of the daemon. A request may name parts: then only these of the fields from `memoryDb` on are returned."""

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
    #: Share of sessions without unasked memories, for comparison.
    holdout: NotRequired[float]
    configError: NotRequired[str | None]
    configWarnings: NotRequired[list[str]]
    restartRequired: NotRequired[list[str]]
    logging: NotRequired[LogFiles]
    update: NotRequired[UpdateStatus]
    storage: NotRequired[Storage]
    processes: NotRequired[list[dict[str, Any]]]
    activeSessions: NotRequired[int]
    bypassedSessions: NotRequired[int]
    providerResolution: NotRequired[dict[str, dict[str, Any]]]
    queue: NotRequired[dict[str, Any]]
    oldestDueSeconds: NotRequired[float | None]
    waitingForProvider: NotRequired[dict[str, str]]
    embedding: NotRequired[EmbeddingState]
    #: Memories that wait for approval.
    reviewsWaiting: NotRequired[int]
    capture: NotRequired[Capture]


class FullStatus(Status):
    """All that `signet status` shows: the status, and parts of the answers of other operations.

    `memories` are counts, `vectors` the answer of `/api/embeddings/status`, `known` that of `/api/harnesses`. Loading
    their types would take as long as the command.
    """

    memories: dict[str, Any]
    pipeline: dict[str, Any]
    vectors: dict[str, Any]
    backfill: dict[str, Any]
    predictor: dict[str, Any]
    known: dict[str, Any]


class ProcessCost(TypedDict):
    """Resources of one daemon process; null if unknown or not running."""

    name: str
    pid: int | None
    uptime: float | None
    restarts: int
    memoryBytes: int | None
    cpuSeconds: float | None


class DiskPart(TypedDict):
    """Disk use of a part of the workspace, in bytes."""

    part: str
    bytes: int


class Resources(TypedDict):
    processes: list[ProcessCost]
    disk: list[DiskPart]


HEALTH = get("/health", access.OPEN, Health)
HEALTH_LIVE = get("/health/live", access.KNOWN, Live)
LIVE = get("/livez", access.KNOWN, Live)
HEALTH_READY = get("/health/ready", access.KNOWN, Ready)
READY = get("/readyz", access.KNOWN, Ready)
STATUS = get("/api/status", access.KNOWN, Status)
OVERVIEW = get("/api/overview", access.LOCAL, FullStatus)
RESOURCES = get("/api/status/resources", access.ANALYTICS, Resources)
FEATURES = get("/api/features", access.KNOWN, dict[str, bool])
METRICS = get(
    "/metrics", access.METRICS, str, media_type="text/plain; version=0.0.4; charset=utf-8"
)
