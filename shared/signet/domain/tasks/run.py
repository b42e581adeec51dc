"""Start due and requested runs of tasks, and perform them."""

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from signet import clock, ids
from signet.config import Settings
from signet.config.extraction import TextProvider
from signet.db import Database, ReadTx, WriteTx
from signet.domain.tasks import execute, scheduled, sql
from signet.domain.tasks.execute import Spool
from signet.domain.tasks.models import RESTARTED, RunEnd, Task, TaskRun
from signet.domain.tasks.scheduled import folder_of, get, zone
from signet.errors import Conflict, Invalid
from signet.observe import logs
from signet.paths import Workspace
from signet.queue import Job, enqueue, transitions
from signet.queue.enqueue import NOW
from signet.queue.job_context import JobContext
from signet.queue.retry import Cancelled, LeaseLost

log = logs.get("scheduler")

KIND = "task_run"


def by_hand(tx: WriteTx, task_id: str, *, now: datetime) -> str:
    """Start a run of a task, also of one that is disabled, and return its id; raises NotFound, Conflict."""
    task = get(tx, task_id)
    run_id = None if tx.row(TaskRun, sql.ACTIVE, (task_id,)) else _start(tx, task, now=now)
    if run_id is None:
        raise Conflict("Task is already running", "task_running")
    sql.set_last_run(tx, task_id, at=now, next_at=None)
    return run_id


def is_due(tx: ReadTx, *, now: datetime) -> bool:
    """Return whether a task should run now."""
    return bool(sql.due(tx, now=now))


def due(tx: WriteTx, *, now: datetime) -> Sequence[str]:
    """Start scheduled tasks, once however often they were missed, and return the IDs of the runs."""
    started = []
    for task in sql.due(tx, now=now):
        try:
            next_at = scheduled.next_run(task.cron_expression, zone(task.timezone), now)
        except Invalid as error:  # an older program let it in
            log.warning("task.disabled", task_id=task.id, reason=error.message)
            tx.run(sql.DISABLE, (clock.to_text(now), task.id))
            continue
        run_id = _start(tx, task, now=now)
        if run_id is not None:
            sql.set_last_run(tx, task.id, at=now, next_at=next_at)
            started.append(run_id)
    return started


def late(tx: ReadTx, *, now: datetime) -> dict[str, datetime]:
    """Map each task whose next run lies behind the next time of its schedule to that time: the clock was ahead."""
    found = {}
    for task in sql.enabled(tx):
        next_at = clock.parsed(task.next_run_at)
        with contextlib.suppress(Invalid):  # `due` disables it
            right = scheduled.next_run(task.cron_expression, zone(task.timezone), now)
            if next_at is None or next_at > right:
                found[task.id] = right
    return found


def bring_forward(tx: WriteTx, *, now: datetime) -> None:
    """Correct the next runs of late tasks."""
    for task_id, right in late(tx, now=now).items():
        sql.set_next_run(tx, task_id, right)


def withdraw(tx: WriteTx, *, disable: bool, now: datetime) -> None:
    """Cancel every run that has not ended; with `disable` also disable every task."""
    for job_id in tx.column(sql.OPEN_JOBS):
        transitions.cancel(tx, job_id, now=now)
    if disable:
        tx.run(sql.DISABLE_ALL, (clock.to_text(now),))


def delete(tx: WriteTx, task_id: str, *, now: datetime) -> None:
    """Delete a task with its runs, and cancel the one that is active; raises NotFound."""
    get(tx, task_id)
    active = tx.row(TaskRun, sql.ACTIVE, (task_id,))
    if active is not None:
        transitions.cancel(tx, active.id, now=now)
    tx.run(sql.DELETE_RUNS, (task_id,))
    tx.run(sql.DELETE, (task_id,))


def _start(tx: WriteTx, task: Task, *, now: datetime) -> str | None:
    """Add a run and its job, which has the same id; None while an earlier one is ending."""
    job = Job(kind=KIND, dedupe_key=task.id, job_id=ids.new_ordered_id(), priority=NOW)
    run_id = enqueue(tx, job, now=now)
    if run_id is not None:
        tx.run(sql.ADD_RUN, (run_id, task.id, clock.to_text(now)))
    return run_id


