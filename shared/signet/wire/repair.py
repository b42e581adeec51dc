"""Repairs and their counts."""

from typing import Any, Literal, NotRequired, TypedDict

from signet.wire import access
from signet.wire.operation import Operation, get, post


class Repaired(TypedDict):
    """The result of a repair, or that it waits for the worker (`details.jobId`)."""

    action: str
    success: bool
    affected: int
    message: str
    details: NotRequired[dict[str, Any]]


class EmbeddingGaps(TypedDict):
    """How many memories lack a vector of the current model; `stale` have an outdated one."""

    unembedded: int
    total: int
    coverage: str
    stale: int


class DedupStats(TypedDict):
    exactClusters: int
    exactExcess: int
    totalActive: int


class ColdStats(TypedDict):
    """The content of the archive; without one `message` explains this."""

    count: int
    message: NotRequired[str]
    oldest: NotRequired[str | None]
    newest: NotRequired[str | None]
    totalBytes: NotRequired[int]
    byReason: NotRequired[dict[str, int]]


class Integrity(TypedDict):
    """Whether the database file is intact; `ok` is null if time ran out."""

    checkedAt: str
    ok: bool | None
    timedOut: NotRequired[bool]
    sqlite: list[str]
    ftsOk: bool
    vecOk: bool


class DeadMemory(TypedDict):
    id: str
    content: str
    confidence: float
    importance: float
    lastAccessed: str | None
    accessCount: int


class DeadMemories(TypedDict):
    items: list[DeadMemory]
    total: int


class RepairOption(TypedDict):
    """One field of a repair's body; numbers are between `low` and `high`. A default of null means required."""

    name: str
    help: str
    type: Literal["integer", "number", "boolean", "string"]
    default: Any
    low: float | None
    high: float | None
    choices: list[str]
    required: bool


class KnownRepair(TypedDict):
    """A repair: its effect, options and limits.

    `recommended` is the finding that suggests it, null for none. `waitMs` is the rest of the cooldown or hour,
    `runsLeft` of `runsPerHour`. `filters` are IDs, kind, age and error, for selecting its rows.
    """

    action: str
    path: str
    help: str
    noun: str
    options: list[RepairOption]
    filters: list[str]
    looksFirst: bool
    needsWorker: bool
    recommended: str | None
    lastRunAt: str | None
    waitMs: int
    runsLeft: int
    runsPerHour: int


class Repairs(TypedDict):
    repairs: list[KnownRepair]
    count: int


def _repair(path: str) -> Operation[Repaired]:
    return post(f"/api/repair/{path}", access.OPERATOR, Repaired)


REPAIRS = get("/api/repair", access.OPERATOR, Repairs)
REQUEUE_DEAD = _repair("requeue-dead")
RELEASE_LEASES = _repair("release-leases")
PRUNE_JOBS = _repair("prune-jobs")
CHECK_FTS = _repair("check-fts")
RETENTION_SWEEP = _repair("retention-sweep")
RE_EMBED = _repair("re-embed")
CLEAN_ORPHANS = _repair("clean-orphans")
RESYNC_VEC = _repair("resync-vec")
REBUILD_INDEXES = _repair("rebuild-indexes")
DEDUPLICATE = _repair("deduplicate")
BACKFILL_SKIPPED = _repair("backfill-skipped")
RECLASSIFY_ENTITIES = _repair("reclassify-entities")
PRUNE_CHUNK_GROUPS = _repair("prune-chunk-groups")
PRUNE_SINGLETON_ENTITIES = _repair("prune-singleton-entities")
PRUNE_GENERIC_ENTITIES = _repair("prune-generic-entities")
STRUCTURAL_BACKFILL = _repair("structural-backfill")
RELINK_ENTITIES = _repair("relink-entities")
BACKFILL_HINTS = _repair("backfill-hints")
CLUSTER_ENTITIES = _repair("cluster-entities")
FOLLOW_FORGOTTEN = _repair("follow-forgotten")
FORGET_DEAD_MEMORIES = _repair("dead-memories/forget")
EMBEDDING_GAPS = get("/api/repair/embedding-gaps", access.OPERATOR, EmbeddingGaps)
DEDUP_STATS = get("/api/repair/dedup-stats", access.OPERATOR, DedupStats)
COLD_STATS = get("/api/repair/cold-stats", access.OPERATOR, ColdStats)
INTEGRITY_CHECK = get("/api/repair/integrity-check", access.OPERATOR, Integrity)
DEAD_MEMORIES = get("/api/repair/dead-memories", access.OPERATOR, DeadMemories)
