"""Map each action of the catalog to its functions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from signet.db import ReadTx, WriteTx
from signet.domain.repair import (
    communities,
    dedup,
    entities,
    fulltext,
    jobs,
    memories,
    retention,
    rows,
    sessions,
    vectors,
)
from signet.domain.repair.models import Done, Order
from signet.domain.repair.rows import Find
from signet.domain.repair.work import Work


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """An action's preview and change: in one short transaction, or in many steps."""

    look: Callable[[ReadTx, Order], Done]
    change: Callable[[WriteTx, Order], Done] | None = None
    perform: Callable[[Work], Done] | None = None


def _look_at_indexes(tx: ReadTx, order: Order) -> Done:
    text, index = fulltext.preview(tx, order), vectors.preview_resync(tx, order)
    message = f"dry run: {text.message}; {index.message.removeprefix('dry run: ')}"
    details = {**text.details, "vectors": dict(index.details)}
    return Done(affected=text.affected + index.affected, message=message, details=details)


def _rebuild_indexes(work: Work) -> Done:
    text, index = fulltext.check(work), vectors.resync(work)
    details = {**text.details, "vectors": dict(index.details)}
    message = f"{text.message}; {index.message}"
    return Done(affected=work.affected, message=message, details=details)


def _delete(what: str, find: Find) -> Way:
    def change(tx: WriteTx, order: Order) -> Done:
        return entities.delete(tx, what, find(tx, order))

    return Way(look=rows.previewing(find, f"delete {{}} {what}", entities.shown), change=change)


WAYS: Mapping[str, Way] = {
    "requeueDeadJobs": Way(look=jobs.preview_requeue, change=jobs.requeue),
    "releaseStaleLeases": Way(look=jobs.preview_release, change=jobs.release),
    "pruneJobs": Way(look=jobs.preview_prune, perform=jobs.prune),
    "checkFtsConsistency": Way(look=fulltext.preview, perform=fulltext.check),
    "triggerRetentionSweep": Way(look=retention.preview, perform=retention.sweep),
    "reembedMissingMemories": Way(look=vectors.preview_reembed, perform=vectors.reembed),
    "cleanOrphanedEmbeddings": Way(look=vectors.preview_orphans, perform=vectors.clean),
    "resyncVectorIndex": Way(look=vectors.preview_resync, perform=vectors.resync),
    "rebuildIndexes": Way(look=_look_at_indexes, perform=_rebuild_indexes),
    "deduplicateMemories": Way(look=dedup.preview, perform=dedup.deduplicate),
    "backfillSkippedSessions": Way(look=sessions.preview, change=sessions.backfill),
    "reclassifyEntities": Way(look=entities.preview_reclassify, perform=entities.reclassify),
    "pruneChunkGroupEntities": _delete("chunk-group entities", entities.chunk_groups),
    "pruneSingletonExtractedEntities": _delete("singleton entities", entities.singletons),
    "pruneGenericEntities": _delete("generic entities", entities.generic),
    "structuralBackfill": Way(look=memories.preview_structure, change=memories.structure),
    "relinkEntities": Way(look=memories.preview_relink, perform=memories.relink),
    "backfillHints": Way(look=memories.preview_hints, change=memories.backfill_hints),
    "clusterEntities": Way(look=communities.preview, perform=communities.cluster),
    "followForgotten": Way(look=memories.preview_left, change=memories.follow_forgotten),
    "forgetDeadMemories": Way(look=memories.preview_forget, change=memories.forget_dead),
}


def way(order: Order) -> Way:
    """Return the functions of an order."""
    return WAYS[order.action.name]