#: Job errors that explain a run without an end; after any other one its process was killed.
_ENDINGS = frozenset({"cancelled", "timeout", "expired"})


def perform(job: JobContext, settings: Settings, workspace: Workspace) -> None:
    """Do the run of this job; raises LeaseLost, Cancelled, and TimeoutError for a job that ran too long."""
    run_id = job.lease.job_id
    spool = Spool.of(workspace, run_id)
    # Synced: after a power cut it must be known that the run has begun.
    task, may_run = job.db.write(_begin, job, clock.now())
    if task is None:
        job.commit(lambda tx: {"skipped": "the task is gone"})
    elif not may_run:
        _finish(job, task, unfinished(spool, RESTARTED))
    else:
        _finish(job, task, _execute(job, task, spool, settings, workspace))
    spool.remove()


def unfinished(spool: Spool, error: str) -> RunEnd:
    """Return the end of a run whose process did not report one, with its partial output."""
    return RunEnd(error=error, stdout=spool.text("stdout"), stderr=spool.text("stderr"))


def end_orphan(tx: WriteTx, run: TaskRun, ended: RunEnd, *, now: datetime) -> bool:
    """End a run that has no job, unless it has ended meanwhile; its stored output stays."""
    kept = replace(
        ended, stdout=ended.stdout or run.stdout or "", stderr=ended.stderr or run.stderr or ""
    )
    return sql.end(tx, run.id, run.task_id, kept, now=now)


def end_orphans(db: Database, workspace: Workspace, *, now: datetime) -> None:
    """End as failed the runs that no job will ever end."""
    for *fields, code in db.read(lambda tx: tx.tuples(sql.ORPHANS)):
        run = TaskRun._make(fields)
        spool = Spool.of(workspace, run.id)
        ended = unfinished(spool, code if code in _ENDINGS else RESTARTED)
        if db.write(end_orphan, run, ended, now=now):
            log.warning("task.not_ended", task_id=run.task_id, run_id=run.id, reason=ended.error)
        spool.remove()


def _begin(tx: WriteTx, job: JobContext, now: datetime) -> tuple[Task | None, bool]:
    """Return the task of this run, None when it is gone, and whether the run begins now."""
    held = job.lease
    if not transitions.is_held(tx, held.job_id, held.token):
        raise LeaseLost(job_id=held.job_id)
    found = tx.row(TaskRun, sql.ONE_RUN, (held.job_id,))
    task = None if found is None else sql.task(tx, found.task_id)
    return task, tx.run(sql.BEGIN, (str(held.token), clock.to_text(now), held.job_id)) == 1


def _execute(
    job: JobContext, task: Task, spool: Spool, settings: Settings, workspace: Workspace
) -> RunEnd:
    extraction = settings.pipeline.extraction
    is_codex = extraction.provider is TextProvider.CODEX
    prompt = execute.prompt(task, workspace.skills_dir)
    line = execute.arguments(task, prompt, codex_model=extraction.model if is_codex else None)
    log.info("task.started", task_id=task.id, run_id=job.lease.job_id, harness=task.harness)
    try:
        return execute.execute(
            line, spool, folder=folder_of(task), environ=execute.environment(), check=job.check
        )
    except Cancelled:
        job.progress(lambda tx: _end(tx, job, task, unfinished(spool, "cancelled")))
        spool.remove()
        raise


def _finish(job: JobContext, task: Task, ended: RunEnd) -> None:
    job.commit(lambda tx: _end(tx, job, task, ended))
    log.info(
        "task.ended",
        task_id=task.id,
        run_id=job.lease.job_id,
        status=ended.status,
        exit_code=ended.exit_code,
        reason=ended.error,
    )


def _end(tx: WriteTx, job: JobContext, task: Task, ended: RunEnd) -> dict[str, object]:
    sql.end(tx, job.lease.job_id, task.id, ended, now=clock.now())
    return {"status": ended.status, "exitCode": ended.exit_code}
