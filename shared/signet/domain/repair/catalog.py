"""All repairs: names, options and rate limits. Pure data.

Read by the routes, the command line and the tests; imports neither the database nor anything else that is slow.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from signet.config.pipeline import Repair

MINUTE_MS = 60_000


class RowFilter(StrEnum):
    IDS = "ids"
    KIND = "kind"
    AGE = "age"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Limits:
    """The pause between two runs, and the maximum runs per hour."""

    cooldown_ms: int
    per_hour: int


@dataclass(frozen=True, slots=True)
class Option:
    """One field of a body. Numbers have bounds; a default of None comes from the settings, or means required."""

    name: str
    help: str
    default: int | float | bool | str | None = None
    low: float = 0
    high: float = 0
    type: type = int
    choices: tuple[str, ...] = ()
    is_required: bool = False
    #: The setting of `pipelineV2.repair` with the default.
    setting: str | None = None


@dataclass(frozen=True, slots=True)
class RepairAction:
    """One repair. `limits` is fixed, or the name of the settings' pair of cooldown and budget."""

    name: str
    path: str
    help: str
    limits: Limits | str
    hourly: int | None = None
    options: tuple[Option, ...] = ()
    filters: tuple[RowFilter, ...] = ()
    #: It previews by default.
    looks_first: bool = False
    #: The option that enables changes (`check-fts` checks, and repairs with its option).
    switch: str | None = None
    #: Concurrent callers share one run's result.
    is_shared: bool = False
    #: Only the worker has its requirements: a model, or unlimited time.
    needs_worker: bool = False
    #: The noun of its IDs.
    noun: str = "row"
    #: The kind of its job.
    kind: str = "repair"

    def limits_of(self, settings: Repair) -> Limits:
        if isinstance(self.limits, Limits):
            return self.limits
        found = {
            "requeue": Limits(settings.requeue_cooldown_ms, settings.requeue_hourly_budget),
            "reembed": Limits(settings.reembed_cooldown_ms, settings.reembed_hourly_budget),
            "dedup": Limits(settings.dedup_cooldown_ms, settings.dedup_hourly_budget),
        }[self.limits]
        return Limits(found.cooldown_ms, self.hourly or found.per_hour)


def _batch(default: int, high: int, low: int = 1) -> Option:
    return Option("batchSize", "Maximum number of rows.", default, low, high)


def _limit(default: int, high: int) -> Option:
    return Option("limit", "Maximum number of rows.", default, 1, high)


def _switch(name: str, help: str) -> Option:
    return Option(name, help, default=False, type=bool)


_FORCE = _switch("force", "Retry even if no model has answered recently.")
_MEANING = _switch("semanticEnabled", "Also merge near-duplicates, by meaning.")
_STATUS = Option("status", "Which ended jobs.", "dead", type=str, choices=("dead", "completed"))
_GROUPS = Option(
    "batchSize", "Maximum number of groups.", None, 1, 1_000, setting="dedup_batch_size"
)
_NEAR = "dedup_semantic_threshold"
_SIMILARITY = Option(
    "semanticThreshold", "Minimum similarity (0–1).", None, 0, 1, float, setting=_NEAR
)
_MENTIONS = Option("maxMentions", "Maximum number of memories that mention them.", 1, 1, 100)
_AGENT = Option("agentId", "Agent whose entities are grouped.", "default", type=str)
_REASON = Option("reason", "Reason, kept in their history.", type=str, is_required=True)
_ROWS = (RowFilter.IDS, RowFilter.KIND, RowFilter.AGE)
_JOBS = (*_ROWS, RowFilter.ERROR)
_OLD = (RowFilter.IDS, RowFilter.AGE)

