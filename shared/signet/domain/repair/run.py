"""Perform a repair: preview, one transaction, steps here, or a job of the worker.

The gate always checks first, and history and run are recorded with the change: for a short repair in its transaction,
for a long one with its last. A failed one records neither.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, NamedTuple

from signet import clock
from signet.config import Settings
from signet.db import Database, ReadTx, WriteTx, columns
from signet.domain.memory import history
from signet.domain.memory.models import Actor, Event
from signet.domain.repair import entities, gate, indexes, jobs, memories, sql, steps
from signet.domain.repair.catalog import BY_NAME, RepairAction
from signet.domain.repair.models import (
    RefusalReason,
    RepairDone,
    RepairOrder,
    RepairRefused,
    RepairResult,
    RowChoice,
)
from signet.domain.repair.steps import Find, NoModels, RepairModels, RepairWork
from signet.errors import SignetError
from signet.files import locked
from signet.observe import metrics
from signet.paths import Workspace
from signet.queue import NOW, JobStatus, NewJob, admin, enqueue, transitions
from signet.queue.job_context import JobContext


class Short(NamedTuple):
    """An action's preview, and its change in one transaction."""

    preview: Callable[[ReadTx, RepairOrder], RepairDone]
    change: Callable[[WriteTx, RepairOrder], RepairDone]


class Long(NamedTuple):
    """An action's preview, and its change in many steps."""

    preview: Callable[[ReadTx, RepairOrder], RepairDone]
    perform: Callable[[RepairWork], RepairDone]


def _preview_indexes(tx: ReadTx, order: RepairOrder) -> RepairDone:
    text, index = indexes.preview_text(tx, order), indexes.preview_resync(tx, order)
    message = f"dry run: {text.message}; {index.message.removeprefix('dry run: ')}"
    details = {**text.details, "vectors": dict(index.details)}
    return RepairDone(text.affected + index.affected, message, details)


def _rebuild_indexes(work: RepairWork) -> RepairDone:
    text, index = indexes.check_text(work), indexes.resync(work)
    details = {**text.details, "vectors": dict(index.details)}
    message = f"{text.message}; {index.message}"
    return RepairDone(work.affected, message, details)


def _deletion(what: str, find: Find) -> Short:
    look = steps.previewing(find, "delete {}", what, entities.shown)
    return Short(look, lambda tx, order: entities.delete(tx, what, find(tx, order)))


FUNCTIONS: Mapping[str, Short | Long] = {
    "requeueDeadJobs": Short(jobs.preview_requeue, jobs.requeue),
    "releaseStaleLeases": Short(jobs.preview_release, jobs.release),
    "pruneJobs": Long(jobs.preview_prune, jobs.prune),
    "checkFtsConsistency": Long(indexes.preview_text, indexes.check_text),
    "triggerRetentionSweep": Long(jobs.preview_sweep, jobs.sweep),
    "reembedMissingMemories": Long(indexes.preview_reembed, indexes.reembed),
    "cleanOrphanedEmbeddings": Long(indexes.preview_orphans, indexes.clean),
    "resyncVectorIndex": Long(indexes.preview_resync, indexes.resync),
    "rebuildIndexes": Long(_preview_indexes, _rebuild_indexes),
    "deduplicateMemories": Long(memories.preview_duplicates, memories.deduplicate),
    "backfillSkippedSessions": Short(jobs.preview_sessions, jobs.backfill_sessions),
    "reclassifyEntities": Long(entities.preview_reclassify, entities.reclassify),
    "pruneChunkGroupEntities": _deletion("chunk-group entity", entities.chunk_groups),
    "pruneSingletonExtractedEntities": _deletion("singleton entity", entities.singletons),
    "pruneGenericEntities": _deletion("generic entity", entities.generic),
    "structuralBackfill": Short(memories.preview_structure, memories.structure),
    "relinkEntities": Long(memories.preview_relink, memories.relink),
    "backfillHints": Short(memories.preview_hints, memories.backfill_hints),
    "clusterEntities": Long(entities.preview_cluster, entities.cluster),
    "followForgotten": Short(memories.preview_follow, memories.follow_forgotten),
    "forgetDeadMemories": Short(memories.preview_forget, memories.forget_dead),
}


#: Fields of the requester stored with a job.
_ACTOR = ("name", "type", "session_id", "request_id")
#: The subject in history instead of a memory (RP-5).
SYSTEM = "system"


