"""All repairs: names, options and rate limits. Pure data.

Read by the routes, the command line and the tests; imports neither the database nor anything else that is slow.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from signet.config.pipeline import Repair

MINUTE_MS = 60_000


class Filter(StrEnum):
    """Filters for the rows of a repair."""

    IDS = "ids"
    KIND = "kind"
    AGE = "age"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The pause between two runs, and the maximum runs per hour."""

    cooldown_ms: int
    per_hour: int


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One repair. `limits` is fixed, or the name of the settings' pair of cooldown and budget."""

    name: str
    path: str
    help: str
    limits: Limits | str
    hourly: int | None = None
    options: tuple[Option, ...] = ()
    filters: tuple[Filter, ...] = ()
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
        """Return its rate limits under these settings."""
        if isinstance(self.limits, Limits):
            return self.limits
        found = _of_settings(settings)[self.limits]
        return (
            found
            if self.hourly is None
            else Limits(cooldown_ms=found.cooldown_ms, per_hour=self.hourly)
        )


def _of_settings(settings: Repair) -> Mapping[str, Limits]:
    return {
        "requeue": Limits(
            cooldown_ms=settings.requeue_cooldown_ms, per_hour=settings.requeue_hourly_budget
        ),
        "reembed": Limits(
            cooldown_ms=settings.reembed_cooldown_ms, per_hour=settings.reembed_hourly_budget
        ),
        "dedup": Limits(
            cooldown_ms=settings.dedup_cooldown_ms, per_hour=settings.dedup_hourly_budget
        ),
    }


def _batch(default: int, high: int, low: int = 1) -> Option:
    return Option(
        name="batchSize", help="Maximum number of rows.", default=default, low=low, high=high
    )


def _limit(default: int, high: int) -> Option:
    return Option(name="limit", help="Maximum number of rows.", default=default, low=1, high=high)


def _switch(name: str, help: str) -> Option:
    return Option(name=name, help=help, default=False, type=bool)


_ROWS = (Filter.IDS, Filter.KIND, Filter.AGE)
_JOBS = (*_ROWS, Filter.ERROR)
_OLD = (Filter.IDS, Filter.AGE)