ACTIONS = (
    RepairAction(
        "requeueDeadJobs",
        "requeue-dead",
        "Retry dead jobs, oldest first.",
        "requeue",
        options=(_limit(50, 500), _FORCE),
        filters=_JOBS,
        noun="job",
    ),
    RepairAction(
        "releaseStaleLeases",
        "release-leases",
        "Release jobs whose process died or hangs.",
        "requeue",
        filters=_ROWS,
        noun="job",
    ),
    RepairAction(
        "pruneJobs",
        "prune-jobs",
        "Archive ended jobs to a file, then delete them.",
        "requeue",
        options=(_limit(1_000, 100_000), _STATUS),
        filters=_JOBS,
        noun="job",
    ),
    RepairAction(
        "checkFtsConsistency",
        "check-fts",
        "Check the full-text indexes; rebuild those that differ from their tables.",
        "reembed",
        hourly=5,
        options=(_switch("repair", "Rebuild indexes that differ."),),
        switch="repair",
        is_shared=True,
        needs_worker=True,
    ),
    RepairAction(
        "triggerRetentionSweep",
        "retention-sweep",
        "Run the retention sweep now: purge old forgotten and ended rows.",
        "requeue",
    ),
    RepairAction(
        "reembedMissingMemories",
        "re-embed",
        "Create missing vectors, oldest memories first.",
        "reembed",
        options=(_batch(50, 500), _switch("fullSweep", "Continue until none is missing.")),
        filters=_ROWS,
        noun="memory",
        needs_worker=True,
    ),
    RepairAction(
        "cleanOrphanedEmbeddings",
        "clean-orphans",
        "Delete vectors whose memory is gone or forgotten.",
        "requeue",
        filters=_OLD,
        noun="memory",
    ),
    RepairAction(
        "resyncVectorIndex",
        "resync-vec",
        "Synchronise the vector index with the stored vectors.",
        "reembed",
        needs_worker=True,
    ),
    RepairAction(
        "rebuildIndexes",
        "rebuild-indexes",
        "Check and repair the full-text indexes, then the vector index.",
        Limits(5 * MINUTE_MS, 5),
        needs_worker=True,
    ),
    RepairAction(
        "deduplicateMemories",
        "deduplicate",
        "Merge duplicate memories.",
        "dedup",
        options=(_GROUPS, _MEANING, _SIMILARITY),
        filters=_ROWS,
        noun="memory",
    ),
    RepairAction(
        "backfillSkippedSessions",
        "backfill-skipped",
        "Summarise sessions that have no summary.",
        Limits(MINUTE_MS, 20),
        options=(_limit(50, 500),),
        filters=_OLD,
        noun="job",
    ),
    RepairAction(
        "reclassifyEntities",
        "reclassify-entities",
        "Ask the model for the type of entities of unknown type.",
        Limits(5 * MINUTE_MS, 5),
        options=(_batch(20, 30, low=5),),
        filters=_OLD,
        noun="entity",
        needs_worker=True,
    ),
    RepairAction(
        "pruneChunkGroupEntities",
        "prune-chunk-groups",
        "Delete entities that only link the chunks of long texts.",
        Limits(MINUTE_MS, 5),
        options=(_batch(500, 500),),
        filters=_OLD,
        noun="entity",
    ),
    RepairAction(
        "pruneSingletonExtractedEntities",
        "prune-singleton-entities",
        "Delete entities of unknown type with few mentions.",
        Limits(MINUTE_MS, 10),
        options=(_batch(200, 500), _MENTIONS),
        filters=_OLD,
        noun="entity",
    ),
    RepairAction(
        "pruneGenericEntities",
        "prune-generic-entities",
        "Delete entities that are no names: headings, labels, first words of sentences.",
        Limits(MINUTE_MS, 10),
        options=(_batch(500, 500),),
        filters=_OLD,
        looks_first=True,
        noun="entity",
    ),
    RepairAction(
        "structuralBackfill",
        "structural-backfill",
        "Queue facts without an aspect for classification.",
        Limits(MINUTE_MS, 20),
        options=(_batch(100, 500),),
        filters=_ROWS,
        noun="memory",
    ),
    RepairAction(
        "relinkEntities",
        "relink-entities",
        "Link memories without entities to the entities they mention.",
        Limits(MINUTE_MS, 10),
        options=(_batch(500, 500),),
        filters=_ROWS,
        noun="memory",
    ),
    RepairAction(
        "backfillHints",
        "backfill-hints",
        "Queue hints for memories that have none.",
        Limits(MINUTE_MS, 10),
        options=(_batch(200, 200),),
        filters=_ROWS,
        noun="memory",
    ),
    RepairAction(
        "clusterEntities",
        "cluster-entities",
        "Recompute the communities of an agent's entities.",
        Limits(5 * MINUTE_MS, 5),
        options=(_AGENT,),
        is_shared=True,
        needs_worker=True,
        kind="cluster_entities",
    ),
    RepairAction(
        "followForgotten",
        "follow-forgotten",
        "Forget facts that were read from forgotten memories alone.",
        Limits(MINUTE_MS, 60),
        options=(_batch(200, 200),),
        filters=_ROWS,
        looks_first=True,
        noun="memory",
    ),
    RepairAction(
        "forgetDeadMemories",
        "dead-memories/forget",
        "Forget memories with low confidence that are not used.",
        Limits(5 * MINUTE_MS, 5),
        options=(_REASON,),
        filters=(RowFilter.IDS,),
        noun="memory",
    ),
)

BY_NAME: Mapping[str, RepairAction] = {action.name: action for action in ACTIONS}
BY_PATH: Mapping[str, RepairAction] = {action.path: action for action in ACTIONS}