class OutOfTime(SignetError):
    """The request's time limit has passed; a worker does the rest."""


def preview(tx: ReadTx, order: RepairOrder) -> RepairResult:
    """Return what a repair would do; raises Frozen. Changes nothing."""
    try:
        gate.check(tx, order)
        return RepairResult.from_done(order, FUNCTIONS[order.action.name].preview(tx, order))
    except RepairRefused as error:
        return RepairResult.refused(order, error)


def is_long(action: RepairAction) -> bool:
    return isinstance(FUNCTIONS[action.name], Long)


def change(tx: WriteTx, order: RepairOrder) -> RepairResult:
    """Perform a short repair in this transaction; raises Frozen and Refused, which roll it back."""
    gate.check(tx, order)
    short = FUNCTIONS[order.action.name]
    assert isinstance(short, Short), order.action.name
    return _finished(tx, order, short.change(tx, order))


def now(
    db: Database,
    order: RepairOrder,
    workspace: Workspace,
    models: RepairModels | None = None,
    *,
    check: Callable[[], None] | None = None,
) -> RepairResult:
    """Perform a repair in this process; raises Frozen, and what `check` raises between two steps.

    When `check` raises OutOfTime, the rest becomes a job, which the result names.
    """
    if not order.writes:
        return db.read(preview, order)
    result = _now(db, order, workspace, models, check)
    return result if result.job_id else counted(result)


def counted(result: RepairResult) -> RepairResult:
    """Count the result of a repair and return it; call once, at its end, and not for a preview."""
    has_failed = result.reason in (RefusalReason.ERROR, RefusalReason.UNAVAILABLE)
    outcome = "done" if result.success else "failed" if has_failed else "refused"
    metrics.REPAIRS.labels(result.action, outcome).inc()
    return result


def _now(
    db: Database,
    order: RepairOrder,
    workspace: Workspace,
    models: RepairModels | None,
    check: Callable[[], None] | None,
) -> RepairResult:
    work = RepairWork(order=order, db=db, workspace=workspace, models=models or NoModels())
    work.check = check or work.check
    try:
        if not is_long(order.action):
            return db.write(change, order)
        with _alone(workspace):
            db.read(_may_start, order)
            return db.write(_finished, order, _performed(work))
    except OutOfTime:
        job_id = db.write(begin, order, affected=work.affected, steps=work.steps)
        return db.read(progress, order, job_id)
    except RepairRefused as error:
        return RepairResult.refused(order, error, affected=work.affected)


def begin(tx: WriteTx, order: RepairOrder, *, affected: int = 0, steps: int = 0) -> str:
    """Queue a long repair for the worker and return its job; raises Frozen and Refused.

    An already open one is shared if possible, otherwise it blocks. `affected` and `steps` are the work already done.
    """
    gate.check(tx, order)
    job = _job(order)
    job_id = enqueue(tx, job, now=order.now)
    if job_id is not None:
        transitions.record_result(tx, job_id, {"affected": affected, "steps": steps})
        return job_id
    if order.action.is_shared:
        return str(tx.value(sql.OPEN_JOB, (job.unique_key,)))
    raise RepairRefused(RefusalReason.BUSY, f"{order.action.path} already in progress")


def queue(tx: WriteTx, order: RepairOrder) -> None:
    """Queue a long repair that this machine needs, unless one is open; rate limits do not apply."""
    enqueue(tx, _job(order), now=order.now)


def progress(tx: ReadTx, order: RepairOrder, job_id: str) -> RepairResult:
    """Return the progress of a repair's job; a result with a `job_id` is not final."""
    row = admin.get(tx, job_id)
    status = row["status"] if row else JobStatus.COMPLETED
    kept = columns.json_object(row["result"] if row else None)
    if status == JobStatus.DEAD:
        why = (row["error"] if row else None) or "unknown"
        failed = RepairRefused(RefusalReason.ERROR, f"{order.action.path} failed: {why}")
        return RepairResult.refused(order, failed)
    if status == JobStatus.COMPLETED:
        return _result(order, kept)
    affected = int(kept.get("affected", 0))
    does = "continues in the background" if status == JobStatus.LEASED else "is queued"
    details, message = {"jobId": job_id, "status": status}, f"{order.action.path} {does}"
    return RepairResult(affected, message, details, action=order.action.name, job_id=job_id)