ACTIONS = (
    Action(
        name="requeueDeadJobs",
        path="requeue-dead",
        help="Retry dead jobs, oldest first.",
        limits="requeue",
        options=(
            _limit(50, 500),
            _switch("force", "Retry even if no model has answered recently."),
        ),
        filters=_JOBS,
        noun="job",
    ),
    Action(
        name="releaseStaleLeases",
        path="release-leases",
        help="Release jobs whose process died or hangs.",
        limits="requeue",
        filters=_ROWS,
        noun="job",
    ),
    Action(
        name="pruneJobs",
        path="prune-jobs",
        help="Archive ended jobs to a file, then delete them.",
        limits="requeue",
        options=(
            _limit(1_000, 100_000),
            Option(
                name="status",
                help="Which ended jobs.",
                default="dead",
                type=str,
                choices=("dead", "completed"),
            ),
        ),
        filters=_JOBS,
        noun="job",
    ),
    Action(
        name="checkFtsConsistency",
        path="check-fts",
        help="Check the full-text indexes; rebuild those that differ from their tables.",
        limits="reembed",
        hourly=5,
        options=(_switch("repair", "Rebuild indexes that differ."),),
        switch="repair",
        is_shared=True,
        needs_worker=True,
    ),
    Action(
        name="triggerRetentionSweep",
        path="retention-sweep",
        help="Run the retention sweep now: purge old forgotten and ended rows.",
        limits="requeue",
    ),
    Action(
        name="reembedMissingMemories",
        path="re-embed",
        help="Create missing vectors, oldest memories first.",
        limits="reembed",
        options=(
            _batch(50, 500),
            _switch("fullSweep", "Continue until none is missing."),
        ),
        filters=_ROWS,
        noun="memory",
        needs_worker=True,
    ),
    Action(
        name="cleanOrphanedEmbeddings",
        path="clean-orphans",
        help="Delete vectors whose memory is gone or forgotten.",
        limits="requeue",
        filters=_OLD,
        noun="memory",
    ),
    Action(
        name="resyncVectorIndex",
        path="resync-vec",
        help="Synchronise the vector index with the stored vectors.",
        limits="reembed",
        needs_worker=True,
    ),
    Action(
        name="rebuildIndexes",
        path="rebuild-indexes",
        help="Check and repair the full-text indexes, then the vector index.",
        limits=Limits(cooldown_ms=5 * MINUTE_MS, per_hour=5),
        needs_worker=True,
    ),
    Action(
        name="deduplicateMemories",
        path="deduplicate",
        help="Merge duplicate memories.",
        limits="dedup",
        options=(
            Option(
                name="batchSize",
                help="Maximum number of groups.",
                low=1,
                high=1_000,
                setting="dedup_batch_size",
            ),
            _switch("semanticEnabled", "Also merge near-duplicates, by meaning."),
            Option(
                name="semanticThreshold",
                help="Minimum similarity (0–1).",
                low=0,
                high=1,
                type=float,
                setting="dedup_semantic_threshold",
            ),
        ),
        filters=_ROWS,
        noun="memory",
    ),
    Action(
        name="backfillSkippedSessions",
        path="backfill-skipped",
        help="Summarise sessions that have no summary.",
        limits=Limits(cooldown_ms=MINUTE_MS, per_hour=20),
        options=(_limit(50, 500),),
        filters=_OLD,
        noun="job",
    ),
    Action(
        name="reclassifyEntities",
        path="reclassify-entities",
        help="Ask the model for the type of entities of unknown type.",
        limits=Limits(cooldown_ms=5 * MINUTE_MS, per_hour=5),
        options=(_batch(20, 30, low=5),),
        filters=_OLD,
        noun="entity",
        needs_worker=True,
    ),
    Action(
        name="pruneChunkGroupEntities",
        path="prune-chunk-groups",
        help="Delete entities that only link the chunks of long texts.",
        limits=Limits(cooldown_ms=MINUTE_MS, per_hour=5),
        options=(_batch(500, 500),),
        filters=_OLD,
        noun="entity",
    ),
    Action(
        name="pruneSingletonExtractedEntities",
        path="prune-singleton-entities",
        help="Delete entities of unknown type with few mentions.",
        limits=Limits(cooldown_ms=MINUTE_MS, per_hour=10),
        options=(
            _batch(200, 500),
            Option(
                name="maxMentions",
                help="Maximum number of memories that mention them.",
                default=1,
                low=1,
                high=100,
            ),
        ),
        filters=_OLD,
        noun="entity",
    ),
    Action(
        name="pruneGenericEntities",
        path="prune-generic-entities",
        help="Delete entities that are no names: headings, labels, first words of sentences.",
        limits=Limits(cooldown_ms=MINUTE_MS, per_hour=10),
        options=(_batch(500, 500),),
        filters=_OLD,
        looks_first=True,
        noun="entity",
    ),
    Action(
        name="structuralBackfill",
        path="structural-backfill",
        help="Queue facts without an aspect for classification.",
        limits=Limits(cooldown_ms=MINUTE_MS, per_hour=20),
        options=(_batch(100, 500),),
        filters=_ROWS,
        noun="memory",
    ),
    Action(
        name="relinkEntities",
        path="relink-entities",
        help="Link memories without entities to the entities they mention.",
        limits=Limits(cooldown_ms=MINUTE_MS, per_hour=10),
        options=(_batch(500, 500),),
        filters=_ROWS,
        noun="memory",
    ),
    Action(
        name="backfillHints",
        path="backfill-hints",
        help="Queue hints for memories that have none.",
        limits=Limits(cooldown_ms=MINUTE_MS, per_hour=10),
        options=(_batch(200, 200),),
        filters=_ROWS,
        noun="memory",
    ),
    Action(
        name="clusterEntities",
        path="cluster-entities",
        help="Recompute the communities of an agent's entities.",
        limits=Limits(cooldown_ms=5 * MINUTE_MS, per_hour=5),
        options=(
            Option(
                name="agentId",
                help="Agent whose entities are grouped.",
                default="default",
                type=str,
            ),
        ),
        is_shared=True,
        needs_worker=True,
        kind="cluster_entities",
    ),
    Action(
        name="followForgotten",
        path="follow-forgotten",
        help="Forget facts that were read from forgotten memories alone.",
        limits=Limits(cooldown_ms=MINUTE_MS, per_hour=60),
        options=(_batch(200, 200),),
        filters=_ROWS,
        looks_first=True,
        noun="memory",
    ),
    Action(
        name="forgetDeadMemories",
        path="dead-memories/forget",
        help="Forget memories with low confidence that are not used.",
        limits=Limits(cooldown_ms=5 * MINUTE_MS, per_hour=5),
        options=(
            Option(
                name="reason", help="Reason, kept in their history.", type=str, is_required=True
            ),
        ),
        filters=(Filter.IDS,),
        noun="memory",
    ),
)

BY_NAME: Mapping[str, Action] = {action.name: action for action in ACTIONS}
BY_PATH: Mapping[str, Action] = {action.path: action for action in ACTIONS}