def in_worker(
    job: JobContext, settings: Settings, workspace: Workspace, models: RepairModels
) -> None:
    """Perform a job's repair and complete the job with its result, refusal or failure.

    Raises Frozen, LeaseLost and Cancelled, and unexpected errors; the job is then retried and continues.
    """
    order = _order(job.lease.payload, settings)
    kept = columns.json_object(job.db.read(ReadTx.value, sql.JOB_RESULT, (job.lease.job_id,)))

    def keep(tx: WriteTx, affected: int, steps: int) -> None:
        transitions.record_result(tx, job.lease.job_id, {"affected": affected, "steps": steps})

    work = RepairWork(
        order=order,
        db=job.db,
        workspace=workspace,
        models=models,
        check=job.check,
        keep=keep,
        affected=int(kept.get("affected", 0)),
        steps=int(kept.get("steps", 0)),
    )
    work.write = job.progress
    try:
        gate.permit(order)  # the settings may have changed while the job waited
        with _alone(workspace):
            done = _performed(work)
            job.commit(lambda tx: _finished(tx, order, done).body())
            result = RepairResult.from_done(order, done)
    except RepairRefused as error:
        result = RepairResult.refused(order, error, affected=work.affected)
        job.commit(lambda tx: result.body())
    counted(result)


@contextmanager
def _alone(workspace: Workspace) -> Iterator[None]:
    """Hold the lock for a machine's single long repair; the kernel frees it if the holder dies.

    Raises Refused if another process or thread has it. Never waits.
    """
    try:
        with locked(workspace.runtime_dir / "repair.lock", wait=False):
            yield
    except BlockingIOError as error:
        raise RepairRefused(RefusalReason.BUSY, "another repair is running") from error


def _may_start(tx: ReadTx, order: RepairOrder) -> None:
    gate.check(tx, order)
    if tx.value(sql.OPEN_JOB, (_job(order).unique_key,)):
        raise RepairRefused(RefusalReason.BUSY, f"{order.action.path} already in progress")


def _finished(tx: WriteTx, order: RepairOrder, done: RepairDone) -> RepairResult:
    """Record that a repair has run (RP-2, RP-5)."""
    at = clock.now()
    gate.note(tx, order, now=at)
    facts = {"repairAction": order.action.name, "affected": done.affected, "message": done.message}
    history.record(
        tx, SYSTEM, Event.NONE, actor=order.actor, at=at, reason=order.reason, metadata=facts
    )
    return RepairResult.from_done(order, done)


def _performed(work: RepairWork) -> RepairDone:
    long = FUNCTIONS[work.order.action.name]
    assert isinstance(long, Long), work.order.action.name
    return long.perform(work)


def _job(order: RepairOrder) -> NewJob:
    action, agent = order.action, order.options.get("agentId")
    slot = action.name if agent is None else f"{action.name}:{agent}"
    return NewJob(kind=action.kind, dedupe_key=slot, payload=_payload(order), priority=NOW)


def _payload(order: RepairOrder) -> dict[str, object]:
    return {
        "action": order.action.name,
        "options": dict(order.options),
        "chosen": asdict(order.chosen),
        "actor": {name: getattr(order.actor, name) for name in _ACTOR},
        "reason": order.reason,
    }


def _order(payload: Mapping[str, Any], settings: Settings) -> RepairOrder:
    said = payload["chosen"]
    listed = {name: tuple(said[name]) if said[name] else None for name in ("ids", "kinds")}
    return RepairOrder(
        action=BY_NAME[payload["action"]],
        settings=settings,
        actor=Actor(**payload["actor"]),
        now=clock.now(),
        monotonic_ms=clock.monotonic_ms(),
        options=payload["options"],
        chosen=RowChoice(**{**said, **listed}),
        reason=payload["reason"],
    )


def _result(order: RepairOrder, kept: Mapping[str, Any]) -> RepairResult:
    """Return the result in a completed job; unknown if its row is gone."""
    known = "action success affected steps message details reason error code".split()
    reason = kept.get("reason")
    return RepairResult(
        int(kept.get("affected", 0)),
        str(kept.get("message", f"{order.action.path} is done")),
        kept.get("details", {}),
        {name: value for name, value in kept.items() if name not in known},
        action=order.action.name,
        success=bool(kept.get("success", True)),
        reason=RefusalReason(reason) if reason else None,
    )
